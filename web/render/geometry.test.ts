import { describe, expect, it } from 'vitest';
import { type PutSlice, placeSlices } from './geometry.ts';
import { PALETTES } from './palette.ts';

/** How many rectangles `slices` slices of a row become on a canvas of 1000 device pixels, and whether one covers another. */
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
  it('become at most a rectangle a device pixel, however many there are', () => {
    for (const ratio of [1, 1.5, 2]) {
      for (const scale of [1e-4, 1e-2, 0.1, 0.7, 1, 3, 100]) {
        const { put, overlaps } = placed(200_000, scale, ratio);
        expect(put).toBeLessThanOrEqual(1000 + 4);
        expect(overlaps).toBe(0);
      }
    }
  });
});
