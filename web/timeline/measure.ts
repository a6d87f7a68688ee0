import type { Ticks } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import type { Extent } from '../trace/view.ts';

/** One of two things between which lengths are measured; `end` is null for a position. */
export interface Measurable {
  readonly start: Ticks;
  readonly end: Ticks | null;
}

/** A length between edges of two things. */
export interface MeasuredLength {
  /** `Start to start`. */
  readonly label: string;
  /** Ticks, at least 0. */
  readonly length: bigint;
}

/** The lengths between the edges of two things, in either order. Between those that overlap there is none from end to start. */
export function lengthsBetween(a: Measurable, b: Measurable): readonly MeasuredLength[] {
  const [first, second] = a.start <= b.start ? [a, b] : [b, a];
  const found: MeasuredLength[] = [{ label: 'Start to start', length: second.start - first.start }];
  if (first.end !== null && first.end <= second.start) {
    found.push({ label: 'End to start', length: second.start - first.end });
  }
  if (second.end !== null) found.push({ label: 'Start to end', length: second.end - first.start });
  if (first.end !== null && second.end !== null) {
    const length = second.end - first.end;
    found.push({ label: 'End to end', length: length < 0n ? -length : length });
  }
  return found;
}

/** The range from the earlier begin to the later end. */
export function rangeAround(a: Measurable, b: Measurable): Extent {
  const from = a.start < b.start ? a.start : b.start;
  // A position counts as a tick.
  const [one, other] = [endOf(a), endOf(b)];
  return { from, to: one > other ? one : other };
}

function endOf({ start, end }: Measurable): Ticks {
  return end !== null && end > start ? end : ticks(start + 1n);
}
