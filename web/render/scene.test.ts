import { describe, expect, it } from 'vitest';
import type { FromWorker, Track } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import { layOut } from '../model/layout.ts';
import { createNames } from '../model/names.ts';
import { pictureOf, questionOf } from '../model/picture.ts';
import { ruler } from '../model/ruler.ts';
import { PALETTES } from './palette.ts';
import type { Renderer } from './renderer.ts';
import { drawShapes, type Scene } from './scene.ts';

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

/** A scene of counters, of which those in `with` have values. */
function scene(counters: readonly number[], having: readonly number[]): Scene {
  const view = { anchor: 0n, fraction: 0, perPixel: 1 };
  const question = questionOf(
    view,
    100,
    counters.map((track) => ({ track, first: 0, end: 0 })),
  );
  const reply: FromWorker & { t: 'rects' } = {
    t: 'rects',
    id: 1,
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
    },
    visited: 0,
  };
  return {
    view,
    layout: layOut(counters.map(counter), new Set()),
    extent: { from: ticks(0n), to: ticks(100n) },
    scrollTop: 0,
    width: 100,
    height: 500,
    picture: pictureOf(reply, question),
    names: createNames(),
    palette: PALETTES.dark,
    ruler: ruler(view, 100, 0n, { kind: 'ticks' }),
    lifted: -1,
    selected: null,
  };
}

const BLIND: Renderer = {
  resize: () => undefined,
  begin: () => undefined,
  rect: () => undefined,
  slices: () => 0,
  graph: () => undefined,
  end: () => undefined,
  dispose: () => undefined,
};

describe('what is on the screen', () => {
  it('is a picture when it is graphs alone', () => {
    expect(drawShapes(BLIND, scene([1, 2, 3], [1, 3]))).toBe(2);
    expect(drawShapes(BLIND, scene([1, 2, 3], []))).toBe(0);
  });
});
