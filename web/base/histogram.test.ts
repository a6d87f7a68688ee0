import { expect, it } from 'vitest';
import { histogramsOf } from './histogram.ts';

const buckets = (...rows: readonly (readonly [number, number, number])[]) => ({
  low: Float64Array.from(rows, ([low]) => low),
  above: Float64Array.from(rows, ([, above]) => above),
  count: Float64Array.from(rows, ([, , count]) => count),
});

it('puts two distributions into the same bins', () => {
  const [a, b] = histogramsOf(buckets([10, 11, 5], [20, 21, 3]), buckets([20, 21, 4], [1000, 1016, 2]), 40);
  expect(b.edges).toEqual(a.edges);
  expect(a.edges[0]).toBe(10n);
  expect(a.edges.at(-1)).toBe(1016n);
  const filled = (bins: Float64Array) => [...bins.entries()].filter(([, count]) => count > 0);
  expect(filled(a.bins).map(([, count]) => count)).toEqual([5, 3]);
  expect(filled(b.bins).map(([, count]) => count)).toEqual([4, 2]);
  // The bucket that both have is in one bin.
  expect(filled(a.bins)[1]![0]).toBe(filled(b.bins)[0]![0]);
});

it('has no bins without calls', () => {
  const [a, b] = histogramsOf(buckets(), buckets(), 40);
  expect([a.edges, b.most]).toEqual([[], 0]);
});
