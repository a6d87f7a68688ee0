import { DERIVED, MANY, type Ticks } from '../base/protocol.ts';
import { distance, ticks } from '../base/ticks.ts';
import { instantAt, type Picture, rectAt, valueAt } from '../trace/picture.ts';
import type { Pointed } from '../trace/pointed.ts';
import { formatReading, readingOf } from '../trace/tracks.ts';
import type { View } from '../trace/view.ts';
import { INSTANT_LANE, type LaidTrack, type Layout, trackAt } from './layout.ts';

/** CSS pixels within which the pointer hits a slice, and an instant. */
const SLACK = 2;
const INSTANT_SLACK = 6;

/** What is at `x` from the left edge of the view and `y` from the top of the layout (CSS pixels), or null. */
export function pointAt(picture: Picture, layout: Layout, view: View, x: number, y: number): Pointed | null {
  const laid = trackAt(layout, y);
  if (!laid) return null;
  const at = distance(view.anchor, picture.origin) + view.fraction + x * view.perPixel;
  const inner = y - laid.top;
  if (laid.instants >= 0 && inner >= laid.instants && inner < laid.instants + INSTANT_LANE) {
    const i = instantAt(picture.instants, picture.lane(laid.track.id), at, INSTANT_SLACK * view.perPixel);
    return i < 0 ? null : instantOf(picture, i);
  }
  if (laid.graph >= 0) return counterAt(picture, laid, at);
  const rowAt = Math.floor((inner - laid.slices) / laid.rowHeight);
  // What is drawn below the rows is about the slices above it, as pictures are about frames.
  const row = laid.below > 0 ? Math.min(rowAt, laid.rows - 1) : rowAt;
  if (row < 0 || row >= laid.rows) return null;
  const i = rectAt(picture.rects, picture.row(laid.track.id, laid.track.lowest + row), at, SLACK * view.perPixel);
  return i < 0 ? null : sliceOf(picture, i);
}

/** A step of the selection by keyboard. */
export type Step = 'next' | 'previous' | 'caller' | 'callee';

/**
 * The first single slice on the screen, preferably of a thread, as the start for the keyboard. `width` is in CSS
 * pixels. Returns null if there is none.
 */
export function firstSlice(picture: Picture, layout: Layout, view: View, width: number): Pointed | null {
  const from = distance(view.anchor, picture.origin) + view.fraction;
  const to = from + width * view.perPixel;
  const own = layout.tracks.filter(({ track }) => track.id < DERIVED);
  const lanesLast = own.sort((a, b) => rank(a) - rank(b));
  for (const laid of lanesLast) {
    for (let row = 0; row < laid.rows; row += 1) {
      const range = picture.row(laid.track.id, laid.track.lowest + row);
      for (let i = range.first; i < range.end && picture.rects.start[i]! <= to; i += 1) {
        if (picture.rects.end[i]! >= from && picture.rects.index[i] !== MANY) return sliceOf(picture, i);
      }
    }
  }
  return null;
}

/** Lanes rank last: their slices have no callers or callees. */
function rank({ track }: LaidTrack): number {
  return track.kind === 'lane' ? 1 : 0;
}

function sliceOf(picture: Picture, i: number): Pointed {
  const { rects } = picture;
  const track = rects.track[i]!;
  const depth = rects.depth[i]!;
  const index = rects.index[i]!;
  return {
    item: index === MANY ? null : { kind: 'slice', track, depth, index },
    track,
    depth,
    name: rects.name[i]!,
    start: at(picture, rects.start[i]!),
    end: at(picture, rects.end[i]!),
    flags: rects.flags[i]!,
    many: 1,
    reading: null,
  };
}

function instantOf(picture: Picture, i: number): Pointed {
  const { instants } = picture;
  const track = instants.track[i]!;
  return {
    item: { kind: 'instant', track, index: instants.index[i]! },
    track,
    depth: 0,
    name: instants.name[i]!,
    start: at(picture, instants.time[i]!),
    end: null,
    flags: 0,
    many: instants.many[i]!,
    reading: null,
  };
}

function counterAt(picture: Picture, { track }: LaidTrack, place: number): Pointed | null {
  const { counters } = picture;
  const range = picture.values(track.id);
  const i = valueAt(counters, range, place);
  if (i < 0) return null;
  const text = (of: number) => formatReading(readingOf(counters.bits[3 * i + of]!, track.values), track);
  return {
    item: null,
    track: track.id,
    depth: 0,
    name: -1,
    start: at(picture, counters.time[i]!),
    end: i + 1 < range.end ? at(picture, counters.time[i + 1]!) : null,
    flags: 0,
    many: 1,
    reading: { value: text(2), min: text(0), max: text(1) },
  };
}

function at(picture: Picture, offset: number): Ticks {
  return ticks(picture.origin + BigInt(Math.round(offset)));
}
