import { Segments } from '../../parts/segments.tsx';
import { findingsOf } from '../../trace/findings.ts';
import type { OpenTrace } from '../open_trace.ts';

/** The choice between hits and findings, if there are both. */
export function Which({ open }: { open: OpenTrace }) {
  const findings = findingsOf(open);
  if (!findings || findings.state.value.at === 'idle' || open.find.asked.value === '') return null;
  return (
    <Segments
      label="Results of"
      options={[
        ['hits', 'Search'],
        ['findings', 'Findings'],
      ]}
      value={findings.isShown.value ? 'findings' : 'hits'}
      choose={(value) => {
        findings.isShown.value = value === 'findings';
      }}
    />
  );
}
