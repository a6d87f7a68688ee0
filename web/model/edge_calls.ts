import type { CallList } from '../base/calls_protocol.ts';
import type { GraphEdge } from './call_graph.ts';

/** Before a caller and a callee in a path of names: the caller may have been called from anywhere. */
const ANYWHERE = 0xffff_ffff;

/** The calls of an edge: how many, and the durations of the shortest, of percentiles and of the longest, in ticks. */
export interface EdgeFigures {
  readonly count: number;
  readonly min: number;
  /** To within one percent, as in the table of functions. */
  readonly median: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
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
  const percentile = (percent: number) => {
    const rank = Math.max(1, Math.ceil((all * percent) / 100));
    if (rank >= all) return max;
    let seen = 0;
    const bucket = count.findIndex((calls) => {
      seen += calls;
      return seen >= rank;
    });
    return Math.min(max, low[bucket]! + Math.floor((above[bucket]! - low[bucket]!) / 2));
  };
  return { count: all, min, median: percentile(50), p90: percentile(90), p99: percentile(99), max };
}
