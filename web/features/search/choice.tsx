import type { PanelView } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { Results } from '../../timeline/widgets/hits.tsx';
import { findingsOf } from '../../trace/findings.ts';
import { FindingsTable } from './findings.tsx';

/** The Results panel of a trace: the findings, or the hits of the search. */
export function resultsView(open: OpenTrace): PanelView {
  return { component: () => <ResultsChoice open={open} /> };
}

function ResultsChoice({ open }: { open: OpenTrace }) {
  const findings = findingsOf(open);
  const isSearch = open.find.asked.value !== '';
  if (!findings || findings.state.value.at === 'idle' || (isSearch && !findings.isShown.value)) {
    return <Results open={open} />;
  }
  return <FindingsTable open={open} findings={findings} />;
}
