import type { TimeOrder } from '../base/calls_protocol.ts';
import { MANY } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import type { Call } from './find_call.ts';

/** Back-to-back calls of one callee. */
export interface Run {
  /** Name id. */
  readonly name: number;
  readonly count: number;
  /** Ticks. */
  readonly total: number;
  /** Ticks that callees of these calls do not cover. */
  readonly self: number;
  /** Calls too short to tell apart are among them: they are more than `count`, and `total` is an estimate. */
  readonly merged: boolean;
  /** The longest of these calls; null if only merged ones are known. */
  readonly longest: Call | null;
}

/** Back-to-back calls at a depth, in the order of time. */
export function runsOf(calls: TimeOrder, depth: number): readonly Run[] {
  const runs: Run[] = [];
  // How much of a rectangle of several calls is covered, in 255ths.
  const lengthOf = (i: number) => {
    const length = calls.end[i]! - calls.start[i]!;
    return calls.index[i] === MANY ? (length * calls.fill[i]!) / 255 : length;
  };
  const below = new Map<number, number>();
  const ends: { readonly end: number; readonly run: number }[] = [];
  for (let i = 0; i < calls.length; i += 1) {
    if (calls.depth[i] !== depth) continue;
    const merged = calls.index[i] === MANY;
    const total = lengthOf(i);
    const name = calls.name[i]!;
    const longest = merged ? null : callAt(calls, i);
    const last = runs.at(-1);
    if (last?.name === name) {
      runs[runs.length - 1] = {
        name,
        count: last.count + 1,
        total: last.total + total,
        self: 0,
        merged: last.merged || merged,
        longest: longerOf(last.longest, longest),
      };
    } else runs.push({ name, count: 1, total, self: 0, merged, longest });
    ends.push({ end: calls.end[i]!, run: runs.length - 1 });
  }
  for (let i = 0; i < calls.length; i += 1) {
    if (calls.depth[i] !== depth + 1) continue;
    const run = ends[firstAfter(ends, calls.start[i]!)]?.run;
    if (run !== undefined) below.set(run, (below.get(run) ?? 0) + lengthOf(i));
  }
  return runs.map((run, i) => ({ ...run, self: Math.max(0, run.total - (below.get(i) ?? 0)) }));
}

/** The first of those that are sorted by their ends that ends after a time. */
function firstAfter(all: readonly { readonly end: number }[], time: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle]!.end <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function callAt({ from, track, depth, index, start, end }: TimeOrder, i: number): Call {
  const item = { kind: 'slice', track: track[i]!, depth: depth[i]!, index: index[i]! } as const;
  const at = (time: number) => ticks(from + BigInt(time));
  return { item, start: at(start[i]!), end: at(end[i]!), flags: 0 };
}

/** The longer one of two calls. */
export function longerOf(a: Call | null, b: Call | null): Call | null {
  if (!a || !b) return a ?? b;
  return b.end - b.start > a.end - a.start ? b : a;
}
