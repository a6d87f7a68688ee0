import { formatCounted } from '../base/format.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { findingsOf } from '../trace/findings.ts';
import { bringToFront, type Dock, FINDINGS } from './dock.ts';
import type { Asked } from './page.ts';

/** Looks for the findings of a trace, unless that was done, and lists those of a kind, or all with ''. */
export function showFindings(open: OpenTrace, dock: Dock, kind = ''): void {
  const findings = findingsOf(open);
  if (!findings) return;
  findings.look();
  findings.kind.value = kind;
  bringToFront(dock, open.trace.info.peek()?.format, FINDINGS);
}

/** A question that the findings of a trace answer, with their number once they are known; null where there are none. Subscribes. */
export function askedOfFindings(open: OpenTrace, words: string, way: string): Asked | null {
  const findings = findingsOf(open);
  if (!findings) return null;
  const isDone = findings.state.value.at === 'done';
  const count = findings.all.value.length;
  if (isDone && count === 0) return null;
  return { words, way, ...(isDone ? { figure: formatCounted(count, 'finding') } : {}) };
}
