import { toPicoseconds } from './format.ts';
import type { Clock } from './protocol.ts';

/**
 * A length or a distance on the x axis as a number that spreadsheets and scripts read: seconds with twelve decimals at most, ticks,
 * calls or steps.
 */
export function plainLength(length: bigint, clock: Clock): string {
  if (clock.kind !== 'seconds') return length.toString();
  if (length < 0n) return `-${plainLength(-length, clock)}`;
  const digits = toPicoseconds(length, clock.frequency).toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
}

/** A position as such a number: seconds or ticks since `origin`, or the number of a call or step. */
export function plainPosition(at: bigint, origin: bigint, clock: Clock): string {
  return clock.kind === 'ordinal' ? at.toString() : plainLength(at - origin, clock);
}

/** The title of a column of lengths, with their unit: `Total (s)`. */
export function plainTitle(title: string, clock: Clock): string {
  return clock.kind === 'seconds' ? `${title} (s)` : clock.kind === 'ticks' ? `${title} (ticks)` : title;
}
