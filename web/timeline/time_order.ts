import type { TimeOrder } from '../base/calls_protocol.ts';
import { type Item, MANY, type Ticks } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';

/** A row of the picture: a heading with a track's name, or the rectangles `first` to `end` of the columns. */
export type TimeRow =
  | { readonly track: number; readonly first?: undefined }
  | { readonly track: null; readonly first: number; readonly end: number };

/** Calls in the order of time, in rows. Several tracks have headings. */
export interface LaidTime {
  readonly columns: TimeOrder;
  readonly rows: readonly TimeRow[];
}

/** Lays out calls in the order of time. */
export function layOutTime(columns: TimeOrder): LaidTime {
  const { row, length, tracks, rows: heights } = columns;
  const laid: TimeRow[] = [];
  let at = 0;
  let number = 0;
  for (const [k, track] of tracks.entries()) {
    if (tracks.length > 1) laid.push({ track });
    for (let end = number + heights[k]!; number < end; number += 1) {
      const first = at;
      while (at < length && row[at] === number) at += 1;
      laid.push({ track: null, first, end: at });
    }
  }
  return { columns, rows: laid };
}

/** Index of the rectangle at `x` of a row, or -1. `x` and the tolerance `slack` are fractions of the width, 0 to 1. */
export function rectAtTime({ columns, rows }: LaidTime, row: number, x: number, slack: number): number {
  const there = rows[row];
  if (there?.first === undefined || columns.width === 0) return -1;
  const at = x * columns.width;
  const near = slack * columns.width;
  let low = there.first;
  let high = there.end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (columns.end[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  if (low < there.end && columns.start[low]! <= at + near) return low;
  return low > there.first && columns.end[low - 1]! >= at - near ? low - 1 : -1;
}

/** The row of a rectangle. */
export function rowOfRect({ rows }: LaidTime, index: number): number {
  return rows.findIndex((row) => row.first !== undefined && row.first <= index && index < row.end);
}

/** Index of the rectangle one step from `from`, or `from` without one. */
export function timeStep(laid: LaidTime, from: number, step: 'caller' | 'callee' | 'next' | 'previous'): number {
  const row = rowOfRect(laid, from);
  const there = laid.rows[row];
  if (there?.first === undefined) return from;
  if (step === 'next') return Math.min(there.end - 1, from + 1);
  if (step === 'previous') return Math.max(there.first, from - 1);
  const { start, end, width } = laid.columns;
  const middle = width > 0 ? (start[from]! + end[from]!) / 2 / width : 0;
  const next = row + (step === 'caller' ? -1 : 1);
  const other = laid.rows[next];
  if (other?.first === undefined) return from;
  const found = rectAtTime(laid, next, middle, 0);
  if (found >= 0) return found;
  // A callee may begin elsewhere in its caller.
  for (let i = other.first; i < other.end; i += 1) if (start[i]! >= start[from]! && end[i]! <= end[from]!) return i;
  return from;
}

/** The call of a rectangle; null if the rectangle stands for several. */
export function callAt({ columns }: LaidTime, i: number): Item | null {
  if (i < 0 || columns.index[i] === MANY) return null;
  return { kind: 'slice', track: columns.track[i]!, depth: columns.depth[i]!, index: columns.index[i]! };
}

/** The range of a rectangle, within the picture. */
export function extentOfRect({ from, start, end }: TimeOrder, i: number): { from: Ticks; to: Ticks } {
  const at = (offset: number) => ticks(from + BigInt(Math.round(offset)));
  return { from: at(start[i]!), to: at(end[i]!) };
}
