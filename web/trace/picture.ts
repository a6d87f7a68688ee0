import type { ReadonlySignal } from '@preact/signals';
import { type Counters, type Instants, MANY, type Overview, type Rects, type Ticks } from '../base/protocol.ts';
import { ceilTo, floorTo, MAX_TICKS, powerOfTwoBelow, ticks } from '../base/ticks.ts';
import type { PictureAnswer, PictureQuestion } from '../base/trace_protocol.ts';
import { toTick, type View } from './view.ts';

/** A range of indices into the columns of a picture; `end` is exclusive. */
export interface Range {
  readonly first: number;
  readonly end: number;
}

/** What is on the screen of a trace. */
export interface OnScreen {
  /** null until the extent and the size are known. */
  readonly view: ReadonlySignal<View | null>;
  readonly picture: ReadonlySignal<Picture | null>;
  readonly overview: ReadonlySignal<Overview | null>;
}

/** The reply to a query: rectangles, instants and counters, indexed by row. */
export interface Picture {
  readonly origin: Ticks;
  readonly from: Ticks;
  readonly to: Ticks;
  readonly step: bigint;
  readonly complete: boolean;
  /** The query. */
  readonly asked: Question;
  readonly rects: Rects;
  readonly instants: Instants;
  readonly counters: Counters;
  /** Whether the query asked for these rows. */
  has(rows: Rows): boolean;
  /** The rectangles of a track at a signed depth. */
  row(track: number, depth: number): Range;
  /** The instants of a track. */
  lane(track: number): Range;
  /** The values of a counter. */
  values(track: number): Range;
}

/**
 * Rows of a track at signed depths from `first` up to but not including `end`. Instants and values are always included.
 */
export interface Rows {
  readonly track: number;
  readonly first: number;
  readonly end: number;
}

/** The lowest depth. */
export const LOWEST = -0x8000_0000;
/** Above the highest depth. */
export const HIGHEST = 0x7fff_ffff;

/** A query: a window, a step and rows. */
export type Question = PictureQuestion;

const NOTHING: Range = { first: 0, end: 0 };

/** The step for a view: the largest power of two that is at most one CSS pixel. */
export function stepOf(view: View): bigint {
  return powerOfTwoBelow(view.perPixel);
}

/** The query for a view of `width` CSS pixels and as much again on either side, aligned to steps. */
export function questionOf(view: View, width: number, rows: readonly Rows[]): Question {
  const step = stepOf(view);
  const from = ticks(floorTo(ticks(toTick(view, -width)), step));
  const to = ticks(ceilTo(ticks(toTick(view, 2 * width) + 1n), step));
  const tracks = Uint32Array.from(rows, ({ track }) => track);
  const depths = Int32Array.from(rows.flatMap(({ first, end }) => [first, end]));
  return { from, to: to > from ? to : MAX_TICKS, step, tracks, depths };
}

/**
 * Whether a picture shows all of a view and its rows at the right step, with `reserve` CSS pixels to spare on either
 * side.
 */
export function covers(
  picture: Picture,
  view: View,
  width: number,
  rows: Iterable<Rows>,
  reserve: number = width / 4,
): boolean {
  if (picture.step !== stepOf(view)) return false;
  if (picture.from > ticks(toTick(view, -reserve)) || picture.to < ticks(toTick(view, width + reserve))) return false;
  for (const needed of rows) if (!picture.has(needed)) return false;
  return true;
}

/** Indexes the worker's reply to a question by row. */
export function pictureOf(reply: PictureAnswer, question: Question): Picture {
  const rows = new Map<number, Map<number, Range>>();
  const { rects, instants, counters } = reply;
  for (let first = 0; first < rects.count; ) {
    const track = rects.track[first]!;
    const depth = rects.depth[first]!;
    let end = first + 1;
    while (end < rects.count && rects.track[end] === track && rects.depth[end] === depth) end += 1;
    let columns = rows.get(track);
    if (!columns) {
      columns = new Map();
      rows.set(track, columns);
    }
    columns.set(depth, { first, end });
    first = end;
  }
  const known = new Map<number, Range>();
  question.tracks.forEach((track, i) => {
    known.set(track, { first: question.depths[2 * i]!, end: question.depths[2 * i + 1]! });
  });
  const lanes = rangesByTrack(instants.track, instants.count);
  const values = rangesByTrack(counters.track, counters.count);
  return {
    origin: reply.origin,
    from: question.from,
    to: question.to,
    step: question.step,
    complete: reply.complete,
    asked: question,
    rects,
    instants,
    counters,
    has: ({ track, first, end }) => {
      const rows = known.get(track);
      return rows !== undefined && rows.first <= first && rows.end >= end;
    },
    row: (track, depth) => rows.get(track)?.get(depth) ?? NOTHING,
    lane: (track) => lanes.get(track) ?? NOTHING,
    values: (track) => values.get(track) ?? NOTHING,
  };
}

/** The range of each track in a column sorted by track. */
function rangesByTrack(column: Uint32Array, count: number): Map<number, Range> {
  const found = new Map<number, Range>();
  for (let first = 0; first < count; ) {
    const track = column[first]!;
    let end = first + 1;
    while (end < count && column[end] === track) end += 1;
    found.set(track, { first, end });
    first = end;
  }
  return found;
}

/**
 * Index of the first of a row's rectangles that ends after `at` (ticks relative to the origin), or the end of the
 * range.
 */
export function firstEndingAfter(ends: Float64Array, range: Range, at: number): number {
  let low = range.first;
  let high = range.end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Index of the rectangle of a row within `slack` of `at`, or -1. Both are ticks; `at` is relative to the origin. A
 * rectangle that contains `at` wins over a near one, and a slice over a rectangle that stands for many. A slice without
 * duration is drawn as a mark `slack` wide and wins within the mark.
 */
export function rectAt(rects: Rects, range: Range, at: number, slack: number): number {
  let best = -1;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (let i = firstEndingAfter(rects.end, range, at - slack); i < range.end; i += 1) {
    const start = rects.start[i]!;
    if (start > at + slack) break;
    const end = rects.end[i]!;
    const marked = start === end && at >= start && at < start + slack;
    const distance = marked ? -1 : Math.max(start - at, at - end, 0);
    const better = distance < bestDistance || (distance === bestDistance && rects.index[best] === MANY);
    if (best < 0 || better) {
      best = i;
      bestDistance = distance;
    }
  }
  return best;
}

/** Index of the instant of a lane nearest to `at`, within `slack` ticks, or -1. */
export function instantAt(instants: Instants, range: Range, at: number, slack: number): number {
  let best = -1;
  let bestDistance = slack;
  let i = firstEndingAfter(instants.time, range, at - slack);
  for (; i < range.end && instants.time[i]! <= at + slack; i += 1) {
    const distance = Math.abs(instants.time[i]! - at);
    if (distance <= bestDistance) {
      best = i;
      bestDistance = distance;
    }
  }
  return best;
}

/** Index of the value of a counter that holds at `at` (ticks relative to the origin), or -1 before the first one. */
export function valueAt(counters: Counters, range: Range, at: number): number {
  const next = firstEndingAfter(counters.time, range, at);
  return next > range.first ? next - 1 : -1;
}
