import { expect, test } from 'vitest';
import { countOf, smaller } from './smaller.ts';

const never = new AbortController().signal;

/** The calls that are left when those of `wanted` are needed, and how often it was tried. */
async function left(calls: readonly number[], end: number, wanted: readonly number[], signal = never) {
  let [tries, kept]: [number, Float64Array] = [0, Float64Array.from(calls)];
  const shares: number[] = [];
  const has = (runs: Float64Array, call: number) =>
    runs.some((from, i) => i % 2 === 0 && from <= call && call < runs[i + 1]!);
  await smaller(
    { calls: Float64Array.from(calls), end },
    async (rest) => {
      tries += 1;
      const isSame = wanted.every((call) => has(rest, call));
      if (isSame) kept = rest;
      return isSame;
    },
    (share) => shares.push(share),
    signal,
  );
  return { kept: [...kept], tries, shares };
}

test('only what is needed and the end of the frame are left', async () => {
  const { kept, shares } = await left([0, 40, 60, 100], 100, [7, 61]);
  expect(kept).toEqual([7, 8, 61, 62, 99, 100]);
  expect(shares.every((share, i) => share >= (shares[i - 1] ?? 0) && share <= 1)).toBe(true);
});

test('tries are bounded, whatever is needed', async () => {
  const all = Array.from({ length: 100_000 }, (_, i) => i);
  // Nothing can go: pieces down to a 256th are tried once each.
  const { tries, kept } = await left([0, 100_000], 100_000, [all[0]!, ...all.filter((call) => call % 100 === 0)]);
  expect(tries).toBeLessThan(1100);
  expect(countOf(Float64Array.from(kept))).toBe(100_000);
});

test('it ends when it is told to', async () => {
  const controller = new AbortController();
  controller.abort();
  expect((await left([0, 10], 10, [], controller.signal)).tries).toBe(0);
});
