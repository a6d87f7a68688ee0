import type { Marks } from '../model/marks.ts';
import type { Range } from '../model/picture.ts';

/** CSS pixels of a mark. */
const WIDTH = 2;
/** Calls in a cell above which a mark has the colour of the third level, and of the fourth. */
const SEVERAL = 4;
const DENSE = 16;

/** Receives the place of a mark and its level, an index into the palette's `marks`. Lengths are CSS pixels. */
export type PutMark = (x: number, width: number, level: number) => void;

/**
 * Places the marks of a row between 0 and `width`. The first cell begins at `offset`, and a cell is `cell` wide. Marks that
 * touch become one if they have one level, so there are at most half as many as pixels.
 */
export function placeMarks(
  marks: Marks,
  { first, end }: Range,
  offset: number,
  cell: number,
  width: number,
  put: PutMark,
): void {
  let from = 0;
  let to = Number.NEGATIVE_INFINITY;
  let level = -1;
  const flush = () => {
    if (level >= 0 && to > from) put(from, to - from, level);
  };
  for (let i = firstFrom(marks.cell, first, end, (-WIDTH - offset) / cell); i < end; i += 1) {
    const x = Math.floor(offset + marks.cell[i]! * cell);
    if (x > width) break;
    const count = marks.count[i]!;
    const here = count > DENSE ? 3 : count > SEVERAL ? 2 : count > 1 ? 1 : 0;
    // The denser of two marks that overlap keeps its place.
    const until = x + WIDTH;
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
