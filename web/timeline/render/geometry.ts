import { LEVELS } from './palette.ts';
import type { Ink, SliceColumns, Transform } from './renderer.ts';

/** CSS pixels of the narrowest slice with a gap after it. */
const GAP_FROM = 3;
/** CSS pixels of the mark that stands for a slice without duration. */
const MARK = 2;
/** CSS pixels of room on both sides of a slice that stands alone. */
const ALONE = 8;
/** The least cover of the mark of a slice that stands alone: two pixels, painted as much as one. */
const LEAST_COVER = 0.5;

/** The size of a canvas in device pixels, and device pixels per CSS pixel. */
export interface Surface {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

/**
 * Receives a rectangle in device pixels. `style` is colour × {@link LEVELS} + level, an index into the palette's
 * `slices`, or into its `lifted` if `lifted` is true.
 */
export type PutSlice = (
  style: number,
  lifted: boolean,
  left: number,
  top: number,
  width: number,
  height: number,
) => void;

/**
 * Places the slices `first` to `end` of a row on whole device pixels. Both back ends use it, so their pictures are
 * identical. Arguments as in `Renderer.slices`. Returns the number of rectangles.
 */
export function placeSlices(
  columns: SliceColumns,
  first: number,
  end: number,
  y: number,
  height: number,
  transform: Transform,
  ink: Ink,
  surface: Surface,
  put: PutSlice,
  solid = false,
): number {
  const { start, end: ends, name, fill } = columns;
  const { colour, lifted, dims = false } = ink;
  const { ratio, width: right } = surface;
  const scale = transform.scale * ratio;
  const offset = transform.offset * ratio;
  const gapFrom = GAP_FROM * ratio;
  const gap = Math.max(1, Math.round(ratio));
  const mark = Math.max(MARK, Math.round(MARK * ratio));
  const clear = ALONE * ratio;
  const top = Math.round(y * ratio);
  const tall = Math.round((y + height) * ratio) - top;
  let drawn = 0;
  let free = Number.NEGATIVE_INFINITY;
  let exactRight = Number.NEGATIVE_INFINITY;
  for (let i = first; i < end; i += 1) {
    const exactLeft = offset + start[i]! * scale;
    if (exactLeft > right) break;
    const room = exactLeft - exactRight;
    exactRight = offset + ends[i]! * scale;
    let left = Math.max(Math.round(exactLeft), -2);
    let until = Math.min(Math.round(exactRight), right + 2);
    let cover = fill[i]! / 255;
    const isPoint = ends[i] === start[i];
    // Among others, marks would paint more than is covered.
    const isAlone =
      solid &&
      until - left < mark &&
      room >= clear &&
      (i + 1 >= end || offset + start[i + 1]! * scale - exactRight >= clear);
    if (isPoint || isAlone) {
      // Adjacent marks move right by at most their width.
      if (free - left >= mark) continue;
      until = Math.max(left, free) + mark;
      cover = isPoint ? 1 : Math.max(LEAST_COVER, (cover * (exactRight - exactLeft)) / mark);
    } else if (until - left <= 1) {
      until = left + 1;
      cover *= Math.min(1, exactRight - exactLeft);
    } else if (until - left > gapFrom) {
      until -= gap;
    }
    // The first slice keeps a shared pixel. The next one moves right instead of covering it.
    if (left < free) left = free;
    if (until <= left) continue;
    free = until;
    const id = name[i]!;
    const level = Math.min(LEVELS - 1, Math.floor(cover * LEVELS));
    put(colour[id]! * LEVELS + level, id === lifted || (solid && dims), left, top, until - left, tall);
    drawn += 1;
  }
  return drawn;
}

/** A plain rectangle in device pixels, at least one wide and high. */
export function placeRect(
  x: number,
  y: number,
  width: number,
  height: number,
  ratio: number,
): readonly [left: number, top: number, width: number, height: number] {
  const left = Math.round(x * ratio);
  const top = Math.round(y * ratio);
  const wide = Math.max(1, Math.round((x + width) * ratio) - left);
  const tall = Math.max(1, Math.round((y + height) * ratio) - top);
  return [left, top, wide, tall];
}

/** A length in device pixels, at least 1. */
export function devicePixels(length: number, ratio: number): number {
  return Math.max(1, Math.round(length * ratio));
}
