import { formatCount, formatLength, plural } from '../../base/format.ts';
import type { Clock } from '../../base/protocol.ts';

/** The unit of all lengths of a table, for the end of its summary; '' if each length has its own. */
export function unitOf(clock: Clock): string {
  return clock.kind === 'seconds' ? '' : `, lengths in ${plural(2, clock.kind === 'ticks' ? 'tick' : clock.unit)}`;
}

/** A length in a table; see {@link unitOf}. */
export function lengthText(ticks: bigint, clock: Clock): string {
  return clock.kind === 'seconds' ? formatLength(ticks, clock) : formatCount(ticks);
}
