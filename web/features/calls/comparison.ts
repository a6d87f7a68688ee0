import { type ReadonlySignal, signal } from '@preact/signals';
import { MANY, type Percentiles } from '../../base/protocol.ts';
import { createScope } from '../../base/scope.ts';
import { ticks } from '../../base/ticks.ts';
import { watch } from '../../base/watch.ts';
import type { Selection } from '../../trace/selection.ts';
import type { Statistics } from '../../trace/statistics.ts';
import type { Trace } from '../../trace/trace.ts';
import { type Call, findCall } from './find_call.ts';
import { answerOf, findLike, type Like, type Likeness } from './like.ts';
import { type Run, runsOf } from './runs.ts';

/** Which call is compared with a median one. */
export const SLOW = ['longest', 'p99', 'p90', 'selected'] as const;
export type Slow = (typeof SLOW)[number];

/** A callee in both calls. At least one side has it. */
export interface ComparedRow {
  readonly name: number;
  readonly slow: Run | null;
  readonly median: Run | null;
}

/** Two calls side by side. */
export interface Compared {
  readonly slow: Call;
  readonly median: Call;
  /** Callees in the order of time. */
  readonly rows: readonly ComparedRow[];
  /** Callees are by name, because there are too many to match them in order. */
  readonly byName: boolean;
  /** Why this median call. */
  readonly likeness: Likeness;
  /** Ticks that callees do not cover. */
  readonly self: { readonly slow: number; readonly median: number };
}

/** A comparison of a slow call with a median one. */
export interface Comparison {
  readonly which: Slow;
  /** null while the calls are being found. */
  readonly found: Compared | null;
  /** Why there is nothing to compare, in a sentence. */
  readonly failure: string | null;
}

/** Most runs that are matched in order: the work is their product. */
const MOST_RUNS = 600;

interface Parts {
  readonly trace: Pick<Trace, 'begin' | 'details'>;
  readonly statistics: Pick<Statistics, 'asked' | 'range' | 'whose'>;
  readonly selection: Pick<Selection, 'selected'>;
}

/** Compares calls of a function. `percentiles` are its exact ones in the range, null until they are known. */
export function createComparison(name: number, parts: Parts, percentiles: ReadonlySignal<Percentiles | null>) {
  const { trace, statistics, selection } = parts;
  const scope = createScope();
  const wish = signal<{ readonly which: Slow; readonly selected: Call | null } | null>(null);
  const compared = signal<Comparison | null>(null);

  /** The direct callees of a call. */
  const calleesOf = async (call: Call, slot: string): Promise<readonly Run[] | null> => {
    const { item, start, end } = call;
    const range = { from: start, to: end, tracks: Uint32Array.of(item.track) };
    // Questions give their arrays away.
    const transforms = { kinds: new Uint8Array(), ends: new Uint32Array(), names: new Uint32Array() };
    const question = { kind: 'timeOrder', ...range, transforms } as const;
    const part = await answerOf<'timeOrder'>((take) => trace.begin(question, take, slot));
    return part && runsOf(part, item.depth + 1);
  };

  scope.add(
    watch([wish, percentiles], () => {
      const now = wish.peek();
      if (!now) {
        compared.value = null;
        return undefined;
      }
      const { which } = now;
      let isOver = false;
      const tell = (found: Compared | null, failure: string | null) => {
        if (!isOver) compared.value = { which, found, failure };
      };
      tell(null, null);
      const known = percentiles.peek();
      if (!known) return undefined;
      const jobs = createScope();
      const withSlow = async (call: Call | null) => {
        if (!call) return tell(null, 'No call in this range.');
        if (which !== 'selected' && call.end - call.start === known.median)
          return tell(null, 'This call has the median duration itself. Select a slower one to compare.');
        const runs = await calleesOf(call, 'callees of the slow call');
        if (isOver) return undefined;
        const like = runs && (await findLike(name, { call, runs }, known.median, { trace, statistics, calleesOf }));
        if (!runs) return tell(null, 'The callees could not be found.');
        return like
          ? tell(together({ call, runs }, like), null)
          : tell(null, 'There is no other call in this range to compare.');
      };
      if (which === 'selected') void withSlow(now.selected);
      else {
        const wanted =
          which === 'longest' ? { order: 'longest' as const } : { order: 'start' as const, duration: known[which] };
        jobs.add(findCall({ name, ...wanted }, parts, 'slow call', (call) => void withSlow(call)));
      }
      return () => {
        isOver = true;
        jobs.dispose();
      };
    }),
  );
  // A selected call may be outside of another range.
  scope.add(
    watch([statistics.range, statistics.whose], () => {
      if (wish.peek()?.which === 'selected') wish.value = { which: 'longest', selected: null };
    }),
  );

  return {
    compared,
    compare: (which: Slow | null) => {
      wish.value = which && { which, selected: selectedCall(name, selection) };
    },
    dispose: scope.dispose,
  };
}

/** The selected call, if it is one of the function. */
export function selectedCall(name: number, selection: Pick<Selection, 'selected'>): Call | null {
  const pointed = selection.selected.peek();
  if (pointed?.item?.kind !== 'slice' || pointed.name !== name || pointed.item.index === MANY || !pointed.end)
    return null;
  const { item, start, end, flags } = pointed;
  return { item, start, end: ticks(end), flags };
}

/** Two calls with their callees matched. */
export function together(slow: { readonly call: Call; readonly runs: readonly Run[] }, median: Like): Compared {
  const [a, b] = [slow.runs, median.runs];
  const byName = a.length > MOST_RUNS || b.length > MOST_RUNS;
  const rows = byName ? aligned(summed(a), summed(b)) : aligned(a, b);
  const own = (call: Call, runs: readonly Run[]) =>
    Math.max(0, Number(call.end - call.start) - runs.reduce((sum, { total }) => sum + total, 0));
  const self = { slow: own(slow.call, a), median: own(median.call, b) };
  return { slow: slow.call, median: median.call, rows, byName, likeness: median.likeness, self };
}

/** Runs by name, in the order of first calls. */
function summed(runs: readonly Run[]): readonly Run[] {
  const sums = new Map<number, Run>();
  for (const run of runs) {
    const { count, total, merged } = sums.get(run.name) ?? { count: 0, total: 0, merged: false };
    const sum = { name: run.name, count: count + run.count, total: total + run.total, merged: merged || run.merged };
    sums.set(run.name, sum);
  }
  return [...sums.values()].slice(0, MOST_RUNS);
}

/** Runs matched by name, as many as possible without changing the order of either side. */
export function aligned(slow: readonly Run[], median: readonly Run[]): readonly ComparedRow[] {
  const [n, m] = [slow.length, median.length];
  // Longest common subsequence of what follows, for each pair of places.
  const width = m + 1;
  const best = new Uint16Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) {
      best[i * width + j] =
        slow[i]!.name === median[j]!.name
          ? best[(i + 1) * width + j + 1]! + 1
          : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
    }
  }
  const rows: ComparedRow[] = [];
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    const [left, right] = [slow[i], median[j]];
    if (left && right && left.name === right.name) {
      rows.push({ name: left.name, slow: left, median: right });
      i += 1;
      j += 1;
    } else if (left && (!right || best[(i + 1) * width + j]! >= best[i * width + j + 1]!)) {
      rows.push({ name: left.name, slow: left, median: null });
      i += 1;
    } else if (right) {
      rows.push({ name: right.name, slow: null, median: right });
      j += 1;
    }
  }
  return rows;
}
