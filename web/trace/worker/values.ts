import type { WrongExpression } from '../../base/find_protocol.ts';
import type { RecordService } from '../../base/record_protocol.ts';
import { BUFFER_ORDERS, type PointRange, type ValuesService } from '../../base/values_protocol.ts';
import { asTraceError, notLoaded } from './errors.ts';
import type { Finds } from './found.ts';
import type { Scheduler } from './scheduler.ts';
import { reportTrap } from './serving.ts';
import { readNow } from './source.ts';

/** The module that answers questions about values. */
export type ValuesModule = typeof import('../../worker/wasm/unspool_predicates.js');
/** The values of one trace. */
export type Values = InstanceType<ValuesModule['Values']>;

/** Loads the module with the first question. Throws a `TraceError` if it does not load. */
async function loadValues(): Promise<ValuesModule> {
  try {
    const module = await import('../../worker/wasm/unspool_predicates.js');
    await module.default();
    return module;
  } catch {
    throw notLoaded('The part of this page that asks for values');
  }
}

/** Bytes of the file that are read at once. */
const PORTION = 2 * 1024 * 1024;
/** Combinations of variables of a step: about a millisecond. */
const BUDGET = 30_000;
/** Rows of a step that compares columns. */
const ROWS = 20_000;
/** Length of a turn in milliseconds. */
const TURN_MS = 10;
/** Minimum time between two reports about a question. */
const REPORT_MS = 100;

/** The points of a range, or all, as the module takes them. */
function pointsOf(range: PointRange | null): [from: number, to: number] {
  return range ? [range.from, range.to] : [0, Number.MAX_SAFE_INTEGER];
}

/** Reads the file while the caller waits. */
type Read = (from: number, to: number) => Uint8Array;

function readPortion(values: Values, read: Read): void {
  const from = values.wantsFrom();
  values.push(read(from, Math.min(values.wantsTo(), from + PORTION)));
}

/** Reads on for a turn. Returns whether the whole trace has been read, at least once. */
function readOn(values: Values, read: Read): boolean {
  const until = performance.now() + TURN_MS;
  while (!values.wasLoaded()) {
    if (performance.now() >= until) return false;
    readPortion(values, read);
  }
  return true;
}

/** The questions that are answered side by side, by their numbers in `crate/wasm/predicates`. */
const SLOTS = { search: 0, table: 1, variables: 2, buffers: 3, statements: 4, profile: 5, findings: 6 } as const;

/** Goes on with a question for a turn. Returns whether it is answered. */
function askOn(values: Values, slot: (typeof SLOTS)[keyof typeof SLOTS], read: Read): boolean {
  const until = performance.now() + TURN_MS;
  do {
    const step = values.step(slot, BUDGET);
    if (step === 2) return true;
    if (step === 0) readPortion(values, read);
  } while (performance.now() < until);
  return false;
}

/** When the share of each question was reported last. */
const toldAt = new Map<number, number>();

/** {@link askOn}, telling now and then how much of the trace has been asked. */
function askAloud(
  values: Values,
  slot: (typeof SLOTS)[keyof typeof SLOTS],
  read: Read,
  hear: (share: number) => void,
): boolean {
  const now = performance.now();
  if (now - (toldAt.get(slot) ?? 0) > REPORT_MS) {
    toldAt.set(slot, now);
    hear(values.share(slot));
  }
  return askOn(values, slot, read);
}

/** Repeats a step for a turn. Returns whether it said that it was the last. */
function inBudget(step: () => boolean): boolean {
  const until = performance.now() + TURN_MS;
  do {
    if (step()) return true;
  } while (performance.now() < until);
  return false;
}

/** Values of the open trace. */
export interface AskedValues {
  /** The trace has changed: earlier questions and values are forgotten. */
  open(file: Blob, index: Uint8Array): void;
  /** Looks for points, one search at a time. */
  search(query: string, take: Finds['add'], stop: AbortSignal): Promise<void>;
  /** The questions of the page. */
  readonly service: ValuesService & Pick<RecordService, 'keepValues' | 'watchValues'>;
}

/** No trace yet. */
export function createAskedValues(scheduler: Pick<Scheduler, 'add'>): AskedValues {
  let source: { readonly file: Blob; readonly index: Uint8Array } | null = null;
  let most = 0;
  let kept = 0;
  let loading: Promise<Values> | null = null;
  let hearKept: (bytes: number) => void = () => undefined;
  const reader = () => (from: number, to: number) => readNow(source!.file, from, to);
  const get = () => {
    loading ??= loadValues().then(({ Values: Of }) => new Of(source!.index, most));
    loading.catch(() => {
      loading = null;
    });
    return loading;
  };
  const setKept = (now: number) => {
    if (now !== kept) hearKept(now);
    kept = now;
  };
  /** Goes on until `turn` returns true. Ends with the trace, and at once if it is stopped. */
  const inTurns = (turn: () => boolean, stop?: AbortSignal) => {
    const mine = source;
    return new Promise<void>((resolve, reject) => {
      const remove = scheduler.add('rest', () => {
        try {
          if (source === mine && !turn()) return true;
          resolve();
        } catch (thrown) {
          reject(thrown);
        }
        return false;
      });
      stop?.addEventListener('abort', () => {
        remove();
        resolve();
      });
    });
  };
  /** Answers a question with the values, which may be read for it. */
  const withValues = async <T>(answer: (values: Values, read: Read) => T | Promise<T>): Promise<T> => {
    const values = await get();
    const answered = await answer(values, reader());
    setKept((await get()).kept());
    return answered;
  };
  /** For questions that say what is wrong: also that they cannot be answered. */
  const asWrong = (thrown: unknown): { readonly wrong: WrongExpression } => {
    reportTrap(thrown);
    return { wrong: { sentence: asTraceError(thrown).sentence, at: 0, length: 0 } };
  };
  /** The newest iteration table. */
  let newestTable = 0;
  let sorted = '';
  let sortedBuffers = { order: '', count: 0 };
  /** The ranges that statements and variables were asked about last. */
  let newest = { statements: '', variables: '' };
  let newestProfile = 0;

  const table: ValuesService['table'] = (statement, query, range) =>
    withValues(async (values, read) => {
      newestTable += 1;
      const mine = newestTable;
      // Statements have numbers once they are read.
      await inTurns(() => readOn(values, read));
      if (mine !== newestTable) return null;
      const wrong: WrongExpression | undefined = values.beginRows(statement, query, ...pointsOf(range));
      if (wrong) return { wrong };
      sorted = '';
      await inTurns(() => mine !== newestTable || askOn(values, SLOTS.table, read));
      return mine === newestTable ? values.table() : null;
    });
  const search: AskedValues['search'] = async (query, take, stop) => {
    const values = await get();
    if (stop.aborted) return;
    const read = reader();
    values.begin(query);
    const mine = source;
    let told = 0;
    let toldAt = performance.now();
    await inTurns(() => {
      const isDone = askOn(values, SLOTS.search, read);
      const count = values.count();
      // The first hits are reported at once.
      if (isDone || (told === 0 && count > 0) || performance.now() - toldAt > REPORT_MS) {
        setKept(values.kept());
        told = count;
        toldAt = performance.now();
        take(values.take(), count, values.share(SLOTS.search), isDone ? values.whyNone(query) : undefined);
      }
      return isDone;
    }, stop).finally(() => {
      if (source === mine) values.stop(SLOTS.search);
    });
  };

  return {
    search,
    open: (file, index) => {
      void loading?.then((values) => values.free()).catch(() => undefined);
      loading = null;
      sortedBuffers = { order: '', count: 0 };
      source = { file, index };
      setKept(0);
    },
    service: {
      checkQuery: (query) => withValues((values) => ({ wrong: values.check(query) ?? null })).catch(asWrong),
      knownValues: () => withValues((values) => values.known()),
      statements: (range) =>
        withValues(async (values, read) => {
          if (!range) {
            await inTurns(() => readOn(values, read));
            return values.statements(false);
          }
          const mine = `${pointsOf(range)}`;
          newest = { ...newest, statements: mine };
          values.beginStatements(...pointsOf(range));
          await inTurns(() => mine !== newest.statements || askOn(values, SLOTS.statements, read));
          return mine === newest.statements ? values.statements(true) : null;
        }),
      table: (statement, query, range) => table(statement, query, range).catch(asWrong),
      occurrences: (first, count, column, descending) =>
        withValues((values) => {
          const order = `${column} ${descending}`;
          if (order !== sorted) values.sort(column < 0 ? undefined : column, descending);
          sorted = order;
          return values.rows(first, count);
        }),
      occurrenceAt: (point) => withValues((values) => values.rowOf(point) ?? -1),
      invariants: () =>
        withValues(async (values) => {
          const mine = newestTable;
          await inTurns(() => mine !== newestTable || inBudget(() => values.stepInvariants(ROWS)));
          return mine === newestTable ? values.invariants() : null;
        }),
      variables: (range) =>
        withValues(async (values, read) => {
          const mine = `${pointsOf(range)}`;
          newest = { ...newest, variables: mine };
          values.beginVariables(...pointsOf(range));
          await inTurns(() => mine !== newest.variables || askOn(values, SLOTS.variables, read));
          return mine === newest.variables ? values.variables() : null;
        }),
      profile: (range, hear) =>
        withValues(async (values, read) => {
          newestProfile += 1;
          const mine = newestProfile;
          values.beginProfile(...pointsOf(range));
          await inTurns(() => mine !== newestProfile || askAloud(values, SLOTS.profile, read, hear));
          const found = mine === newestProfile ? values.profile() : undefined;
          if (mine === newestProfile) values.stop(SLOTS.profile);
          return found ?? null;
        }),
      standing: (names, hear) =>
        withValues(async (values, read) => {
          values.beginFindings();
          await inTurns(() => askAloud(values, SLOTS.findings, read, hear));
          const found = values.findings([...names]);
          values.stop(SLOTS.findings);
          return found;
        }),
      buffers: () =>
        withValues(async (values, read) => {
          values.beginBuffers();
          await inTurns(() => askOn(values, SLOTS.buffers, read));
          return values.bufferTable() ?? null;
        }),
      bufferRows: (first, most, by, descending, range) =>
        withValues((values) => {
          const order = `${by} ${descending} ${pointsOf(range)}`;
          if (order !== sortedBuffers.order) {
            const count = values.sortBuffers(BUFFER_ORDERS.indexOf(by), descending, ...pointsOf(range));
            sortedBuffers = { order, count };
          }
          return { rows: values.bufferRows(first, most), count: sortedBuffers.count };
        }),
      keepValues: (bytes) => {
        most = bytes;
        loading?.then(
          (values) => {
            values.keepAtMost(bytes);
            setKept(values.kept());
          },
          () => undefined,
        );
      },
      watchValues: (hear) => {
        hearKept = hear;
        return new Promise(() => undefined);
      },
    },
  };
}
