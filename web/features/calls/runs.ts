import type { TimeOrder } from '../../base/calls_protocol.ts';
import { MANY } from '../../base/protocol.ts';

/** Back-to-back calls of one callee. */
export interface Run {
  /** Name id. */
  readonly name: number;
  readonly count: number;
  /** Ticks. */
  readonly total: number;
  /** Calls too short to tell apart are among them: they are more than `count`, and `total` is an estimate. */
  readonly merged: boolean;
}

/** Back-to-back calls at a depth, in the order of time. */
export function runsOf(calls: TimeOrder, depth: number): readonly Run[] {
  const runs: Run[] = [];
  for (let i = 0; i < calls.length; i += 1) {
    if (calls.depth[i] !== depth) continue;
    const merged = calls.index[i] === MANY;
    const length = calls.end[i]! - calls.start[i]!;
    // How much of a rectangle of several calls is covered, in 255ths.
    const total = merged ? (length * calls.fill[i]!) / 255 : length;
    const name = calls.name[i]!;
    const last = runs.at(-1);
    if (last?.name === name) {
      runs[runs.length - 1] = {
        name,
        count: last.count + 1,
        total: last.total + total,
        merged: last.merged || merged,
      };
    } else runs.push({ name, count: 1, total, merged });
  }
  return runs;
}
