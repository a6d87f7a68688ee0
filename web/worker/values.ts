import type { TraceError } from '../base/protocol.ts';
import type { FromRecords, ToRecords } from '../base/record_protocol.ts';
import { BUFFER_ORDERS, type ValuesAnswer, type ValuesQuestion } from '../base/values_protocol.ts';
import { notLoaded } from './errors.ts';
import type { Scheduler } from './scheduler.ts';

/** The module that answers questions about values. */
export type ValuesModule = typeof import('./wasm/unspool_predicates.js');
/** The values of one trace. */
export type Values = InstanceType<ValuesModule['Values']>;

/** Loads the module with the first question. Throws a `TraceError` if it does not load. */
async function loadValues(): Promise<ValuesModule> {
  try {
    const module = await import('./wasm/unspool_predicates.js');
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
const SLOTS = { search: 0, table: 1, variables: 2, buffers: 3 } as const;

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
  /** The trace has changed: earlier questions and values are forgotten. `null` for one without values. */
  open(file: Blob, index: Uint8Array | null): void;
  /** How many bytes of values may be kept for the next question. */
  keepAtMost(bytes: number): void;
  answer(message: Extract<ToRecords, { t: 'about-values' }>): Promise<void>;
  /** Answers a question in turns. Returns a function that ends it, which has the reply sent. */
  ask(message: Extract<ToRecords, { t: 'ask-values' }>): () => void;
}

/** Minimum time between two reports about a question. */
const REPORT_MS = 100;

/** No trace yet. `fail` sends what was thrown as the answer. */
export function createAskedValues(
  post: (message: FromRecords) => void,
  scheduler: Pick<Scheduler, 'add'>,
  fail: (thrown: unknown, send: (error: TraceError) => void) => void,
): AskedValues {
  let source: { readonly file: Blob; readonly index: Uint8Array } | null = null;
  let most = 0;
  let kept = 0;
  let loading: Promise<Values> | null = null;
  const reader = () => {
    const files = new FileReaderSync();
    return (from: number, to: number) => new Uint8Array(files.readAsArrayBuffer(source!.file.slice(from, to)));
  };
  const get = () => {
    loading ??= loadValues().then(({ Values: Of }) => new Of(source!.index, most));
    loading.catch(() => {
      loading = null;
    });
    return loading;
  };
  const tellKept = (values: Values) => {
    const now = values.kept();
    if (now !== kept) post({ t: 'values-kept', bytes: now });
    kept = now;
  };
  /** Goes on until `turn` returns true. Ends with the trace. */
  const inTurns = (turn: () => boolean) => {
    const mine = source;
    return new Promise<void>((resolve, reject) => {
      scheduler.add('rest', () => {
        try {
          if (source === mine && !turn()) return true;
          resolve();
        } catch (thrown) {
          reject(thrown);
        }
        return false;
      });
    });
  };
  /** The newest iteration table. */
  let newestTable = 0;
  let sorted = '';
  let sortedBuffers = '';
  const answerTo = async (ask: ValuesQuestion): Promise<ValuesAnswer | null> => {
    const values = await get();
    const read = reader();
    switch (ask.what) {
      case 'check':
        return { wrong: values.check(ask.query) ?? null };
      case 'known':
        return values.known();
      case 'statements': {
        await inTurns(() => readOn(values, read));
        return values.statements();
      }
      case 'table': {
        newestTable += 1;
        const mine = newestTable;
        // Statements have numbers once they are read.
        await inTurns(() => readOn(values, read));
        if (mine !== newestTable) return null;
        const wrong = values.beginRows(ask.statement, ask.query);
        if (wrong) return { wrong };
        sorted = '';
        await inTurns(() => mine !== newestTable || askOn(values, SLOTS.table, read));
        return mine === newestTable ? values.table() : null;
      }
      case 'rows': {
        const { first, count, column, descending } = ask;
        const order = `${column} ${descending}`;
        if (order !== sorted) values.sort(column < 0 ? undefined : column, descending);
        sorted = order;
        return values.rows(first, count);
      }
      case 'invariants': {
        const mine = newestTable;
        await inTurns(() => mine !== newestTable || inBudget(() => values.stepInvariants(ROWS)));
        return mine === newestTable ? values.invariants() : null;
      }
      case 'variables':
        values.beginVariables();
        await inTurns(() => askOn(values, SLOTS.variables, read));
        return values.variables();
      case 'buffers':
        values.beginBuffers();
        await inTurns(() => askOn(values, SLOTS.buffers, read));
        return values.bufferTable() ?? null;
      case 'buffer-rows': {
        const { first, count, by, descending } = ask;
        const order = `${by} ${descending}`;
        if (order !== sortedBuffers) values.sortBuffers(BUFFER_ORDERS.indexOf(by), descending);
        sortedBuffers = order;
        return values.bufferRows(first, count);
      }
      case 'row':
        return { row: values.rowOf(ask.point) ?? null };
    }
  };
  return {
    keepAtMost: (bytes) => {
      most = bytes;
      loading?.then(
        (values) => {
          values.keepAtMost(bytes);
          tellKept(values);
        },
        () => undefined,
      );
    },
    open: (file, index) => {
      void loading?.then((values) => values.free()).catch(() => undefined);
      loading = null;
      sortedBuffers = '';
      source = index && { file, index };
      if (kept > 0) post({ t: 'values-kept', bytes: 0 });
      kept = 0;
    },
    answer: async ({ id, ask }) => {
      const send = (answer: ValuesAnswer | null) => post({ t: 'values', id, answer });
      try {
        send(await answerTo(ask));
        tellKept(await get());
      } catch (thrown) {
        fail(thrown, ({ sentence }) => {
          send(ask.what === 'check' || ask.what === 'table' ? { wrong: { sentence, at: 0, length: 0 } } : null);
        });
      }
    },
    ask: ({ id, query }) => {
      let remove: () => void = () => undefined;
      let stop: () => void = () => undefined;
      let isOver = false;
      const end = (error: TraceError | null) => {
        if (isOver) return;
        isOver = true;
        remove();
        stop();
        post({ t: 'searched', id, error });
      };
      const begin = async () => {
        const values = await get();
        if (isOver) return;
        const read = reader();
        values.begin(query);
        const mine = source;
        stop = () => {
          if (source === mine) values.stop(SLOTS.search);
        };
        let told = 0;
        let toldAt = performance.now();
        remove = scheduler.add('rest', () => {
          try {
            const isDone = askOn(values, SLOTS.search, read);
            const count = values.count();
            // The first hits are reported at once.
            if (isDone || (told === 0 && count > 0) || performance.now() - toldAt > REPORT_MS) {
              tellKept(values);
              told = count;
              toldAt = performance.now();
              post({
                t: 'searching',
                id,
                found: values.take(),
                count,
                share: values.share(SLOTS.search),
              });
            }
            if (!isDone) return true;
            end(null);
          } catch (thrown) {
            fail(thrown, end);
          }
          return false;
        });
      };
      begin().catch((thrown) => fail(thrown, end));
      return () => end(null);
    },
  };
}
