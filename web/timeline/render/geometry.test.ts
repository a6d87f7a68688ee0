import { describe, expect, it } from 'vitest';
import { type PutSlice, placeSlices } from './geometry.ts';
import { PALETTES } from './palette.ts';

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
  it('shows each short slice by a mark at least, side by side', () => {
    const slices = [
      [100, 101],
      [500, 505],
      [502, 503],
      [9000, 9100],
    ] as const;
    expect(marked(slices, 0.01)).toEqual([
      [1, 1],
      [5, 1],
      [90, 1],
    ]);
    expect(marked(slices, 0.01, 1, true)).toEqual([
      [1, 2],
      [5, 2],
      [90, 2],
    ]);
  });
  it('is neither faint nor dimmed', () => {
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
      [4, true],
    ]);
  });
});
