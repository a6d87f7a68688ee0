import type { Overview } from '../../base/protocol.ts';
import type { AboutMarks } from '../../trace/access_marks.ts';
import type { Marks } from '../../trace/marks.ts';
import type { Names } from '../../trace/names.ts';
import { type PutMark, placeMarks } from './marks.ts';
import { LEVELS, type Palette } from './palette.ts';

/** The place of an overview on its canvas, in CSS pixels. */
export interface OverviewFrame {
  readonly overview: Overview;
  /** Its rows from top to bottom. Others are not drawn. */
  readonly order: readonly number[];
  /** Ticks from its first to its last position. */
  readonly length: number;
  /** The places of its first and last position. */
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** Where the highlighted function is called. */
  readonly marks: Marks | null;
  /** Where the hits of a search are. */
  readonly hits: Marks | null;
  /** Hits of certain kinds, and what is chosen, by kind. */
  readonly accesses: readonly AboutMarks[] | null;
}

/** CSS pixels above and below the rows. */
const PADDING = 5;
/** CSS pixels of the highest mark. */
const MARK = 4;
/** CSS pixels of the tallest row. */
const HIGHEST = 14;

/** Draws the density of each cell in the colour of its dominant name. */
export function drawOverview(canvas: HTMLCanvasElement, frame: OverviewFrame, names: Names, palette: Palette): void {
  const context = canvas.getContext('2d', { alpha: false });
  if (!context) return;
  const { overview, ratio } = frame;
  const wide = Math.max(1, Math.round(frame.width * ratio));
  const tall = Math.max(1, Math.round(frame.height * ratio));
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== tall) canvas.height = tall;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, wide, tall);
  const rows = frame.order.length;
  if (rows === 0 || overview.buckets === 0) return;
  const rowHeight = Math.min(HIGHEST, (frame.height - 2 * PADDING) / rows) * ratio;
  const top = (tall - rowHeight * rows) / 2;
  const left = frame.from * ratio;
  const cell = ((frame.to - frame.from) * ratio) / overview.buckets;
  const gap = rowHeight > 4 * ratio ? Math.round(ratio) : 0;
  for (const [place, row] of frame.order.entries()) {
    const y = Math.round(top + place * rowHeight);
    const height = Math.max(1, Math.round(top + (place + 1) * rowHeight) - y - gap);
    for (let bucket = 0; bucket < overview.buckets; bucket += 1) {
      const at = row * overview.buckets + bucket;
      const density = overview.density[at]!;
      if (density === 0) continue;
      const level = Math.min(LEVELS - 1, (density * LEVELS) >> 8);
      context.fillStyle = palette.slices[names.colour[overview.name[at]!]! * LEVELS + level]!;
      const x = Math.round(left + bucket * cell);
      context.fillRect(x, y, Math.max(1, Math.round(left + (bucket + 1) * cell) - x), height);
    }
    /** `place`: marks of kinds are above one another. */
    const putMarks = (
      marks: Marks | null,
      colourOf: (level: number) => string,
      levels: 'by count' | 'alike',
      place = 0,
    ) => {
      if (!marks) return;
      const tick = (Number(marks.step) / frame.length) * (frame.to - frame.from);
      const tall = Math.max(1, Math.round(Math.min(height / 2, MARK * ratio)));
      const put: PutMark = (x, wide, level) => {
        context.fillStyle = colourOf(level);
        context.fillRect(Math.round(x * ratio), y + height - (place + 1) * tall, Math.round(wide * ratio), tall);
      };
      placeMarks(marks, marks.row(overview.rows[row]!, 0), frame.from, tick, frame.width, put, levels);
    };
    putMarks(frame.marks, (level) => palette.marks[level]!, 'by count');
    for (const [place, { about, marks }] of (frame.accesses ?? []).entries())
      putMarks(marks, () => palette.abouts[about]!, 'alike', place);
    putMarks(frame.hits, () => palette.hit, 'alike', frame.accesses?.length ?? 0);
  }
}
