import type { OpenTrace } from '../../../model/open_trace.ts';
import { findingsOf } from '../../findings/findings.ts';
import { FindingsTable } from './findings.tsx';
import { Results } from './results.tsx';

/** The findings, or the hits of the search. */
export function ResultsChoice({ open }: { open: OpenTrace }) {
  const findings = findingsOf(open);
  const isSearch = open.find.asked.value !== '';
  if (!findings || findings.state.value.at === 'idle' || (isSearch && !findings.isShown.value)) {
    return <Results open={open} />;
  }
  return <FindingsTable open={open} findings={findings} />;
}
