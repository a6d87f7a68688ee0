import type { Counters } from '../../base/protocol.ts';
import { alignRows } from './aligned_rows.ts';
import type { Hunk, Positions, Thread } from './records.ts';

/** The points of both traces on one axis: those that belong together are one row. */
export interface OverlayRows {
  readonly count: number;
  /** Numbers of points of A and of B; -1 where a side has none. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** Index of the thread that a row is of. */
  readonly thread: Uint16Array;
}

/** Most rows that are laid over each other: a value of each takes about 60 bytes while it is being drawn. */
const MOST_ROWS = 1 << 20;

/**
 * The points of all threads in the order of A, with those of B alone where B has them. null if there are too many, or if it is not known where
 * each of them is.
 */
export function overlayRows(threads: readonly Thread[], hunks: readonly Hunk[]): OverlayRows | null {
  const all = threads.reduce((sum, { lengths }) => sum + lengths[0] + lengths[1], 0);
  if (all > 2 * MOST_ROWS || threads.length > 0xffff) return null;
  const isAlone = threads.length === 1;
  const rows: { readonly a: number; readonly b: number; readonly thread: number; readonly at: number }[] = [];
  for (const [index, thread] of threads.entries()) {
    const [placeA, placeB] = thread.positions.map((of) => placesOf(of, isAlone));
    if (!placeA || !placeB) return null;
    const aligned = alignRows(thread, hunks.slice(thread.first, thread.end));
    if (rows.length + aligned.count > MOST_ROWS) return null;
    // What only B has follows what comes before it.
    let last = -1;
    for (let number = 0; number < aligned.count; number += 1) {
      const { a, b } = aligned.row(number);
      const at = a === null ? -1 : placeA(a);
      if (a !== null) last = at;
      rows.push({ a: at, b: b === null ? -1 : placeB(b), thread: index, at: a === null ? last + 0.5 : at });
    }
  }
  if (!isAlone) rows.sort((one, other) => one.at - other.at || one.b - other.b);
  return {
    count: rows.length,
    a: Int32Array.from(rows, ({ a }) => a),
    b: Int32Array.from(rows, ({ b }) => b),
    thread: Uint16Array.from(rows, ({ thread }) => thread),
  };
}

/** Says the position of a record by its number; null if that is not known of each. */
function placesOf(of: Positions | null, isAlone: boolean): ((record: number) => number) | null {
  if (!of) return () => -1;
  const { every, shift } = of;
  if (shift === 0) return (record) => Number(every[record] ?? -1n);
  // Of many, only some are known, but in a trace of one thread records are points.
  const isNumber = isAlone && every.every((x, i) => x === BigInt(i) << BigInt(shift));
  return isNumber ? (record) => record : null;
}

/** The values of a variable of both traces over their rows. */
export interface Overlay {
  /** The lowest and the highest finite value of both. */
  readonly low: number;
  readonly high: number;
  /** Of each side, for each row, the index of its value in the samples; -1 without one. */
  readonly at: readonly [Int32Array, Int32Array];
  /** The first row that both have in which the values differ, or which only one has a value in; -1 if there is none. */
  readonly first: number;
}

/** Lays the values of both over each other. `isAddress`: they are others in each run, so that only null differs from others. */
export function overlay(
  rows: OverlayRows,
  samples: readonly [Counters | null, Counters | null],
  isAddress: boolean,
): Overlay {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const at = ([rows.a, rows.b] as const).map((points, side) => {
    const of = samples[side];
    const indices = new Map<number, number>();
    for (let i = 0; of && i < of.time.length; i += 1) {
      indices.set(of.time[i]!, i);
      const value = of.last[i]!;
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return points.map((point) => (point < 0 ? -1 : (indices.get(point) ?? -1)));
  }) as [Int32Array, Int32Array];
  const bits = (side: 0 | 1, row: number) => samples[side]!.bits[3 * at[side][row]! + 2]!;
  const differs = (row: number) => {
    if (rows.a[row]! < 0 || rows.b[row]! < 0) return false;
    const [hasA, hasB] = [at[0][row]! >= 0, at[1][row]! >= 0];
    if (!hasA || !hasB) return hasA !== hasB;
    const [one, other] = [bits(0, row), bits(1, row)];
    return isAddress ? (one === 0n) !== (other === 0n) : one !== other;
  };
  let first = 0;
  while (first < rows.count && !differs(first)) first += 1;
  return { low, high, at, first: first < rows.count ? first : -1 };
}

/**
 * The values of a side as the path of an SVG: steps over `width` columns and down from the highest value to `height`. Rows that share a column
 * are a stroke from the lowest value to the highest one.
 */
export function pathOf(
  { low, high, at }: Pick<Overlay, 'low' | 'high' | 'at'>,
  of: Pick<Counters, 'last'>,
  side: 0 | 1,
  width: number,
  height: number,
): string {
  const indices = at[side];
  const range = high - low;
  const y = (value: number) => {
    const share = range > 0 ? (Math.min(high, Math.max(low, value)) - low) / range : 0.5;
    return Math.round((1 - share) * height * 10) / 10;
  };
  const parts: string[] = [];
  let column = -1;
  let [least, most, last] = [0, 0, 0];
  const flush = () => {
    if (column < 0) return;
    parts.push(parts.length === 0 ? `M${column} ${y(least)}` : `H${column}V${y(least)}`);
    if (most > least) parts.push(`V${y(most)}`);
    parts.push(`V${y(last)}`);
  };
  for (let row = 0; row < indices.length; row += 1) {
    const index = indices[row]!;
    const value = index < 0 ? Number.NaN : of.last[index]!;
    if (Number.isNaN(value)) continue;
    const here = Math.floor((row / indices.length) * width);
    if (here !== column) {
      flush();
      column = here;
      least = value;
      most = value;
    }
    least = Math.min(least, value);
    most = Math.max(most, value);
    last = value;
  }
  flush();
  return column < 0 ? '' : `${parts.join('')}H${width}`;
}
