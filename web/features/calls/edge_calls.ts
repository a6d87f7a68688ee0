import type { CallList } from '../../base/calls_protocol.ts';
import type { GraphEdge } from '../../trace/call_graph.ts';

/** Before a caller and a callee in a path of names: the caller may have been called from anywhere. */
const ANYWHERE = 0xffff_ffff;

/** The calls of an edge: how many, and the durations of the shortest, of percentiles and of the longest, in ticks. */
export interface EdgeFigures {
  readonly count: number;
  readonly min: number;
  /** As in the table of functions. */
  readonly median: Percentile;
  readonly p90: Percentile;
  readonly p99: Percentile;
  readonly max: number;
}

/** Ticks, exact or to within one percent. */
export interface Percentile {
  readonly ticks: number;
  readonly isExact: boolean;
}

/** The path of names that leads to the calls of an edge: see `path` of the job `calls`. */
export function pathOfEdge({ caller, callee }: Pick<GraphEdge, 'caller' | 'callee'>): number[] {
  return caller < 0 ? [callee] : [ANYWHERE, caller, callee];
}

/** The figures of listed calls; null without any. */
export function edgeFigures({ all, low, above, count }: CallList): EdgeFigures | null {
  if (low.length === 0) return null;
  const min = low[0]!;
  const max = above.at(-1)! - 1;
  const percentile = (percent: number): Percentile => {
    const rank = Math.max(1, Math.ceil((all * percent) / 100));
    if (rank >= all) return { ticks: max, isExact: true };
    let seen = 0;
    const bucket = count.findIndex((calls) => {
      seen += calls;
      return seen >= rank;
    });
    const width = above[bucket]! - low[bucket]!;
    return { ticks: Math.min(max, low[bucket]! + Math.floor(width / 2)), isExact: width <= 1 };
  };
  return { count: all, min, median: percentile(50), p90: percentile(90), p99: percentile(99), max };
}
