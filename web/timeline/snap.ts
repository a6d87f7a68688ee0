import { MANY, type Ticks } from '../base/protocol.ts';
import { distance, ticks } from '../base/ticks.ts';
import { firstEndingAfter, type Picture } from '../trace/picture.ts';
import { type Extent, toTick, type View } from '../trace/view.ts';
import { INSTANT_LANE, type Layout, SLICE_ROW, trackAt } from './layout.ts';

/** CSS pixels within which an edge of a range snaps. */
const REACH = 7;

/** An edge of a range. */
export interface Edge {
  readonly at: bigint;
  /** It is exactly at the edge of something. Otherwise it is somewhere in the tick. */
  readonly snapped: boolean;
}

/** The edge of a range at `x` from the left edge of the view (CSS pixels), without snapping. */
export function edgeAt(view: View, x: number): Edge {
  return { at: toTick(view, x), snapped: false };
}

/**
 * The edge of a range at `x` from the left edge of the view and `y` from the top of the layout (CSS pixels): at the nearest
 * begin or end of what the row at `y` shows, if that is within a few pixels.
 */
export function snappedEdge(picture: Picture | null, layout: Layout, view: View, x: number, y: number): Edge {
  const near = picture && nearest(picture, layout, view, x, y);
  return near === null ? edgeAt(view, x) : { at: near, snapped: true };
}

/** The range between two edges in either order, clipped to the extent; `to` is exclusive. null if it is empty. */
export function rangeOf(a: Edge, b: Edge, extent: Extent): Extent | null {
  const [low, high] = a.at <= b.at ? [a, b] : [b, a];
  // The tick of an edge that is somewhere belongs to the range.
  const to = high.snapped ? high.at : high.at + 1n;
  const first = low.at > extent.from ? low.at : extent.from;
  const last = to < extent.to ? to : extent.to;
  return last > first ? { from: ticks(first), to: ticks(last) } : null;
}

function nearest(picture: Picture, layout: Layout, view: View, x: number, y: number): Ticks | null {
  const laid = trackAt(layout, y);
  if (!laid) return null;
  const at = distance(view.anchor, picture.origin) + view.fraction + x * view.perPixel;
  const reach = REACH * view.perPixel;
  let best: number | null = null;
  const consider = (edge: number) => {
    const away = Math.abs(edge - at);
    if (away <= reach && (best === null || away < Math.abs(best - at))) best = edge;
  };
  const inner = y - laid.top;
  if (laid.instants >= 0 && inner >= laid.instants && inner < laid.instants + INSTANT_LANE) {
    const { time } = picture.instants;
    const lane = picture.lane(laid.track.id);
    for (let i = firstEndingAfter(time, lane, at - reach); i < lane.end && time[i]! <= at + reach; i += 1) {
      consider(time[i]!);
    }
  } else {
    const row = Math.floor((inner - laid.slices) / SLICE_ROW);
    if (row < 0 || row >= laid.rows) return null;
    const { rects } = picture;
    const range = picture.row(laid.track.id, laid.track.lowest + row);
    for (
      let i = firstEndingAfter(rects.end, range, at - reach);
      i < range.end && rects.start[i]! <= at + reach;
      i += 1
    ) {
      // The edges of a rectangle that stands for many slices are those of pixels.
      if (rects.index[i] === MANY) continue;
      consider(rects.start[i]!);
      consider(rects.end[i]!);
    }
  }
  return best === null ? null : ticks(picture.origin + BigInt(Math.round(best)));
}
