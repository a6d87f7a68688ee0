import { effect } from '@preact/signals';
import { watch } from '../../base/watch.ts';
import { startWorker } from '../../base/workers.ts';
import { differencesOf } from '../../page/differences.ts';
import { furtherRunsOf } from '../../page/further_runs.ts';
import type { PanelView } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { surveyOf } from '../../trace/surveys.ts';
import { createComparison, type View } from './comparison.ts';
import { Differences } from './differences.tsx';
import { matchFrames } from './matched_frames.ts';
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
    differencesOf(both),
  );
  // The view stays when a side is opened again, and when they change places.
  const [ofA, ofB] = [furtherRunsOf(both.a).view, furtherRunsOf(both.b).view];
  const before = ofA.peek() || ofB.peek();
  if (before !== '') comparison.view.value = before as View;
  const keep = effect(() => {
    ofA.value = comparison.view.value;
    ofB.value = comparison.view.value;
  });
  // A question asks for a view.
  const follow = watch([ofA], () => {
    if (ofA.peek() !== '') comparison.view.value = ofA.peek() as View;
  });
  const why = createWhy(both, () => startWorker(whyWorker));
  const hide = showDifferences(comparison.records, both);
  const forget = haveCalls(both.a) && haveCalls(both.b) ? matchFrames(comparison.records, both) : null;
  return {
    component: ({ theme }) => <Differences comparison={comparison} runs={runs} why={why} pair={both} theme={theme} />,
    dispose: () => {
      keep();
      follow();
      hide();
      forget?.();
      why.dispose();
      comparison.dispose();
      runs.dispose();
    },
  };
}

function haveCalls({ trace }: OpenTrace): boolean {
  return trace.info.value?.offers.includes('graphics') ?? false;
}
