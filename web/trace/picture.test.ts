import { describe, expect, it } from 'vitest';
import { MANY } from '../base/protocol.ts';
import { MAX_TICKS, ticks } from '../base/ticks.ts';
import type { PictureAnswer } from '../base/trace_protocol.ts';
import { aTrack } from '../base/track.fixture.ts';
import { layOut } from '../timeline/layout.ts';
import { firstSlice, pointAt } from '../timeline/pointing.ts';
import { covers, instantAt, pictureOf, questionOf, type Rows, rectAt, stepOf, valueAt } from './picture.ts';
import { pointedOf } from './pointed.ts';
import { fitted, moved, zoomed } from './view.ts';

const BASE = 1_800_000_000_000_000_000n;
const EXTENT = { from: ticks(BASE), to: ticks(BASE + 1_000_000n) };
const WIDTH = 1000;
const ROWS_OF = (track: number, first = 0, end = 1): Rows => ({ track, first, end });
const TRACKS = [ROWS_OF(1, -1, 5), ROWS_OF(2)];
const view = fitted(EXTENT, WIDTH, 0);

type Rect = readonly [track: number, depth: number, start: number, end: number, name: number, index: number];

function picture(
  rows: readonly Rect[],
  times: readonly number[] = [],
  values: readonly (readonly [time: number, value: number])[] = [],
) {
  const column = (at: number) => rows.map((row) => row[at]!);
  const reply: PictureAnswer = {
    origin: ticks(BASE),
    from: ticks(0n),
    to: ticks(0n),
    step: 1n,
    complete: true,
    visited: 0,
    rects: {
      count: rows.length,
      track: Uint32Array.from(column(0)),
      depth: Int32Array.from(column(1)),
      start: Float64Array.from(column(2)),
      end: Float64Array.from(column(3)),
      name: Uint32Array.from(column(4)),
      index: Uint32Array.from(column(5)),
      fill: new Uint8Array(rows.length).fill(255),
      flags: new Uint8Array(rows.length),
    },
    instants: {
      count: times.length,
      track: new Uint32Array(times.length).fill(1),
      time: Float64Array.from(times),
      name: new Uint32Array(times.length),
      index: Uint32Array.from(times.keys()),
      many: new Uint32Array(times.length).fill(1),
    },
    counters: {
      count: values.length,
      track: new Uint32Array(values.length).fill(3),
      time: Float64Array.from(values, ([time]) => time),
      min: Float64Array.from(values, ([, value]) => value - 1),
      max: Float64Array.from(values, ([, value]) => value + 1),
      last: Float64Array.from(values, ([, value]) => value),
      bits: BigUint64Array.from(values.flatMap(([, value]) => [value - 1, value + 1, value].map(BigInt))),
    },
  };
  return pictureOf(reply, questionOf(view, WIDTH, TRACKS));
}

const ROWS: readonly Rect[] = [
  [1, -1, 0, 900_000, 9, 0],
  [1, 0, 0, 100_000, 1, 0],
  [1, 0, 100_000, 100_400, 2, MANY],
  [1, 0, 200_000, 400_000, 3, 2],
  [2, 0, 5, 6, 4, 0],
];

describe('a query', () => {
  it('spans three widths, aligned to steps of at most a pixel', () => {
    const asked = questionOf(view, WIDTH, TRACKS);
    expect(asked.step).toBe(512n);
    expect(asked.from % asked.step).toBe(0n);
    expect(asked.to % asked.step).toBe(0n);
    expect(asked.from).toBeLessThanOrEqual(BASE - 1_000_000n);
    expect(asked.to).toBeGreaterThanOrEqual(BASE + 2_000_000n);
  });
  it('stays within 64 bits at either end', () => {
    const low = questionOf(fitted({ from: ticks(0n), to: ticks(100n) }, WIDTH, 0), WIDTH, TRACKS);
    expect([low.from, low.step]).toEqual([0n, 1n]);
    const high = questionOf(fitted({ from: ticks(MAX_TICKS - 5000n), to: MAX_TICKS }, WIDTH, 0), WIDTH, TRACKS);
    expect(high.to).toBe(MAX_TICKS);
  });
  it('covers views within it until they near the edge, change the step or need another track', () => {
    const shown = picture(ROWS);
    const [one, two] = TRACKS as [Rows, Rows];
    expect(covers(shown, view, WIDTH, [one, two])).toBe(true);
    expect(covers(shown, moved(view, 700), WIDTH, [one])).toBe(true);
    expect(covers(shown, moved(view, 800), WIDTH, [one])).toBe(false);
    expect(covers(shown, moved(view, 800), WIDTH, [one], 0)).toBe(true);
    expect(covers(shown, zoomed(view, 0, 0.5, { extent: EXTENT, width: WIDTH, margin: 0 }), WIDTH, [one])).toBe(false);
    expect(covers(shown, view, WIDTH, [ROWS_OF(3)])).toBe(false);
    expect(stepOf({ ...view, perPixel: 0.01 })).toBe(1n);
  });
  it('does not cover rows that it left out', () => {
    const shown = picture(ROWS);
    expect(covers(shown, view, WIDTH, [ROWS_OF(1, 2, 5)])).toBe(true);
    expect(covers(shown, view, WIDTH, [ROWS_OF(1, 2, 6)])).toBe(false);
    expect(covers(shown, view, WIDTH, [ROWS_OF(1, -2, 3)])).toBe(false);
    expect([...questionOf(view, WIDTH, TRACKS).depths]).toEqual([-1, 5, 0, 1]);
  });
});

describe('a picture', () => {
  const shown = picture(ROWS, [10, 500, 900_000]);
  it('indexes its rows, also those at negative depths', () => {
    expect(shown.row(1, -1)).toEqual({ first: 0, end: 1 });
    expect(shown.row(1, 0)).toEqual({ first: 1, end: 4 });
    expect(shown.row(2, 0)).toEqual({ first: 4, end: 5 });
    expect(shown.row(2, 7)).toEqual({ first: 0, end: 0 });
    expect(shown.lane(1)).toEqual({ first: 0, end: 3 });
  });
  it('finds the rectangle under the pointer, or else the nearest', () => {
    const row = shown.row(1, 0);
    expect(rectAt(shown.rects, row, 50_000, 2000)).toBe(1);
    expect(rectAt(shown.rects, row, 101_000, 2000)).toBe(2);
    expect(rectAt(shown.rects, row, 199_000, 2000)).toBe(3);
    expect(rectAt(shown.rects, row, 150_000, 2000)).toBe(-1);
  });
  it('prefers a slice to a rectangle that stands for many', () => {
    expect(rectAt(shown.rects, shown.row(1, 0), 100_000, 2000)).toBe(1);
  });
  it('finds a slice without duration within its mark, also between others', () => {
    const marks = picture([
      [1, 0, 0, 500, 1, 0],
      [1, 0, 500, 500, 2, 1],
      [1, 0, 500, 900, 1, 2],
    ]);
    const row = marks.row(1, 0);
    expect(rectAt(marks.rects, row, 499, 2)).toBe(0);
    expect(rectAt(marks.rects, row, 500, 2)).toBe(1);
    expect(rectAt(marks.rects, row, 501, 2)).toBe(1);
    expect(rectAt(marks.rects, row, 502, 2)).toBe(2);
  });
  it('finds the nearest instant', () => {
    expect(instantAt(shown.instants, shown.lane(1), 300, 6000)).toBe(1);
    expect(instantAt(shown.instants, shown.lane(1), 450_000, 6000)).toBe(-1);
  });
});

describe('a counter', () => {
  const shown = picture(
    [],
    [],
    [
      [-500, 7],
      [200_000, 9],
    ],
  );
  const layout = layOut([
    {
      id: 3,
      parent: -1,
      kind: 'counter',
      name: '',
      detail: '',
      rows: 0,
      lowest: 0,
      slices: 0,
      instants: 0,
      samples: 2,
      highest: 10,
      lowestValue: 0,
      values: 'unsigned',
      overlapping: false,
      reordering: false,
    },
  ]);
  it('holds a value until the next, also from before the window', () => {
    const range = shown.values(3);
    expect(range).toEqual({ first: 0, end: 2 });
    expect([-501, -500, 199_999, 200_000, 9e9].map((at) => valueAt(shown.counters, range, at))).toEqual([
      -1, 0, 0, 1, 1,
    ]);
  });
  it('returns the value under the pointer, without an item', () => {
    const found = pointAt(shown, layout, view, 100, 20)!;
    expect(found.item).toBeNull();
    expect(found.reading).toEqual({ value: '7', min: '6', max: '8' });
    expect(found.end).toBe(BASE + 200_000n);
    expect(pointAt(shown, layout, view, 900, 20)!.end).toBeNull();
  });
});

describe('pointing', () => {
  const shown = picture(ROWS, [500_000]);
  const layout = layOut(
    [1, 2].map((id) =>
      aTrack({
        id,
        kind: 'thread' as const,
        name: '',
        rows: 2,
        lowest: id === 1 ? -1 : 0,
        slices: 1,
        instants: id === 1 ? 1 : 0,
      }),
    ),
  );
  const laid = layout.tracks[0]!;
  it('returns the slice with its absolute position', () => {
    const found = pointAt(shown, layout, view, 300, laid.slices + 17 + 8)!;
    expect(found.item).toEqual({ kind: 'slice', track: 1, depth: 0, index: 2 });
    expect(found.start).toBe(BASE + 200_000n);
    expect(found.end).toBe(BASE + 400_000n);
  });
  it('returns the slice of a compact track', () => {
    const compact = layOut(
      layout.tracks.map(({ track }) => track),
      { compact: { all: true, except: new Set() } },
    );
    const { slices, rowHeight } = compact.tracks[0]!;
    const found = pointAt(shown, compact, view, 300, slices + rowHeight + 3)!;
    expect(found.item).toEqual({ kind: 'slice', track: 1, depth: 0, index: 2 });
  });
  it('returns the slice above what is drawn below it', () => {
    const tracks = layout.tracks.map(({ track }) => track);
    const y = laid.slices + 2 * 17 + 20;
    expect(pointAt(shown, layOut(tracks, { below: { track: 1, pixels: 50 } }), view, 300, y)!.item).toMatchObject({
      index: 2,
    });
    expect(pointAt(shown, layout, view, 300, y)).toBeNull();
  });
  it('returns the instant, and no item for many slices', () => {
    expect(pointAt(shown, layout, view, 501, laid.instants + 8)!.item).toEqual({ kind: 'instant', track: 1, index: 0 });
    expect(pointAt(shown, layout, view, 101, laid.slices + 17 + 8)!.item).toBeNull();
    expect(pointAt(shown, layout, view, 700, laid.slices + 17 + 8)).toBeNull();
  });
  it('finds the first slice of a thread on the screen', () => {
    const first = firstSlice(shown, layout, view, WIDTH)!;
    expect(first.name).toBe(9);
    const found = { item: first.item!, name: 9, start: first.start, end: first.end, flags: 0 };
    expect(pointedOf(found)).toEqual(first);
  });
});
