import type { Marks } from '../../trace/marks.ts';
import { firstEndingAfter, type Range } from '../../trace/picture.ts';
import type { SliceColumns, Transform } from './renderer.ts';

/** CSS pixels of a mark, and of one that has to be found among many others. */
const WIDTH = 2;
const WIDE = 3;
/** Calls in a cell above which a mark has the colour of the third level, and of the fourth. */
const SEVERAL = 4;
const DENSE = 16;

/** Receives the place of a mark and its level, an index into the palette's `marks`. Lengths are CSS pixels. */
export type PutMark = (x: number, width: number, level: number) => void;

/**
 * Places the marks of a row between 0 and `width`. The first cell begins at `offset`, and a cell is `cell` wide. Marks that
 * touch become one if they have one level, so there are at most half as many as pixels. Marks that are `alike` have one
 * level, and fill their cells.
 */
export function placeMarks(
  marks: Marks,
  { first, end }: Range,
  offset: number,
  cell: number,
  width: number,
  put: PutMark,
  levels: 'by count' | 'alike' = 'by count',
): void {
  let from = 0;
  let to = Number.NEGATIVE_INFINITY;
  let level = -1;
  const flush = () => {
    if (level >= 0 && to > from) put(from, to - from, level);
  };
  // A mark that fills its cell may reach in from the left.
  const before = (-WIDTH - offset) / cell - (levels === 'alike' ? 1 : 0);
  for (let i = firstFrom(marks.cell, first, end, before); i < end; i += 1) {
    const x = Math.floor(offset + marks.cell[i]! * cell);
    if (x > width) break;
    const count = marks.count[i]!;
    const here = levels === 'alike' ? 0 : count > DENSE ? 3 : count > SEVERAL ? 2 : count > 1 ? 1 : 0;
    // The denser of two marks that overlap keeps its place.
    // Cells wider than a mark are filled.
    const until = levels === 'alike' ? Math.max(x + WIDE, Math.ceil(offset + (marks.cell[i]! + 1) * cell)) : x + WIDTH;
    if (x <= to && here === level) {
      to = until;
      continue;
    }
    const start = x < to && here < level ? to : x;
    if (until <= start) continue;
    to = Math.min(to, start);
    flush();
    [from, to, level] = [start, until, here];
  }
  flush();
}

/**
 * Cuts marks to the shapes of a row: what is between two slices belongs to neither. A mark of a shape narrower than a mark keeps
 * its width, and so does one without a shape below it.
 */
export function withinShapes(shapes: SliceColumns, row: Range, { offset, scale }: Transform, put: PutMark): PutMark {
  return (x, width, level) => {
    const until = x + width;
    let from = Number.NaN;
    let to = Number.NaN;
    for (let i = firstEndingAfter(shapes.end, row, (x - offset) / scale); i < row.end; i += 1) {
      const left = offset + shapes.start[i]! * scale;
      if (left >= until) break;
      const right = offset + shapes.end[i]! * scale;
      const start = Math.max(x, left);
      const end = Math.min(until, Math.max(start + WIDE, right - (right - left > WIDE ? 1 : 0)));
      if (end <= start) continue;
      if (start - to < 1) {
        to = Math.max(to, end);
        continue;
      }
      if (to > from) put(from, to - from, level);
      [from, to] = [start, end];
    }
    if (to > from) put(from, to - from, level);
    else put(x, Math.min(width, WIDE), level);
  };
}

/** Index of the first cell from `from` on. */
function firstFrom(cells: Uint32Array, first: number, end: number, from: number): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cells[middle]! >= from) high = middle;
    else low = middle + 1;
  }
  return low;
}
