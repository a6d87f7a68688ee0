import type { Instants } from '../../base/protocol.ts';
import { firstEndingAfter, type Range } from '../../trace/picture.ts';
import { INSTANT_LANE } from '../layout.ts';
import type { Pen } from './pen.ts';
import type { Transform } from './renderer.ts';

/** CSS pixels from the middle of an instant to its text, and from the text to the next instant. */
export const AFTER = 8;
/** CSS pixels of half a triangle, beyond which nothing of it is to be seen. */
const MARGIN = 6;
/** CSS pixels between instants below which they merge into one shape. */
const TOUCH = 2;
/** CSS pixels of the shortest run of merged instants that is drawn as a density, and of a cell of that. */
const DENSE_FROM = 24;
const CELL = 3;
/** CSS pixels of the lowest and the highest cell. */
const LOW = 2;
const HIGH = INSTANT_LANE - 4;
/** The opacity below the edge of a density. */
const AREA = 0.35;

/**
 * Visits each instant between 0 and `width` with its place and the room for text after it, in CSS pixels. Returns their
 * number.
 */
export function visibleInstants(
  { time }: Instants,
  range: Range,
  { offset, scale }: Transform,
  width: number,
  visit: (i: number, x: number, room: number) => void,
): number {
  let count = 0;
  for (let i = firstEndingAfter(time, range, (-MARGIN - offset) / scale); i < range.end; i += 1) {
    const x = offset + time[i]! * scale;
    if (x > width + MARGIN) break;
    const next = i + 1 < range.end ? offset + time[i + 1]! * scale : Number.POSITIVE_INFINITY;
    visit(i, x, Math.min(next - AFTER, width) - x - AFTER);
    count += 1;
  }
  return count;
}

/**
 * Draws the instants of a lane whose upper edge is at `top`: a triangle each, and where they touch for longer, how many there are,
 * from the lowest to the highest number in the picture.
 */
export function drawInstants(
  context: Pen,
  instants: Instants,
  range: Range,
  transform: Transform,
  width: number,
  top: number,
  colour: string,
): void {
  const middle = top + INSTANT_LANE / 2;
  const dense: Range[] = [];
  let first = -1;
  let from = Number.NaN;
  let to = Number.NaN;
  context.fillStyle = colour;
  context.beginPath();
  const close = (end: number) => {
    if (first < 0) return;
    if (to - from >= DENSE_FROM) {
      dense.push({ first, end });
      return;
    }
    context.moveTo(from, middle - 5);
    context.lineTo(to, middle - 5);
    context.lineTo(to + 4.5, middle + 4);
    context.lineTo(from - 4.5, middle + 4);
  };
  let last = -1;
  visibleInstants(instants, range, transform, width, (i, x) => {
    if (!(x - to <= TOUCH)) {
      close(i);
      first = i;
      from = x;
    }
    to = x;
    last = i;
  });
  close(last + 1);
  context.fill();
  if (dense.length === 0) return;
  const most = mostOf(instants, range, transform);
  const bottom = top + INSTANT_LANE - 2;
  const steps = dense.flatMap((run) => stepsOf(instants, run, transform, most));
  context.globalAlpha = AREA;
  context.beginPath();
  for (const { x, width, height } of steps) context.rect(x, bottom - height, width, height);
  context.fill();
  context.globalAlpha = 1;
  context.beginPath();
  for (const { x, width, height } of steps) context.rect(x, bottom - height, width, 1);
  context.fill();
}

/** Cells of one height side by side, in CSS pixels. */
interface Step {
  readonly x: number;
  width: number;
  readonly height: number;
}

function stepsOf(instants: Instants, run: Range, { offset, scale }: Transform, most: number): Step[] {
  const steps: Step[] = [];
  forEachCell(instants, run, scale, (cell, count) => {
    const x = offset + cell * CELL;
    // Twice as many are not twice as high: a few must stay visible beside thousands.
    const height = Math.max(LOW, Math.round(HIGH * Math.sqrt(count / most)));
    const last = steps.at(-1);
    if (last?.height === height) last.width = x + CELL - last.x;
    else steps.push({ x, width: CELL, height });
  });
  return steps;
}

/** Visits the cells of some instants with the number of instants in each. Cells stay where they are as the view moves. */
function forEachCell(
  { time, many }: Instants,
  { first, end }: Range,
  scale: number,
  visit: (cell: number, count: number) => void,
): void {
  let cell = Number.NaN;
  let count = 0;
  for (let i = first; i < end; i += 1) {
    const at = Math.floor((time[i]! * scale) / CELL);
    if (at !== cell) {
      if (count > 0) visit(cell, count);
      cell = at;
      count = 0;
    }
    count += many[i]!;
  }
  if (count > 0) visit(cell, count);
}

/** The largest number of instants in a cell, by lane of a picture. It is the same in each frame of a picture and a zoom. */
const known = new WeakMap<Instants, Map<number, { readonly scale: number; readonly most: number }>>();

function mostOf(instants: Instants, range: Range, { scale }: Transform): number {
  const lanes = known.get(instants) ?? new Map<number, { readonly scale: number; readonly most: number }>();
  known.set(instants, lanes);
  const before = lanes.get(range.first);
  if (before?.scale === scale) return before.most;
  let most = 1;
  forEachCell(instants, range, scale, (_, count) => {
    most = Math.max(most, count);
  });
  lanes.set(range.first, { scale, most });
  return most;
}
