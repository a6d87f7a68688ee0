import { expect, test } from 'vitest';
import { matchedBy } from './matched_frames.ts';
import type { Hunk, Thread } from './records.ts';

/** Threads whose records are at these positions. `hunks`: four numbers for each difference. */
const threadOf = (placesA: readonly number[], placesB: readonly number[], first = 0, end = 0): Thread => ({
  tracks: [1, 1],
  lengths: [placesA.length, placesB.length],
  leftOut: [new Uint32Array(), new Uint32Array()],
  first,
  end,
  alike: new Uint32Array(),
  alone: [new Uint32Array(), new Uint32Array()],
  positions: [
    { every: BigUint64Array.from(placesA, BigInt), shift: 0 },
    { every: BigUint64Array.from(placesB, BigInt), shift: 0 },
  ],
});
const hunk = (fromA: number, toA: number, fromB: number, toB: number) =>
  ({ tracks: [1, 1], a: [fromA, toA], b: [fromB, toB] }) as unknown as Hunk;
const frames = (...last: number[]) => ({ count: last.length, last: Float64Array.from(last) });
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const words = ({ frames: pairs }: ReturnType<typeof matchedBy>) =>
  pairs.map(({ a, b }) => `${a ?? '–'}:${b ?? '–'}`).join(' ');

test('frames are paired by the calls that both have', () => {
  // Frame 1 of B, and frame 3 of A, are without a counterpart.
  const hunks = [hunk(4, 4, 4, 8), hunk(12, 16, 16, 16)];
  const found = matchedBy(
    [threadOf(numbers(20), numbers(20), 0, 2)],
    hunks,
    frames(3, 7, 11, 15, 19),
    frames(3, 7, 11, 15, 19),
  );
  expect(words(found)).toBe('0:0 –:1 1:2 2:3 3:– 4:4');
  expect([0, 5, 12, 16].map((call) => found.across(call, 'a'))).toEqual([0, 9, null, 16]);
  expect([0, 5, 9, 16].map((call) => found.across(call, 'b'))).toEqual([0, null, 5, 16]);
  expect(found.across(20, 'a')).toBeUndefined();
});

test('a frame goes with the one that has most of its calls', () => {
  // What ends frame 0 of A ends frame 1 of B, as far as differences say; the rest of it is in frame 0.
  const found = matchedBy(
    [threadOf(numbers(8), numbers(12), 0, 1)],
    [hunk(3, 3, 3, 7)],
    frames(3, 7),
    frames(3, 7, 11),
  );
  expect(words(found)).toBe('0:0 –:1 1:2');
});

test('frames that have no call in common are in one trace only', () => {
  const found = matchedBy([threadOf(numbers(4), numbers(6), 0, 1)], [hunk(0, 4, 0, 6)], frames(1, 3), frames(5));
  expect(words(found)).toBe('0:– 1:– –:0');
  expect(words(matchedBy([], [], frames(1), frames()))).toBe('0:–');
});

test('calls of several threads belong to the frames in which they are', () => {
  // The second thread has the odd calls; in B, it has done more before the second frame.
  const even = threadOf([0, 2, 4, 6], [0, 2, 8, 10]);
  const odd = threadOf([1, 3, 5, 7], [1, 3, 5, 7, 9, 11], 0, 1);
  const found = matchedBy([even, odd], [hunk(2, 2, 2, 4)], frames(3, 7), frames(3, 7, 11));
  expect(words(found)).toBe('0:0 –:1 1:2');
  expect([found.across(4, 'a'), found.across(5, 'a'), found.across(7, 'b')]).toEqual([8, 9, null]);
});

test('frames of many calls are paired by positions between those that are known', () => {
  const many = (count: number) => ({
    every: BigUint64Array.from({ length: count / 4 }, (_, i) => BigInt(4 * i)),
    shift: 2,
  });
  const thread = { ...threadOf([], [], 0, 1), lengths: [40, 48] as const, positions: [many(40), many(48)] as const };
  const found = matchedBy([thread], [hunk(10, 10, 10, 18)], frames(9, 39), frames(9, 17, 47));
  expect(words(found)).toBe('0:0 –:1 1:2');
  expect(found.across(11, 'a')).toBe(19);
});
