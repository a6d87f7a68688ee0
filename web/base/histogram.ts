/** Durations counted in buckets, the shortest first: the lowest of each, the lowest above it, and the number of calls. */
export interface Buckets {
  readonly low: Float64Array;
  readonly above: Float64Array;
  readonly count: Float64Array;
}

/** Durations on a logarithmic axis, in bins of one width. */
export interface Histogram {
  /** Number of calls by bin. */
  readonly bins: Float64Array;
  /** The largest of them. */
  readonly most: number;
  /** Edges of the bins in ticks: whole numbers, one more than there are bins. A bin does not include its upper edge. */
  readonly edges: readonly bigint[];
}

/** The place of a duration on the axis. Zero has a place, which a logarithm has not. */
function place(duration: number): number {
  return Math.log2(duration + 1);
}

/**
 * The distribution of durations in at most `most` bins. Bins end where buckets of the list end, so that their counts are exact.
 */
export function histogramOf({ low, above, count }: Buckets, most: number): Histogram {
  const last = low.length - 1;
  if (last < 0) return { bins: new Float64Array(), most: 0, edges: [] };
  const from = place(low[0]!);
  const step = (place(above[last]!) - from) / most;
  const bins: number[] = [];
  const edges: number[] = [low[0]!];
  let i = 0;
  for (let bin = 1; bin <= most; bin += 1) {
    let upper = bin === most ? above[last]! : Math.ceil(2 ** (from + bin * step) - 1);
    let sum = 0;
    for (; i <= last && low[i]! < upper; i += 1) {
      sum += count[i]!;
      upper = Math.max(upper, above[i]!);
    }
    // Several bins without a whole number between them are one.
    if (upper <= edges.at(-1)!) continue;
    bins.push(sum);
    edges.push(upper);
  }
  return { bins: Float64Array.from(bins), most: Math.max(...bins), edges: edges.map((edge) => BigInt(edge)) };
}

/** Where an edge is on the axis, 0 to 1. */
export function edgeAt({ edges }: Histogram, edge: number): number {
  const from = place(Number(edges[0]));
  const to = place(Number(edges.at(-1)));
  return to > from ? (place(Number(edges[edge])) - from) / (to - from) : edge / Math.max(1, edges.length - 1);
}

/** The bin at a place of the axis, 0 to 1. */
export function binAt(histogram: Histogram, at: number): number {
  const bins = histogram.bins.length;
  let bin = 0;
  while (bin < bins - 1 && edgeAt(histogram, bin + 1) <= at) bin += 1;
  return bin;
}

/** The distributions of two lists in the same bins. */
export function histogramsOf(a: Buckets, b: Buckets, most: number): readonly [Histogram, Histogram] {
  const order = [a, b].flatMap((of) => Array.from(of.low, (low, i) => [low, of.above[i]!, of.count[i]!] as const));
  order.sort((one, two) => one[0] - two[0]);
  const column = (at: 0 | 1 | 2) => Float64Array.from(order, (bucket) => bucket[at]);
  const all = histogramOf({ low: column(0), above: column(1), count: column(2) }, most);
  const edges = all.edges.map(Number);
  const within = ({ low, count }: Buckets): Histogram => {
    const bins = new Float64Array(all.bins.length);
    let bin = 0;
    for (let i = 0; i < low.length; i += 1) {
      while (bin < bins.length - 1 && low[i]! >= edges[bin + 1]!) bin += 1;
      bins[bin]! += count[i]!;
    }
    return { bins, most: Math.max(0, ...bins), edges: all.edges };
  };
  return [within(a), within(b)];
}
