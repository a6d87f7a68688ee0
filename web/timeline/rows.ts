import { DERIVED, type Item, type Ticks } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { toTick, type View } from '../trace/view.ts';
import type { Layout } from './layout.ts';

/** A row of the timeline: slices of a track at a signed depth, or (null) its instants. */
export interface Row {
  readonly track: number;
  readonly depth: number | null;
}

/** The rows on which something can be selected, from top to bottom. Folded tracks have only those that are shown. */
export function rowsOf({ tracks }: Layout): Row[] {
  return tracks.flatMap((laid) => {
    const { id, lowest } = laid.track;
    // What is on a derived track leads to where it comes from.
    if (id >= DERIVED) return [];
    const slices = Array.from({ length: laid.rows }, (_, row) => ({ track: id, depth: lowest + row }));
    return laid.instants >= 0 ? [{ track: id, depth: null }, ...slices] : slices;
  });
}

/** The row of a selected item or record; that of an item in a folded track is the nearest one shown. -1 if there is none. */
export function rowOf(rows: readonly Row[], track: number, item: Item | null): number {
  const depth = item?.kind === 'slice' ? item.depth : null;
  const exact = rows.findIndex((row) => row.track === track && row.depth === depth);
  if (exact >= 0) return exact;
  return rows.findLastIndex((row) => row.track === track && (depth === null || (row.depth ?? depth) <= depth));
}

/** The middle of what is on the screen of a slice, or the end that is nearer to it. `width` is in CSS pixels. */
export function middleOf(start: Ticks, end: Ticks | null, view: View, width: number): Ticks {
  if (end === null || end <= start) return start;
  const left = toTick(view, 0);
  const right = toTick(view, width);
  const from = start > left ? start : left < end ? left : end - 1n;
  const to = end < right ? end : right > start ? right : start;
  return ticks((from + to) / 2n);
}
