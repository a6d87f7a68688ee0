import { describe, expect, it } from 'vitest';
import { type PutSlice, placeSlices } from './geometry.ts';
import { LEVELS, PALETTES } from './palette.ts';

type Rect = readonly [start: number, end: number];

/** Left edge and width of the rectangles of these slices, in device pixels. */
function marked(slices: readonly Rect[], scale: number, ratio = 1, solid = false): [left: number, width: number][] {
  const columns = {
    start: Float64Array.from(slices, ([start]) => start),
    end: Float64Array.from(slices, ([, end]) => end),
    name: new Uint32Array(slices.length),
    index: new Uint32Array(slices.length),
    fill: new Uint8Array(slices.length).fill(255),
  };
  const ink = { palette: PALETTES.dark, colour: Uint8Array.of(0), lifted: -1 };
  const shown: [number, number][] = [];
  const put: PutSlice = (_style, _lifted, left, _top, width) => shown.push([left, width]);
  const surface = { width: 1000, height: 100, ratio };
  placeSlices(columns, 0, slices.length, 0, 16, { offset: 0, scale }, ink, surface, put, solid);
  return shown;
}

/** Number of rectangles of `slices` slices in a row on a canvas of 1000 device pixels, and whether any overlap. */
function placed(slices: number, scale: number, ratio: number): { put: number; overlaps: number } {
  const columns = {
    start: Float64Array.from({ length: slices }, (_, i) => i),
    end: Float64Array.from({ length: slices }, (_, i) => i + 0.9),
    name: new Uint32Array(slices),
    index: new Uint32Array(slices),
    fill: new Uint8Array(slices).fill(255),
  };
  const ink = { palette: PALETTES.dark, colour: Uint8Array.of(0), lifted: -1 };
  let overlaps = 0;
  let free = Number.NEGATIVE_INFINITY;
  const put: PutSlice = (_style, _lifted, left, _top, width) => {
    if (left < free) overlaps += 1;
    free = left + width;
  };
  const surface = { width: 1000, height: 100, ratio };
  return {
    put: placeSlices(columns, 0, slices, 0, 16, { offset: 0, scale }, ink, surface, put),
    overlaps,
  };
}

describe('slices of a row', () => {
  it('become at most one rectangle per device pixel, in any number', () => {
    for (const ratio of [1, 1.5, 2]) {
      for (const scale of [1e-4, 1e-2, 0.1, 0.7, 1, 3, 100]) {
        const { put, overlaps } = placed(200_000, scale, ratio);
        expect(put).toBeLessThanOrEqual(1000 + 4);
        expect(overlaps).toBe(0);
      }
    }
  });
  it('without duration are marks two CSS pixels wide', () => {
    expect(marked([[5, 5]], 0.01)).toEqual([[0, 2]]);
    expect(marked([[5, 5]], 100)).toEqual([[500, 2]]);
    expect(marked([[5, 5]], 10, 2)).toEqual([[100, 4]]);
    expect(marked([[5, 5]], 10, 1.5)).toEqual([[75, 3]]);
  });
  it('leave room for a mark between them', () => {
    const slices: Rect[] = [
      [0, 5],
      [5, 5],
      [5, 10],
    ];
    expect(marked(slices, 10)).toEqual([
      [0, 49],
      [50, 2],
      [52, 47],
    ]);
  });
  it('stay near their places among many marks', () => {
    const crowd = Array.from({ length: 900 }, (_, i): Rect => [i, i]);
    const shown = marked(crowd, 1);
    expect(shown.length).toBeGreaterThanOrEqual(450);
    expect(shown.every(([, width]) => width === 2)).toBe(true);
    expect(shown.at(-1)![0]).toBeLessThan(902);
  });
});

describe('a solid row', () => {
  it('shows each slice that stands alone by a mark at least', () => {
    const slices = [
      [100, 101],
      [1500, 1505],
      [1702, 1703],
      [9000, 9100],
    ] as const;
    expect(marked(slices, 0.01)).toEqual([
      [1, 1],
      [15, 1],
      [17, 1],
      [90, 1],
    ]);
    expect(marked(slices, 0.01, 1, true)).toEqual([
      [1, 2],
      [15, 1],
      [17, 1],
      [90, 2],
    ]);
  });
  it('is not dimmed', () => {
    const columns = {
      start: Float64Array.of(10),
      end: Float64Array.of(90),
      name: new Uint32Array(1),
      index: new Uint32Array(1),
      fill: Uint8Array.of(1),
    };
    const ink = { palette: PALETTES.dark, colour: Uint8Array.of(0), lifted: 7, dims: true };
    const of = (solid: boolean) => {
      const found: [style: number, lifted: boolean][] = [];
      const put: PutSlice = (style, lifted) => found.push([style, lifted]);
      const surface = { width: 1000, height: 100, ratio: 1 };
      placeSlices(columns, 0, 1, 0, 16, { offset: 0, scale: 1 }, ink, surface, put, solid);
      return found[0];
    };
    expect([of(false), of(true)]).toEqual([
      [0, false],
      [0, true],
    ]);
  });
});

describe('what is painted', () => {
  /** The share of each tenth of a row of 1,000 device pixels that rectangles paint, by the cover in the middle of their level. */
  function painted(slices: readonly Rect[], fill: (i: number) => number, scale: number, ratio: number, solid: boolean) {
    const columns = {
      start: Float64Array.from(slices, ([start]) => start),
      end: Float64Array.from(slices, ([, end]) => end),
      name: new Uint32Array(slices.length),
      index: new Uint32Array(slices.length),
      fill: Uint8Array.from(slices, (_, i) => fill(i)),
    };
    const ink = { palette: PALETTES.dark, colour: Uint8Array.of(0), lifted: -1 };
    const tenths = Float64Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const put: PutSlice = (level, _lifted, left, _top, width) => {
      const cover = level === LEVELS - 1 ? 1 : (level + 0.5) / LEVELS;
      for (let x = Math.max(0, left); x < Math.min(1000, left + width); x += 1) {
        const tenth = Math.floor(x / 100);
        tenths[tenth] = (tenths[tenth] ?? 0) + cover / 100;
      }
    };
    const surface = { width: 1000, height: 100, ratio };
    placeSlices(columns, 0, slices.length, 0, 16, { offset: 0, scale }, ink, surface, put, solid);
    return tenths;
  }

  it('is the share that is covered, in rows of threads and of derived tracks', () => {
    // Calls that take longer and longer, one every 1 to 10 pixels; or rectangles of many calls.
    for (const every of [1.37, 2.23, 3.71, 5.17, 9.31]) {
      const count = Math.floor(1000 / every);
      const share = (i: number) => 0.15 + (0.5 * i) / count;
      const calls = Array.from({ length: count }, (_, i): Rect => [i * every, (i + share(i)) * every]);
      const many = Array.from({ length: count }, (_, i): Rect => [i * every, (i + 1) * every]);
      for (const ratio of [1, 1.5, 2]) {
        for (const solid of [false, true]) {
          const shares = [
            { widest: 0.65 * every, tenths: painted(calls, () => 255, 1 / ratio, ratio, solid) },
            { widest: every, tenths: painted(many, (i) => share(i) * 255, 1 / ratio, ratio, solid) },
          ];
          for (const { widest, tenths } of shares) {
            // A slice that is wide enough leaves a gap after it.
            const gap = widest > 2.5 * ratio ? Math.round(ratio) / every : 0;
            tenths.forEach((part, tenth) => {
              const exact = 0.15 + 0.5 * ((tenth + 0.5) / 10);
              // Cover has eight levels, and tenths have edges.
              const hint = `${every} ${ratio} ${solid} ${tenth}`;
              expect(part - exact, hint).toBeLessThan(0.11);
              expect(exact - part, hint).toBeLessThan(0.11 + gap);
            });
            expect(tenths[9]).toBeGreaterThan(tenths[0] ?? 1);
          }
        }
      }
    }
  });
});
