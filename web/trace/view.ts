import type { Ticks } from '../base/protocol.ts';
import { distance, powerOfTwoAbove, ticks } from '../base/ticks.ts';

/**
 * The part of the x axis on the screen.
 *
 * `anchor` is the tick at the left edge, negative if the edge lies before the axis. `fraction` (0 to 1) is the distance
 * of the edge into that tick. Every pan and zoom moves the anchor. Distances from it to positions near the screen are
 * therefore small and exact, however large the positions are.
 */
export interface View {
  readonly anchor: bigint;
  readonly fraction: number;
  /** Ticks per CSS pixel, above 0. */
  readonly perPixel: number;
}

/** From the first to the last position. */
export interface Extent {
  readonly from: Ticks;
  readonly to: Ticks;
}

/** CSS pixels of a tick at the closest zoom. */
const MAX_TICK_PIXELS = 200;
/** CSS pixels below which a view has not moved: rounding makes as much. */
const LEAST_SHIFT = 1e-3;

/** The length of an extent in ticks, at least 1. */
export function extentLength(extent: Extent): bigint {
  return extent.to > extent.from ? extent.to - extent.from : 1n;
}

/** The least extent that contains both. */
export function united(a: Extent, b: Extent | null): Extent {
  if (!b) return a;
  return { from: a.from < b.from ? a.from : b.from, to: a.to > b.to ? a.to : b.to };
}

/** The extent with its length rounded up to a power of two, so that its view changes rarely while the extent grows. */
export function roundedUp(extent: Extent): Extent {
  return { from: extent.from, to: ticks(extent.from + powerOfTwoAbove(extentLength(extent))) };
}

/** A view of an extent, `width` CSS pixels wide with a `margin` on either side. A tiny extent is centred. */
export function fitted(extent: Extent, width: number, margin: number): View {
  const inner = Math.max(1, width - 2 * margin);
  const length = Number(extentLength(extent));
  const perPixel = Math.max(length / inner, 1 / MAX_TICK_PIXELS);
  const spare = Math.max(0, (inner - length / perPixel) / 2);
  return moved({ anchor: extent.from, fraction: 0, perPixel }, -margin - spare);
}

/** The place of a position, in CSS pixels from the left edge. */
export function toPixel(view: View, at: bigint): number {
  return (distance(at, view.anchor) - view.fraction) / view.perPixel;
}

/** The tick at a CSS pixel from the left edge, possibly negative. */
export function toTick(view: View, x: number): bigint {
  return view.anchor + BigInt(Math.floor(view.fraction + x * view.perPixel));
}

/**
 * The positions between two CSS pixels in either order, including both their ticks, clipped to the extent. `to` is
 * exclusive. Returns null if the clipped range is empty.
 */
export function rangeBetween(view: View, extent: Extent, a: number, b: number): Extent | null {
  const from = toTick(view, Math.min(a, b));
  const to = toTick(view, Math.max(a, b)) + 1n;
  const first = from > extent.from ? from : extent.from;
  const last = to < extent.to ? to : extent.to;
  return last > first ? { from: ticks(first), to: ticks(last) } : null;
}

/** The view moved right by `pixels` CSS pixels. */
export function moved(view: View, pixels: number): View {
  const offset = view.fraction + pixels * view.perPixel;
  const whole = Math.floor(offset);
  return { anchor: view.anchor + BigInt(whole), fraction: offset - whole, perPixel: view.perPixel };
}

/** How far views go: to the ends of an extent, with a `margin` of CSS pixels beyond them on a screen of `width`. */
export interface Bounds {
  readonly extent: Extent;
  readonly width: number;
  readonly margin: number;
}

/** The view with `factor` times as many ticks per pixel. The position at the CSS pixel `x` stays there, if the bounds allow it. */
export function zoomed(view: View, x: number, factor: number, bounds: Bounds): View {
  const perPixel = clampScale(view.perPixel * factor, bounds);
  const scale = perPixel / view.perPixel;
  return clamped(moved({ ...view, perPixel }, x / scale - x), bounds);
}

/** The view scaled and moved as far as needed to show nothing beyond its bounds. A tiny extent is centred. */
export function clamped(view: View, bounds: Bounds): View {
  const { extent, width, margin } = bounds;
  const sized = { ...view, perPixel: clampScale(view.perPixel, bounds) };
  const before = toPixel(sized, extent.from) - margin;
  const after = width - margin - toPixel(sized, extent.to);
  // The ends leave more room than there is to either side.
  if (before + after >= 0) return shifted(sized, (before - after) / 2);
  if (before > 0) return shifted(sized, before);
  return after > 0 ? shifted(sized, -after) : sized;
}

/** The view moved, unless that would change nothing but the last digits. */
function shifted(view: View, pixels: number): View {
  return Math.abs(pixels) < LEAST_SHIFT ? view : moved(view, pixels);
}

/** The view between two others, `t` from 0 to 1. The scale changes by equal ratios, so that a zoom looks steady. */
export function between(a: View, b: View, t: number): View {
  if (t >= 1) return b;
  const ratio = b.perPixel / a.perPixel;
  const scale = ratio ** t;
  // The edges move in step with the scale, which keeps the fixed point of the zoom in place.
  const part = Math.abs(ratio - 1) < 1e-6 ? t : (scale - 1) / (ratio - 1);
  const shift = (distance(b.anchor, a.anchor) + b.fraction - a.fraction) * part;
  const perPixel = a.perPixel * scale;
  return moved({ ...a, perPixel }, shift / perPixel);
}

/** Whether two views are equal. */
export function sameView(a: View, b: View): boolean {
  return a.anchor === b.anchor && a.fraction === b.fraction && a.perPixel === b.perPixel;
}

function clampScale(perPixel: number, { extent, width, margin }: Bounds): number {
  return Math.min(fitted(extent, width, margin).perPixel, Math.max(1 / MAX_TICK_PIXELS, perPixel));
}
