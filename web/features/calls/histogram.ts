import type { Histogram } from '../../base/histogram.ts';
import type { Interval } from './call_list.ts';

/** The durations of the bins from `first` to `last`, in either order. All bins are not restriction: null. */
export function intervalOf({ edges, bins }: Histogram, first: number, last: number): Interval | null {
  const [from, to] = first <= last ? [first, last] : [last, first];
  if (from <= 0 && to >= bins.length - 1) return null;
  return { shortest: edges[from]!, longest: edges[to + 1]! - 1n };
}

/** The first and the last bin of an interval; all bins without one. */
export function binsWithin(
  { edges, bins }: Histogram,
  interval: Interval | null,
): readonly [first: number, last: number] {
  if (!interval) return [0, Math.max(0, bins.length - 1)];
  const first = edges.findLastIndex((edge) => edge <= interval.shortest);
  const last = edges.findIndex((edge) => edge > interval.longest) - 1;
  return [Math.max(0, Math.min(first, bins.length - 1)), last < 0 ? bins.length - 1 : last];
}
