import { formatCount } from '../../base/format.ts';
import { ticks } from '../../base/ticks.ts';
import { selectPosition } from '../../timeline/go_to.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** Selects a call, and brings it into view. */
export function selectCall(call: number, open: OpenTrace): Promise<void> {
  return selectPosition(ticks(BigInt(call)), open);
}

/** A call that a click selects. */
export function CallLink({ open, call }: { open: OpenTrace; call: number }) {
  return (
    <button type="button" class="plain link" onClick={() => void selectCall(call, open)}>
      call {formatCount(call)}
    </button>
  );
}
