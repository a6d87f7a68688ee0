import { expect, it } from 'vitest';
import type { WrittenImage } from '../../../trace/written.ts';
import { pixelsOf, texelOf, writtenBefore } from './written.ts';

const COLORS: WrittenImage = {
  width: 2,
  height: 1,
  depth: 1,
  channels: [
    ['R', 0],
    ['G', 1],
    ['B', 2],
    ['A', 3],
  ],
  isInteger: false,
  values: new Float32Array([1, 0.5, 0, 0, 0, 0, 2, 1]),
  perPixel: 4,
};

it('shows channels and ranges of what was drawn', () => {
  const all = pixelsOf(COLORS, 15, null);
  expect([...all.pixels]).toEqual([255, 128, 0, 0, 0, 0, 255, 255]);
  expect([all.low, all.high, all.least, all.most]).toEqual([0, 1, 0, 2]);
  // One channel alone is grey, and without opacity all is seen.
  expect([...pixelsOf(COLORS, 4, [0, 2]).pixels]).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
  expect([...pixelsOf(COLORS, 7, null).pixels]).toEqual([255, 128, 0, 255, 0, 0, 255, 255]);
  expect(Array.from(texelOf(COLORS, 1, 0))).toEqual([0, 0, 2, 1]);
  expect(Array.from(texelOf(COLORS, 2, 0))).toEqual([]);
});

it('shows whole numbers from the least to the greatest', () => {
  const channels = [['R', 0]] as const;
  const values = new Int32Array([-5, 0, 0, 1, 5, 0, 0, 1]);
  const { pixels, low, high } = pixelsOf({ ...COLORS, channels, isInteger: true, values }, 15, null);
  expect([...pixels.filter((_, i) => i % 4 === 0), low, high]).toEqual([0, 255, -5, 5]);
});

it('gives the range of the channels that are shown', () => {
  const rangeOf = (channels: WrittenImage['channels'], mask: number) => {
    const { least, most } = pixelsOf(
      { ...COLORS, channels, values: new Float32Array([0, 7, 0, 0.25, 0.5, 255, 0, 1]) },
      mask,
      null,
    );
    return [least, most];
  };
  expect(rangeOf([['A', 3]], 15)).toEqual([0.25, 1]);
  expect(
    rangeOf(
      [
        ['L', 0],
        ['A', 3],
      ],
      3,
    ),
  ).toEqual([0, 0.5]);
  expect(
    rangeOf(
      [
        ['L', 0],
        ['A', 3],
      ],
      2,
    ),
  ).toEqual([0.25, 1]);
  expect(
    rangeOf(
      [
        ['Depth', 0],
        ['Stencil', 1],
      ],
      3,
    ),
  ).toEqual([0, 0.5]);
  expect(
    rangeOf(
      [
        ['Depth', 0],
        ['Stencil', 1],
      ],
      2,
    ),
  ).toEqual([7, 255]);
  expect(
    rangeOf(
      [
        ['R', 0],
        ['G', 1],
      ],
      2,
    ),
  ).toEqual([7, 255]);
  expect(
    rangeOf(
      [
        ['R', 0],
        ['G', 1],
      ],
      0,
    ),
  ).toEqual([0, 255]);
  const alpha = pixelsOf(
    { ...COLORS, channels: [['A', 3]], values: new Float32Array([0, 0, 0, 0.25, 0, 0, 0, 1]) },
    15,
    [0.25, 1],
  );
  expect([...alpha.pixels]).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
});

it('finds the latest call that wrote', () => {
  const events = { calls: new Float64Array([1, 4, 6, 9]), threads: new Float64Array(4) };
  const what = ['created', 'written', 'uploaded', 'written'] as const;
  expect(writtenBefore({ ...events, what }, 8)).toBe(4);
  expect(writtenBefore({ ...events, what }, 9)).toBe(9);
  expect(writtenBefore({ ...events, what }, 3)).toBeNull();
  expect(writtenBefore(null, 3)).toBeNull();
});
