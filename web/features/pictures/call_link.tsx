import { formatCount } from '../../base/format.ts';
import { ticks } from '../../base/ticks.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** Selects a call on the timeline. */
export async function selectCall(open: OpenTrace, call: number): Promise<void> {
  const row = await open.trace.records.recordAt(ticks(BigInt(call)), null);
  if (row) open.selection.revealRecord(row);
}

/** A call that a click selects. */
export function CallLink({ open, call }: { open: OpenTrace; call: number }) {
  return (
    <button type="button" class="plain link" onClick={() => void selectCall(open, call)}>
      call {formatCount(call)}
    </button>
  );
}
