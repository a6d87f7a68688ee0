import { expect, it } from 'vitest';
import { compared, cover, flip, greyOf, overdrawn, within } from './replay_pictures.ts';

const picture = (...pixels: number[]) => ({
  width: pixels.length / 4,
  height: 1,
  pixels: Uint8ClampedArray.from(pixels),
  halted: '',
  limit: '' as const,
  changed: null,
  note: '',
});

it('turns rows upside down, with any number of channels', () => {
  const two = Uint8ClampedArray.of(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  flip(two, 1, 3);
  expect([...two]).toEqual([3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1]);
  const one = Float32Array.of(1, 2, 3, 4);
  flip(one, 2, 2, 1);
  expect([...one]).toEqual([3, 4, 1, 2]);
});

it('makes pixels opaque', () => {
  const pixels = Uint8ClampedArray.of(1, 2, 3, 0, 4, 5, 6, 200);
  cover(pixels);
  expect([...pixels]).toEqual([1, 2, 3, 255, 4, 5, 6, 255]);
});

it('shows what a draw changed as it is, and the rest pale', () => {
  const after = compared(picture(0, 0, 0, 255, 9, 9, 9, 255), picture(0, 0, 0, 255, 80, 0, 0, 0));
  expect(after.changed).toBe(1);
  // A changed pixel is seen whatever its alpha.
  expect([...after.pixels]).toEqual([200, 200, 200, 255, 80, 0, 0, 255]);
  expect(compared(picture(0, 0, 0, 0), picture(0, 0, 0, 0, 0, 0, 0, 0)).changed).toBe(2);
});

it('counts how often pixels were drawn over', () => {
  const pixels = Uint8ClampedArray.of(0, 0, 0, 0, 3, 3, 3, 3, 200, 0, 0, 0);
  expect(overdrawn(pixels)).toEqual({ most: 200, sum: 203 });
  expect([...pixels.subarray(0, 4)]).toEqual([16, 16, 24, 255]);
  expect([...pixels.subarray(8, 12)]).toEqual([250, 236, 230, 255]);
});

it('spreads depths over what was drawn to', () => {
  const { pixels, near, far } = greyOf(Float32Array.of(0.25, 0.5, 1));
  expect([near, far]).toEqual([0.25, 0.5]);
  expect([pixels[0], pixels[4], pixels[8]]).toEqual([255, 55, 0]);
  expect(greyOf(Float32Array.of(1, 1))).toMatchObject({ near: 1, far: 1 });
});

it('makes pictures smaller, never larger', () => {
  const box = { width: 80, height: 45 };
  expect(within(800, 600, box)).toEqual({ width: 60, height: 45 });
  expect(within(8, 6, box)).toEqual({ width: 8, height: 6 });
  expect(within(8000, 1, box)).toEqual({ width: 80, height: 1 });
});
