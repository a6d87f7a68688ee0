import { type ReadonlySignal, signal } from '@preact/signals';
import { MANY, type Percentiles } from '../base/protocol.ts';
import { createScope } from '../base/scope.ts';
import { ticks } from '../base/ticks.ts';
import { watch } from '../base/watch.ts';
import { longerOf, type Run, runsOf } from './call_runs.ts';
import { type Call, findCall } from './find_call.ts';
import { answerOf, findLike, type Like, type Likeness } from './like.ts';
import type { Selection } from './selection.ts';
import type { Statistics } from './statistics.ts';
import type { Trace } from './trace.ts';

/** Which call is compared with a median one. */
export const SLOW = ['longest', 'p99', 'p90', 'selected'] as const;
export type Slow = (typeof SLOW)[number];

/** A callee in both calls. At least one side has it. Times are ticks of the trace of the median call. */
export interface MatchedRow {
  readonly name: number;
  readonly slow: Run | null;
  readonly median: Run | null;
}

/** Two calls side by side. */
export interface Matched {
  readonly slow: Call;
  readonly median: Call;
  /** Callees in the order of time. */
  readonly rows: readonly MatchedRow[];
  /** Callees are by name, because there are too many to match them in order. */
  readonly byName: boolean;
  /** Why this median call. */
  readonly likeness: Likeness;
  /** Durations, in ticks. */
  readonly total: { readonly slow: number; readonly median: number };
  /** Ticks that callees do not cover. */
  readonly self: { readonly slow: number; readonly median: number };
}

/** A comparison of a slow call with a median one. */
export interface SlowCall {
  readonly which: Slow;
  /** null while the calls are being found. */
  readonly found: Matched | null;
  /** Why there is nothing to compare, in a sentence. */
  readonly failure: string | null;
}

/** Most runs that are matched in order: the work is their product. */
const MOST_RUNS = 600;

interface Parts {
  readonly trace: Pick<Trace, 'begin' | 'details'>;
  readonly statistics: Pick<Statistics, 'asked' | 'range' | 'whose'>;
  readonly selection: Pick<Selection, 'selected'>;
  /** Where the median call is looked for, if that is another trace. */
  readonly base?: SlowCallBase;
}

/** Another trace with the same function. */
export interface SlowCallBase {
  readonly trace: Pick<Trace, 'begin' | 'details'>;
  readonly statistics: Pick<Statistics, 'asked'>;
  /** Name id of the function there. */
  readonly name: number;
  /** The median duration of its calls there; null until it is known. */
  readonly median: ReadonlySignal<bigint | null>;
  /** What both call the functions with these names. */
  readonly slowName: (name: number) => number;
  readonly medianName: (name: number) => number;
  /** What ticks of the slow call are multiplied by, so that they are ticks there. */
  readonly scale: number;
}

/** Compares calls of a function. `percentiles` are its exact ones in the range, null until they are known. */
export function createSlowCall(name: number, parts: Parts, percentiles: ReadonlySignal<Percentiles | null>) {
  const { trace, statistics, selection, base } = parts;
  const scope = createScope();
  const wish = signal<{ readonly which: Slow; readonly selected: Call | null } | null>(null);
  const compared = signal<SlowCall | null>(null);

  const slowCallees = (call: Call) => calleesOf(trace, call, 'callees of the slow call', base?.slowName, base?.scale);
  const medianCallees = (call: Call, slot: string) => calleesOf(base?.trace ?? trace, call, slot, base?.medianName);

  scope.add(
    watch([wish, percentiles, ...(base ? [base.median] : [])], () => {
      const now = wish.peek();
      if (!now) {
        compared.value = null;
        return undefined;
      }
      const { which } = now;
      let isOver = false;
      const tell = (found: Matched | null, failure: string | null) => {
        if (!isOver) compared.value = { which, found, failure };
      };
      tell(null, null);
      const known = percentiles.peek();
      const median = base ? base.median.peek() : known?.median;
      if (!known || median === null || median === undefined) return undefined;
      const jobs = createScope();
      const withSlow = async (call: Call | null) => {
        if (!call) return tell(null, 'No call in this range.');
        if (!base && which !== 'selected' && call.end - call.start === median)
          return tell(null, 'This call has the median duration itself. Select a slower one to compare.');
        const runs = await slowCallees(call);
        if (isOver) return undefined;
        const near = { trace, statistics, ...base, other: base && trace, calleesOf: medianCallees };
        const like = runs && (await findLike(base?.name ?? name, { call, runs }, median, near));
        if (!runs) return tell(null, 'The callees could not be found.');
        return like
          ? tell(together({ call, runs }, like, base?.scale), null)
          : tell(null, `There is no ${base ? '' : 'other '}call in this range to compare.`);
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

/** The direct callees of a call, with other names and ticks if those are given. */
async function calleesOf(
  trace: Pick<Trace, 'begin'>,
  { item, start, end }: Call,
  slot: string,
  nameOf?: (name: number) => number,
  scale = 1,
): Promise<readonly Run[] | null> {
  const range = { from: start, to: end, tracks: Uint32Array.of(item.track) };
  // Questions give their arrays away.
  const transforms = { kinds: new Uint8Array(), ends: new Uint32Array(), names: new Uint32Array() };
  const question = { kind: 'timeOrder', ...range, transforms } as const;
  const part = await answerOf<'timeOrder'>((take) => trace.begin(question, take, slot));
  const runs = part && runsOf(part, item.depth + 1);
  if (!runs || !nameOf) return runs;
  return runs.map((run) => ({
    ...run,
    name: nameOf(run.name),
    total: run.total * scale,
    self: run.self * scale,
  }));
}

/** The selected call, if it is one of the function. */
export function selectedCall(name: number, selection: Pick<Selection, 'selected'>): Call | null {
  const pointed = selection.selected.peek();
  if (pointed?.item?.kind !== 'slice' || pointed.name !== name || pointed.item.index === MANY || !pointed.end)
    return null;
  const { item, start, end, flags } = pointed;
  return { item, start, end: ticks(end), flags };
}

/** Two calls with their callees matched. `scale` is what durations of the slow one are multiplied by. */
export function together(
  slow: { readonly call: Call; readonly runs: readonly Run[] },
  median: Like,
  scale = 1,
): Matched {
  const [a, b] = [slow.runs, median.runs];
  const byName = a.length > MOST_RUNS || b.length > MOST_RUNS;
  const rows = byName ? aligned(summed(a), summed(b)) : aligned(a, b);
  const lengthOf = ({ start, end }: Call) => Number(end - start);
  const total = { slow: lengthOf(slow.call) * scale, median: lengthOf(median.call) };
  const own = (whole: number, runs: readonly Run[]) =>
    Math.max(0, whole - runs.reduce((sum, run) => sum + run.total, 0));
  const self = { slow: own(total.slow, a), median: own(total.median, b) };
  return { slow: slow.call, median: median.call, rows, byName, likeness: median.likeness, total, self };
}

/** Runs by name, in the order of first calls. */
function summed(runs: readonly Run[]): readonly Run[] {
  const sums = new Map<number, Run>();
  for (const run of runs) {
    const sum = sums.get(run.name);
    sums.set(run.name, sum ? added(sum, run) : run);
  }
  return [...sums.values()].slice(0, MOST_RUNS);
}

function added(a: Run, b: Run): Run {
  const sum = { count: a.count + b.count, total: a.total + b.total, self: a.self + b.self };
  return { name: a.name, ...sum, merged: a.merged || b.merged, longest: longerOf(a.longest, b.longest) };
}

/** Runs matched by name, as many as possible without changing the order of either side. */
export function aligned(slow: readonly Run[], median: readonly Run[]): readonly MatchedRow[] {
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
  const rows: MatchedRow[] = [];
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
