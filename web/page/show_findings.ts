import type { OpenTrace } from '../timeline/open_trace.ts';
import { findingsOf } from '../trace/findings.ts';
import { bringToFront, type Dock, FINDINGS } from './dock.ts';

/** Looks for the findings of a trace, unless that was done, and lists those of a kind, or all with ''. */
export function showFindings(open: OpenTrace, dock: Dock, kind = ''): void {
  const findings = findingsOf(open);
  if (!findings) return;
  findings.look();
  findings.kind.value = kind;
  bringToFront(dock, open.trace.info.peek()?.format, FINDINGS);
}
