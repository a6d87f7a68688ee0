import { expect, it, vi } from 'vitest';
import type { Coverage, Frames, SmallPicture } from '../protocol.ts';
import { differenceOf, isAlike } from './difference.ts';
import { firstDraw, momentsOf, stepsOf } from './first_draw.ts';
import { type Across, pairedCall } from './pairing.ts';

const picture = (width: number, ...pixels: number[]): SmallPicture => ({
  width,
  height: pixels.length / 4 / width,
  pixels: Uint8ClampedArray.from(pixels),
});

it('counts the pixels that differ, with the largest difference, and amplifies it', () => {
  const a = picture(2, 10, 0, 0, 255, 5, 5, 5, 255, 0, 0, 0, 255, 1, 1, 1, 255);
  const b = picture(2, 10, 0, 0, 255, 5, 5, 56, 255, 0, 2, 0, 255, 1, 1, 1, 0);
  const { count, of, largest, at, picture: shown } = differenceOf(a, b)!;
  expect([count, of, largest, at]).toEqual([3, 4, 255, { x: 1, y: 1 }]);
  expect([...shown.pixels]).toEqual([0, 0, 0, 255, 0, 0, 51, 255, 0, 2, 0, 255, 255, 255, 255, 255]);
  const small = differenceOf(picture(1, 7, 0, 0, 255), picture(1, 4, 0, 0, 255))!;
  expect([small.largest, ...small.picture.pixels]).toEqual([3, 255, 0, 0, 255]);
  expect(differenceOf(a, a)).toMatchObject({ count: 0, largest: 0 });
});

it('has no difference of pictures of two sizes, which are not alike', () => {
  const [wide, high] = [picture(2, 0, 0, 0, 0, 0, 0, 0, 0), picture(1, 0, 0, 0, 0, 0, 0, 0, 0)];
  expect(differenceOf(wide, high)).toBeNull();
  expect([isAlike(wide, high), isAlike(wide, wide), isAlike(wide, null), isAlike(null, null)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

const drawn = (frames: readonly (readonly [from: number, to: number])[], ...drawCalls: number[]) => ({
  frames: {
    from: Float64Array.from(frames, ([from]) => from),
    to: Float64Array.from(frames, ([, to]) => to),
    draws: new Uint32Array(frames.length),
  } as unknown as Frames,
  coverage: { drawCalls: Float64Array.from(drawCalls) } as unknown as Coverage,
});

it('pairs calls by the number of the draw in the frame, and ends of frames', () => {
  const a = drawn(
    [
      [0, 9],
      [10, 19],
    ],
    2,
    5,
    12,
    15,
    17,
  );
  const b = drawn(
    [
      [0, 7],
      [8, 29],
    ],
    1,
    6,
    11,
    20,
  );
  const at = (call: number, across?: Across) => pairedCall(call, a, b, 'B', across);
  expect([at(2), at(5), at(6), at(9)].map(({ call }) => call)).toEqual([1, 6, 6, 7]);
  expect([at(0), at(10), at(12), at(19)].map(({ call }) => call)).toEqual([0, 8, 11, 29]);
  expect(at(17)).toEqual({ call: 20, remark: 'Frame 1 of B draws and clears only 2 times.' });
  expect(at(20)).toEqual({ call: null, remark: 'This call is outside of frames.' });
  const to = (frame: number | null): Across => ({ frame: () => frame, call: () => undefined });
  expect(at(2, to(1)).call).toBe(11);
  expect(at(2, to(2))).toEqual({ call: null, remark: 'B has no frame 2.' });
  expect(at(2, to(null))).toEqual({ call: null, remark: 'B has no frame like frame 0.' });
});

it('pairs draws that both have, and says of another one that it is not there', () => {
  const a = drawn([[0, 9]], 2, 5, 7);
  const b = drawn([[0, 9]], 4, 6, 8);
  const calls = new Map([
    [2, 4],
    [7, 8],
  ]);
  const across: Across = { frame: (frame) => frame, call: (call) => calls.get(call) ?? null };
  const at = (call: number) => pairedCall(call, a, b, 'B', across);
  expect([at(0), at(2), at(7), at(9)]).toEqual([0, 4, 8, 9].map((call) => ({ call, remark: '' })));
  expect(at(5)).toEqual({ call: 4, remark: 'Draw 2 is not in B, which is shown before it.' });
  calls.delete(2);
  expect(at(2)).toEqual({ call: 0, remark: 'Draw 1 is not in B, which is shown before it.' });
});

it('takes draws that belong together in one step, and those of one side in steps of their own', () => {
  const steps = (across: (draw: number) => number | null | undefined) =>
    stepsOf([2, 5, 7], [1, 4, 6, 8], across).map(({ a, b, has }) => `${a}${b}${has}`);
  const by = (...pairs: readonly (readonly [number, number])[]) => {
    const map = new Map(pairs);
    return (draw: number) => map.get(draw) ?? null;
  };
  expect(steps(by([2, 1], [5, 6], [7, 8]))).toEqual(['11both', '12b', '23both', '34both']);
  expect(steps(by([5, 4]))).toEqual(['10a', '11b', '22both', '32a', '33b', '34b']);
  // One has moved.
  expect(steps(by([2, 6], [5, 1], [7, 8]))).toEqual(['01b', '02b', '13both', '23a', '34both']);
  // Nothing is known of them, or they belong to draws of other frames.
  expect(steps(() => undefined)).toEqual(['11both', '22both', '33both', '34b']);
  expect(steps(by([2, 99]))).toEqual(['11both', '22both', '33both', '34b']);
});

it('finds the first draw whose picture differs in few steps, wherever it is', async () => {
  for (let count = 1; count < 40; count += 1) {
    for (let first = 1; first <= count; first += 1) {
      const differs = vi.fn(async (moment: number | 'end') => moment === 'end' || moment >= first);
      expect(await firstDraw(count, differs, () => undefined)).toEqual({ is: 'draw', number: first });
      expect(differs.mock.calls.length).toBeLessThanOrEqual(momentsOf(count) + 1);
    }
  }
});

it('says so if the ends of a frame are equal, and what else may be', async () => {
  const found = (count: number, answer: (moment: number | 'end') => boolean | null) =>
    firstDraw(
      count,
      async (moment) => answer(moment),
      () => undefined,
    );
  expect(await found(9, () => false)).toEqual({ is: 'equal' });
  expect(await found(9, () => true)).toEqual({ is: 'before' });
  expect(await found(9, (moment) => moment === 'end')).toEqual({ is: 'after' });
  expect(await found(0, () => true)).toEqual({ is: 'after' });
  expect(await found(9, (moment) => (moment === 'end' ? true : null))).toBeNull();
});
