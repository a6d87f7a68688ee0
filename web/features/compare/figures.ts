import { formatCount, formatLength, formatShare } from '../../base/format.ts';
import type { Clock } from '../../base/protocol.ts';
import type { Compared } from './comparison.ts';

/** A figure of a row in A or B; null if that side lacks the function. */
export function figureOf(
  { rows, a, b }: Compared,
  side: 'a' | 'b',
  of: 'self' | 'total' | 'count',
  row: number,
): number | null {
  const at = rows[side][row] ?? -1;
  return at < 0 ? null : Math.round((side === 'a' ? a : b).functions[of][at]!);
}

/** A length; without a unit where all lengths of the panel have one. */
export function lengthOf(ticks: number, clock: Clock): string {
  const whole = BigInt(Math.round(ticks));
  return clock.kind === 'seconds' ? formatLength(whole, clock) : formatCount(whole);
}

/** A difference with its sign: `+1.204 ms`, `−14`. */
export function changeText(ticks: number, clock: Clock): string {
  if (ticks === 0) return lengthOf(0, clock);
  return `${ticks > 0 ? '+' : '−'}${lengthOf(Math.abs(ticks), clock)}`;
}

/** How often something is longer: `× 1.97`; '' if that is unknown. */
export function factorText(factor: number): string {
  return Number.isNaN(factor) ? '' : `×\u00a0${factor.toFixed(2)}`;
}

/** A share of all differences without its sign. */
export function shareText(share: number): string {
  return formatShare(Math.abs(share), 1);
}
