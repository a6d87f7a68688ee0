import type { Capability } from '../../base/protocol.ts';
import type { FindingSource } from '../../model/findings.ts';
import type { OpenTrace } from '../../model/open_trace.ts';

interface Offered {
  /** Traces that offer this are looked at. */
  readonly by: Capability;
  /** Loads what looks at them. */
  readonly load: (open: OpenTrace) => Promise<FindingSource>;
}

/** What looks for findings, by what a trace offers. A format has at most one. */
export const SOURCES: readonly Offered[] = [
  { by: 'graphics', load: async (open) => (await import('./graphics.ts')).graphicsFindings(open) },
  { by: 'values', load: async (open) => (await import('./values.ts')).valuesFindings(open) },
];
