import type { Ticks } from '../base/protocol.ts';
import { distance, powerOfTwoAbove, ticks } from '../base/ticks.ts';

/**
 * The part of the x axis that is on the screen.
 *
 * `anchor` is the tick at the left edge (below 0 when the edge lies before the axis) and `fraction` (0 to 1) how far into
 * it the edge is. The anchor moves along with every pan and zoom, so that everything near the screen is a small, exact
 * distance from it, however large the positions themselves are.
 */
export interface View {
  readonly anchor: bigint;
  readonly fraction: number;
  /** Ticks a CSS pixel, above 0. */
  readonly perPixel: number;
}

/** From the first to the last position, both part of it. */
export interface Extent {
  readonly from: Ticks;
  readonly to: Ticks;
}

/** The closest look: a tick is this many CSS pixels wide. */
const MAX_TICK_PIXELS = 200;

/** How many ticks an extent is long, at least 1. */
export function extentLength(extent: Extent): bigint {
  return extent.to > extent.from ? extent.to - extent.from : 1n;
}

/** The extent made a power of two long, so that a view of it changes seldom while the extent grows. */
export function roundedUp(extent: Extent): Extent {
  return { from: extent.from, to: ticks(extent.from + powerOfTwoAbove(extentLength(extent))) };
}

/** A view of the whole extent with `margin` CSS pixels free on either side, in the middle when it is tiny. */
export function fitted(extent: Extent, width: number, margin: number): View {
  const inner = Math.max(1, width - 2 * margin);
  const length = Number(extentLength(extent));
  const perPixel = Math.max(length / inner, 1 / MAX_TICK_PIXELS);
  const spare = Math.max(0, (inner - length / perPixel) / 2);
  return moved({ anchor: extent.from, fraction: 0, perPixel }, -margin - spare);
}

/** Where a position is, in CSS pixels from the left edge. */
export function toPixel(view: View, at: bigint): number {
  return (distance(at, view.anchor) - view.fraction) / view.perPixel;
}

/** The tick that a CSS pixel lies in, which may be below 0. */
export function toTick(view: View, x: number): bigint {
  return view.anchor + BigInt(Math.floor(view.fraction + x * view.perPixel));
}

/**
 * The positions between two CSS pixels, in either order: from the one that the first lies in to behind the one that the
 * second lies in, held within the extent. Null when that is nothing.
 */
export function rangeBetween(view: View, extent: Extent, a: number, b: number): Extent | null {
  const from = toTick(view, Math.min(a, b));
  const to = toTick(view, Math.max(a, b)) + 1n;
  const first = from > extent.from ? from : extent.from;
  const last = to < extent.to ? to : extent.to;
  return last > first ? { from: ticks(first), to: ticks(last) } : null;
}

/** The view `pixels` CSS pixels further on. */
export function moved(view: View, pixels: number): View {
  const offset = view.fraction + pixels * view.perPixel;
  const whole = Math.floor(offset);
  return { anchor: view.anchor + BigInt(whole), fraction: offset - whole, perPixel: view.perPixel };
}

/** The view with `factor` times as many ticks a pixel; what is under the CSS pixel `x` stays there. */
export function zoomed(view: View, x: number, factor: number, extent: Extent, width: number): View {
  const perPixel = clampScale(view.perPixel * factor, extent, width);
  const scale = perPixel / view.perPixel;
  return moved({ ...view, perPixel }, x / scale - x);
}

/** The view held near the extent: its middle stays within it. */
export function clamped(view: View, extent: Extent, width: number): View {
  const sized = { ...view, perPixel: clampScale(view.perPixel, extent, width) };
  const left = toPixel(sized, extent.from) - width / 2;
  if (left > 0) return moved(sized, left);
  const right = toPixel(sized, extent.to) - width / 2;
  return right < 0 ? moved(sized, right) : sized;
}

/** The view between two others, `t` from 0 to 1: the scale goes in equal ratios, so that a zoom looks even. */
export function between(a: View, b: View, t: number): View {
  if (t >= 1) return b;
  const ratio = b.perPixel / a.perPixel;
  const scale = ratio ** t;
  // An edge moves in step with the scale, which keeps the point both views have in common at its place.
  const part = Math.abs(ratio - 1) < 1e-6 ? t : (scale - 1) / (ratio - 1);
  const shift = (distance(b.anchor, a.anchor) + b.fraction - a.fraction) * part;
  const perPixel = a.perPixel * scale;
  return moved({ ...a, perPixel }, shift / perPixel);
}

/** Whether two views show the same. */
export function sameView(a: View, b: View): boolean {
  return a.anchor === b.anchor && a.fraction === b.fraction && a.perPixel === b.perPixel;
}

function clampScale(perPixel: number, extent: Extent, width: number): number {
  const closest = 1 / MAX_TICK_PIXELS;
  const widest = Math.max((2 * Number(extentLength(extent))) / Math.max(1, width), closest);
  return Math.min(widest, Math.max(closest, perPixel));
}
