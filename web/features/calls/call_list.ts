import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { CallList, CallOrder } from '../../base/calls_protocol.ts';
import type { JobProgress, JobQuestion, JobReply } from '../../base/job_protocol.ts';
import { type Item, MANY, type Percentiles } from '../../base/protocol.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { MAX_TICKS } from '../../base/ticks.ts';
import { watch } from '../../base/watch.ts';
import { type Call, callOf, selectCall } from '../../trace/find_call.ts';
import { pointedOf } from '../../trace/pointed.ts';
import { createRowList } from '../../trace/row_list.ts';
import type { Selection } from '../../trace/selection.ts';
import { createSlowCall, type Slow, type SlowCall } from '../../trace/slow_call.ts';
import type { Statistics } from '../../trace/statistics.ts';
import type { Trace } from '../../trace/trace.ts';

/** Rows of one request. */
const BLOCK = 256;

/** Calls from anywhere. */
const NO_PATH = new Uint32Array();

type Slice = Extract<Item, { kind: 'slice' }>;

/** Durations in ticks, both included. */
export interface Interval {
  readonly shortest: bigint;
  readonly longest: bigint;
}

/** The calls of one function in the range and the thread of the panels. */
export interface FunctionCalls {
  /** Name id. */
  readonly name: number;
  readonly order: Signal<CallOrder>;
  /** Only calls of these durations; null for all. */
  readonly interval: Signal<Interval | null>;
  /**
   * What is known of the list; null until it is there. Its rows are those of the latest request. While another list is
   * being made, it is that of the one before.
   */
  readonly list: ReadonlySignal<CallList | null>;
  readonly progress: ReadonlySignal<JobProgress | null>;
  /** Why there is no list, in a sentence; null while nothing is wrong. */
  readonly failure: ReadonlySignal<string | null>;
  /** Exact percentiles of all calls in the range; null until they are known. */
  readonly percentiles: ReadonlySignal<Percentiles | null>;
  /** The calls that are compared; null while they are not. */
  readonly compared: ReadonlySignal<SlowCall | null>;
  /** Finds the first call of a duration, and selects it. */
  chooseDuration(duration: bigint): void;
  /** Compares a call with a median one, or the comparison before is over: null. */
  compare(slow: Slow | null): void;
  /** Grows when rows have arrived. */
  readonly version: ReadonlySignal<number>;
  /** Number of the current row, or -1. */
  readonly current: ReadonlySignal<number>;
  /** A row to bring into view; a new object for each wish. */
  readonly wanted: ReadonlySignal<{ readonly row: number } | null>;
  /** A row, or null if it is not there yet. */
  row(number: number): Call | null;
  /** Requests the rows of a part of the list that are not there yet, `end` exclusive. */
  want(first: number, end: number): void;
  /** Rows of the list from number `first` on, for a person who takes them along. null if there are none any more. */
  portion(first: number, count: number): Promise<readonly Call[] | null>;
  /** Selects the call of a row in the timeline. */
  choose(number: number): void;
  readonly dispose: Dispose;
}

/** Lists the calls of a function, as the scope of the `statistics` changes. The list and the `selection` follow each other. */
export function createCallList(
  name: number,
  trace: Pick<Trace, 'begin' | 'details' | 'status'>,
  statistics: Pick<Statistics, 'asked' | 'range' | 'whose'>,
  selection: Pick<Selection, 'selected' | 'reveal'>,
): FunctionCalls {
  const percentiles = signal<Percentiles | null>(null);
  const scope = createScope();
  const order = signal<CallOrder>('start');
  const interval = signal<Interval | null>(null);
  const list = signal<CallList | null>(null);
  const progress = signal<JobProgress | null>(null);
  const failure = signal<string | null>(null);
  const wanted = signal<{ readonly row: number } | null>(null);
  let cancel: Dispose | null = null;
  /** No row of the list is known yet. */
  let isNew = true;
  /** The call whose place the next request asks for. */
  let sought: Slice | null = null;
  /** What the user chose in the list: its row is the current one already. */
  let mine: unknown = null;
  /** The row of the selection is wanted: not because the list is in another order, or narrowed. */
  let isSought = true;

  const selectedCall = (): Slice | null => {
    const pointed = selection.selected.peek();
    return pointed?.item?.kind === 'slice' && pointed.name === name && pointed.item.index !== MANY
      ? pointed.item
      : null;
  };
  const question = (first: number, count: number, of: Slice | null): JobQuestion<'calls'> => {
    const { shortest, longest } = interval.peek() ?? { shortest: 0n, longest: MAX_TICKS };
    const about = { name, path: NO_PATH, shortest, longest, order: order.peek(), first, rows: count, of };
    return { kind: 'calls', ...statistics.asked(), ...about };
  };
  const rows = createRowList<Call>({
    ask: (first, count, take) => {
      const of = sought;
      sought = null;
      cancel?.();
      cancel = trace.begin(question(first, count, of), (reply) => {
        if (reply.t === 'job-progress') progress.value = reply.progress;
        else hear(reply, of, take);
      });
    },
    count: () => (isNew ? Number.POSITIVE_INFINITY : (list.peek()?.listed ?? 0)),
    select: (call) => {
      const pointed = pointedOf({ ...call, name });
      mine = pointed;
      selection.reveal(pointed);
    },
    block: BLOCK,
  });
  const { current } = rows;
  const hear = (
    reply: Exclude<JobReply<'calls'>, { t: 'job-progress' }>,
    of: Slice | null,
    take: (rows: readonly Call[] | null) => void,
  ) => {
    cancel = null;
    progress.value = null;
    if (reply.t === 'job-failed') {
      list.value = null;
      failure.value = reply.error.sentence;
      take(null);
      return;
    }
    const { part } = reply;
    isNew = false;
    failure.value = null;
    list.value = part;
    if (of) {
      current.value = part.found ? part.at : -1;
      // By start, the place where the call would be is a place to look at, too.
      if (isSought && (part.found || order.peek() === 'start')) wanted.value = { row: part.at };
    }
    take(callsOf(part));
  };
  /** Asks for the rows around number `first`, and for the place of a call. */
  const seek = (first: number, of: Slice | null) => {
    sought = of;
    rows.want(first, first + 1, true);
  };

  scope.add(
    watch([statistics.range, statistics.whose, order, interval, trace.status], () => {
      // While the file is being read, calls are added and others still run.
      if (trace.status.peek().at === 'loading') return;
      rows.renew();
      current.value = -1;
      isSought = list.peek() === null;
      wanted.value = null;
      // The list before stays in sight, so that nothing flickers.
      isNew = true;
      seek(0, selectedCall());
    }),
  );
  scope.add(
    watch([selection.selected], () => {
      const item = selectedCall();
      if (isNew || selection.selected.peek() === mine) return;
      current.value = -1;
      isSought = true;
      if (item) seek(wanted.peek()?.row ?? 0, item);
    }),
  );
  scope.add(() => cancel?.());
  scope.add(
    watch([statistics.range, statistics.whose, trace.status], () => {
      percentiles.value = null;
      if (trace.status.peek().at === 'loading') return undefined;
      const take = (reply: JobReply<'percentiles'>) => {
        if (reply.t === 'job-part') percentiles.value = reply.part;
      };
      return trace.begin({ kind: 'percentiles', ...statistics.asked(), name }, take, 'percentiles of the list');
    }),
  );
  const comparison = createSlowCall(name, { trace, statistics, selection }, percentiles);
  scope.add(comparison.dispose);

  return {
    name,
    percentiles,
    compared: comparison.compared,
    compare: comparison.compare,
    chooseDuration: (duration) => {
      scope.add(selectCall({ name, order: 'start', duration }, { trace, statistics, selection }));
    },
    order,
    interval,
    list,
    progress,
    failure,
    version: rows.version,
    current,
    wanted,
    row: rows.row,
    want: (first, end) => {
      // Another question would begin the scan again.
      if (!isNew) rows.want(first, end);
    },
    portion: (first, count) =>
      new Promise((resolve) => {
        const taken = (reply: JobReply<'calls'>) => {
          if (reply.t === 'job-failed') resolve(null);
          if (reply.t === 'job-part') resolve(callsOf(reply.part));
        };
        // A slot of its own: what the list shows is not disturbed, and one scan is enough for all portions.
        scope.add(trace.begin(question(first, count, null), taken, 'calls to take'));
      }),
    choose: rows.choose,
    dispose: scope.dispose,
  };
}

function callsOf(part: CallList): readonly Call[] {
  return Array.from({ length: part.length }, (_, i) => callOf(part, i));
}
