import { describe, expect, it } from 'vitest';
import { FLAG_UNCERTAIN, type Track } from '../../base/protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { PictureAnswer } from '../../base/trace_protocol.ts';
import { aTrack } from '../../base/track.fixture.ts';
import { createNames } from '../../trace/names.ts';
import { pictureOf, questionOf } from '../../trace/picture.ts';
import { layOut } from '../layout.ts';
import { ruler } from '../ruler.ts';
import { PALETTES } from './palette.ts';
import type { Renderer } from './renderer.ts';
import { drawMarks, drawShapes, type Scene } from './scene.ts';

const NOTHING = new Uint32Array(0);
const NO_RECTS = {
  count: 0,
  track: NOTHING,
  depth: new Int32Array(0),
  start: new Float64Array(0),
  end: new Float64Array(0),
  name: NOTHING,
  index: NOTHING,
  fill: new Uint8Array(0),
  flags: new Uint8Array(0),
};
const NO_INSTANTS = {
  count: 0,
  track: NOTHING,
  time: new Float64Array(0),
  name: NOTHING,
  index: NOTHING,
  many: NOTHING,
};

function counter(id: number): Track {
  return aTrack({ id, kind: 'counter', name: `counter ${id}`, rows: 0, samples: 2, highest: 9 });
}

const NO_COUNTERS = {
  count: 0,
  track: NOTHING,
  time: new Float64Array(0),
  min: new Float64Array(0),
  max: new Float64Array(0),
  last: new Float64Array(0),
  bits: new BigUint64Array(0),
};

/** A scene of counters; those in `having` have values. */
function scene(counters: readonly number[], having: readonly number[]): Scene {
  const view = { anchor: 0n, fraction: 0, perPixel: 1 };
  const question = questionOf(
    view,
    100,
    counters.map((track) => ({ track, first: 0, end: 0 })),
  );
  const reply: PictureAnswer = {
    origin: ticks(0n),
    ...question,
    complete: true,
    rects: NO_RECTS,
    instants: NO_INSTANTS,
    counters: {
      count: having.length,
      track: Uint32Array.from(having),
      time: new Float64Array(having.length),
      min: new Float64Array(having.length),
      max: new Float64Array(having.length),
      last: new Float64Array(having.length),
      bits: new BigUint64Array(3 * having.length),
    },
    visited: 0,
  };
  return {
    view,
    layout: layOut(counters.map(counter)),
    extent: { from: ticks(0n), to: ticks(100n) },
    window: { scrollTop: 0, pinnedTop: 0, height: 500 },
    width: 100,
    height: 500,
    picture: pictureOf(reply, question),
    names: createNames(),
    palette: PALETTES.dark,
    ruler: ruler(view, 100, 0n, { kind: 'ticks' }),
    lifted: -1,
    selected: null,
    cursor: null,
    marks: null,
    anchor: null,
    hits: null,
    accesses: null,
  };
}

const BLIND: Renderer = {
  resize: () => undefined,
  begin: () => undefined,
  clip: () => undefined,
  rect: () => undefined,
  slices: () => 0,
  graph: () => undefined,
  mark: () => undefined,
  end: () => undefined,
  dispose: () => undefined,
};

describe('the number of shapes', () => {
  it('counts graphs', () => {
    expect(drawShapes(BLIND, scene([1, 2, 3], [1, 3]))).toBe(2);
    expect(drawShapes(BLIND, scene([1, 2, 3], []))).toBe(0);
  });
});

describe('pinned tracks', () => {
  it('are cut off where the others scroll below them', () => {
    const drawn: unknown[] = [];
    const renderer: Renderer = {
      ...BLIND,
      clip: (top, bottom) => drawn.push(['clip', top, bottom]),
      graph: (_, _first, _end, box) => drawn.push(['graph', box.y]),
    };
    const plain = scene([1, 2, 3], [1, 2, 3]);
    const layout = layOut([1, 2, 3].map(counter), { pinned: [3] });
    const { height, graph } = layout.tracks[0]!;
    const window = { scrollTop: 10, pinnedTop: 0, height: 500 };
    expect(drawShapes(renderer, { ...plain, layout, window })).toBe(3);
    expect(drawn).toEqual([
      ['clip', 0, height],
      ['graph', graph],
      ['clip', height, 500],
      ['graph', height + graph - 10],
      ['graph', 2 * height + graph - 10],
    ]);
    drawn.length = 0;
    expect(drawShapes(renderer, plain)).toBe(3);
    expect(drawn.map((of) => (of as unknown[])[0])).toEqual(['graph', 'graph', 'graph']);
  });
});

/** A scene of one slice from 10 to 40 with these flags. */
function sliceWith(flags: number): Scene {
  const bare = scene([], []);
  const question = questionOf(bare.view, 100, [{ track: 1, first: 0, end: 1 }]);
  const picture = pictureOf(
    {
      origin: ticks(0n),
      ...question,
      complete: true,
      rects: {
        count: 1,
        track: Uint32Array.of(1),
        depth: Int32Array.of(0),
        start: Float64Array.of(10),
        end: Float64Array.of(40),
        name: Uint32Array.of(0),
        index: Uint32Array.of(0),
        fill: Uint8Array.of(255),
        flags: Uint8Array.of(flags),
      },
      instants: NO_INSTANTS,
      counters: NO_COUNTERS,
      visited: 1,
    },
    question,
  );
  return { ...bare, layout: layOut([aTrack({ id: 1, slices: 1 })]), picture };
}

/** A canvas context that records the calls that draw dashes. */
function recording(): { context: CanvasRenderingContext2D; dashes: unknown[] } {
  const dashes: unknown[] = [];
  const context = {
    clearRect: () => undefined,
    beginPath: () => undefined,
    setLineDash: (lengths: number[]) => dashes.push(lengths),
    moveTo: (x: number) => dashes.push(`from ${x}`),
    lineTo: (x: number) => dashes.push(`to ${x}`),
    stroke: () => undefined,
    fillText: () => undefined,
  };
  return { context: context as unknown as CanvasRenderingContext2D, dashes };
}

describe('the edges of a slice', () => {
  const fitter = { fitted: () => '' };
  it('are dashed along the top and the bottom when the slice is uncertain', () => {
    const { context, dashes } = recording();
    drawMarks(context, fitter, sliceWith(FLAG_UNCERTAIN));
    expect(dashes).toEqual([[3, 3], 'from 10', 'to 40', 'from 10', 'to 40', []]);
  });
  it('are plain without flags', () => {
    const { context, dashes } = recording();
    drawMarks(context, fitter, sliceWith(0));
    expect(dashes).toEqual([]);
  });
});

describe('the line below a hit', () => {
  const fitter = { fitted: (text: string) => text };
  it('ends with its slice, and is below the letters of its label', () => {
    const filled: number[][] = [];
    const texts: number[] = [];
    const { context } = recording();
    Object.assign(context, {
      fillRect: (...box: number[]) => filled.push(box),
      fillText: (_: string, _x: number, y: number) => texts.push(y),
    });
    const one = sliceWith(0);
    one.names.add(0, ['function'], null);
    const hits = {
      name: -1,
      from: ticks(0n),
      // A cell is wider than the slice.
      step: 64n,
      cell: Uint32Array.of(0),
      count: Uint32Array.of(1),
      row: () => ({ first: 0, end: 1 }),
    };
    drawMarks(context, fitter, { ...one, hits });
    const [[x, y, width, height] = []] = filled;
    expect([x, x! + width!]).toEqual([10, 39]);
    const slice = one.layout.tracks[0]!;
    const bottom = slice.top + slice.slices + slice.rowHeight - 1;
    expect(y! + height!).toBe(bottom);
    // The letters of the font are 11.5 px high, of which 3 px are below the baseline.
    expect(y).toBeGreaterThanOrEqual(texts[0]! + 4);
  });
});
