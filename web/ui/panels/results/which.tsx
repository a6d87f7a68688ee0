import { findingsOf } from '../../../model/findings.ts';
import type { OpenTrace } from '../../../model/open_trace.ts';
import { Segments } from '../../parts/segments.tsx';

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
