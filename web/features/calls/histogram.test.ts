import { describe, expect, it } from 'vitest';
import type { CallList } from '../../base/calls_protocol.ts';
import { binAt, edgeAt, histogramOf } from '../../base/histogram.ts';
import { binsWithin, intervalOf } from './histogram.ts';

/** A list with these buckets: lowest, lowest above, number of calls. */
const listOf = (buckets: readonly (readonly [number, number, number])[]) =>
  ({
    low: Float64Array.from(buckets, ([low]) => low),
    above: Float64Array.from(buckets, ([, above]) => above),
    count: Float64Array.from(buckets, ([, , count]) => count),
  }) as unknown as CallList;

/** Buckets of a 64th, as the engine makes them, around powers of two. */
const many = listOf(
  Array.from({ length: 40 }, (_, k) => {
    const low = 2 ** Math.floor(k / 2 + 7) * (k % 2 === 0 ? 1 : 1.5);
    return [low, low + low / 64, k + 1] as const;
  }),
);

describe('a histogram of durations', () => {
  it('counts each bucket once, in bins that end where buckets end', () => {
    for (const most of [1, 2, 7, 50, 500]) {
      const { bins, edges } = histogramOf(many, most);
      expect(bins.length).toBeLessThanOrEqual(most);
      expect(edges).toHaveLength(bins.length + 1);
      expect(bins.reduce((a, b) => a + b, 0)).toBe(820);
      expect([edges[0], edges.at(-1)]).toEqual([BigInt(many.low[0]!), BigInt(many.above[39]!)]);
      for (const [bin, count] of bins.entries()) {
        const [from, to] = [Number(edges[bin]), Number(edges[bin + 1])];
        let expected = 0;
        for (let i = 0; i < 40; i += 1) {
          if (many.low[i]! >= from && many.low[i]! < to) expected += many.count[i]!;
          expect(many.low[i]! < to && many.above[i]! > to).toBe(false);
        }
        expect([from < to, count]).toEqual([true, expected]);
      }
    }
  });
  it('has a bin for each of few whole durations', () => {
    const { bins, edges, most } = histogramOf(
      listOf([
        [0, 1, 5],
        [1, 2, 3],
        [3, 4, 1],
      ]),
      100,
    );
    expect([...bins]).toEqual([5, 3, 0, 1]);
    expect(edges).toEqual([0n, 1n, 2n, 3n, 4n]);
    expect(most).toBe(5);
  });
  it('has one bin for one duration, and none without calls', () => {
    const one = histogramOf(listOf([[42, 43, 7]]), 100);
    expect([[...one.bins], one.edges, edgeAt(one, 0), edgeAt(one, 1), binAt(one, 0.7)]).toEqual([
      [7],
      [42n, 43n],
      0,
      1,
      0,
    ]);
    expect(histogramOf(listOf([]), 100).bins).toHaveLength(0);
  });
  it('finds the bin at a place, and the durations of bins', () => {
    const histogram = histogramOf(many, 50);
    const last = histogram.bins.length - 1;
    for (const bin of [0, 1, 20, last]) {
      const middle = (edgeAt(histogram, bin) + edgeAt(histogram, bin + 1)) / 2;
      expect(binAt(histogram, middle)).toBe(bin);
    }
    expect([binAt(histogram, -1), binAt(histogram, 2)]).toEqual([0, last]);
    const interval = intervalOf(histogram, 9, 4)!;
    expect(interval).toEqual({ shortest: histogram.edges[4], longest: histogram.edges[10]! - 1n });
    expect(binsWithin(histogram, interval)).toEqual([4, 9]);
    expect([intervalOf(histogram, 0, last), binsWithin(histogram, null)]).toEqual([null, [0, last]]);
    expect(binsWithin(histogram, intervalOf(histogram, 0, 3))).toEqual([0, 3]);
    expect(binsWithin(histogram, intervalOf(histogram, 3, last))).toEqual([3, last]);
  });
});
