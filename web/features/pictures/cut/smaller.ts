import type { FrameNeeds } from '../../../base/survey_protocol.ts';

/** A stretch of calls, `to` exclusive. */
type Run = readonly [from: number, to: number];

/** Pieces that calls are divided into at most: each try writes and replays a file. */
const MOST_PIECES = 256;

/** How many calls stretches have. */
export function countOf(calls: Float64Array): number {
  let count = 0;
  for (let i = 0; i < calls.length; i += 2) count += calls[i + 1]! - calls[i]!;
  return count;
}

/**
 * Leaves calls out as long as `isSame` holds of the rest: first halves, then ever smaller pieces, as delta debugging does
 * (Zeller and Hildebrandt, 2002). The last call, which ends the frame, stays. `hear` gets the share that is done. Ends with `signal`.
 */
export async function smaller(
  { calls, end }: Pick<FrameNeeds, 'calls' | 'end'>,
  isSame: (calls: Float64Array) => Promise<boolean>,
  hear: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let kept = runsOf(calls, end - 1);
  const total = lengthOf(kept);
  const least = Math.max(1, Math.ceil(total / MOST_PIECES));
  const steps = Math.ceil(Math.log2(Math.max(2, total / least)));
  let step = 0;
  for (let size = Math.ceil(total / 2); ; size = Math.ceil(size / 2)) {
    // From the end: what is used by nothing later goes first.
    let at = lengthOf(kept);
    const first = at;
    while (at > 0) {
      if (signal.aborted) return;
      const from = Math.max(0, at - size);
      const rest = without(kept, from, at);
      if (await isSame(packed(rest, end))) kept = rest;
      at = from;
      hear(Math.min(1, (step + 1 - at / Math.max(1, first)) / (steps + 1)));
    }
    step += 1;
    if (size <= least) return;
  }
}

/** Stretches without the call that ends the frame. */
function runsOf(calls: Float64Array, last: number): readonly Run[] {
  const runs: Run[] = [];
  for (let i = 0; i < calls.length; i += 2) {
    const to = Math.min(calls[i + 1]!, last);
    if (calls[i]! < to) runs.push([calls[i]!, to]);
  }
  return runs;
}

function lengthOf(runs: readonly Run[]): number {
  return runs.reduce((sum, [from, to]) => sum + to - from, 0);
}

/** What is left of stretches without the calls from one place among them to another, exclusive. */
function without(runs: readonly Run[], begin: number, end: number): readonly Run[] {
  const left: Run[] = [];
  let at = 0;
  for (const [from, to] of runs) {
    const [lower, upper] = [Math.max(from, from + begin - at), Math.min(to, from + end - at)];
    if (lower >= upper) left.push([from, to]);
    else {
      if (from < lower) left.push([from, lower]);
      if (upper < to) left.push([upper, to]);
    }
    at += to - from;
  }
  return left;
}

/** Stretches as numbers, with the call that ends the frame. */
function packed(runs: readonly Run[], end: number): Float64Array {
  return Float64Array.from([...runs, [end - 1, end] as Run].flat());
}
