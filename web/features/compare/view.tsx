import { startWorker } from '../../base/workers.ts';
import { differencesOf } from '../../page/differences.ts';
import type { PanelView } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { surveyOf } from '../../trace/surveys.ts';
import { createComparison } from './comparison.ts';
import { Differences } from './differences.tsx';
import { createRuns } from './runs.ts';
import { showDifferences } from './shown.ts';
import { createWhy } from './why.ts';
import compareWorker from './worker/compare.ts?worker&url';
import whyWorker from './worker/why.ts?worker&url';

/** The Differences panel of two traces. */
export function compareView({ pair }: OpenTrace): PanelView {
  const both = pair.peek();
  if (!both) return { component: () => null };
  const runs = createRuns(both);
  const comparison = createComparison(
    both.a,
    both.b,
    () => startWorker(compareWorker),
    runs,
    () => (haveCalls(both.a) && haveCalls(both.b) ? [surveyOf(both.a), surveyOf(both.b)] : null),
    differencesOf(both).ignored,
  );
  const why = createWhy(both, () => startWorker(whyWorker));
  const hide = showDifferences(comparison.records, both);
  return {
    component: ({ theme }) => <Differences comparison={comparison} runs={runs} why={why} pair={both} theme={theme} />,
    dispose: () => {
      hide();
      why.dispose();
      comparison.dispose();
      runs.dispose();
    },
  };
}

function haveCalls({ trace }: OpenTrace): boolean {
  return trace.info.value?.offers.includes('graphics') ?? false;
}
