import type { FoundRecords, WrongExpression } from '../base/find_protocol.ts';
import type { TraceError } from '../base/protocol.ts';
import type { FromRecords, ToRecords, ValuesKnown } from '../base/record_protocol.ts';
import { notLoaded } from './errors.ts';
import type { Scheduler } from './scheduler.ts';

/** The module that answers questions about values. */
export type ValuesModule = typeof import('./wasm/unspool_predicates.js');
/** The values of one trace. */
export type Values = InstanceType<ValuesModule['Values']>;

/** Loads the module with the first question. Throws a `TraceError` if it does not load. */
export async function loadValues(): Promise<ValuesModule> {
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
/** Length of a turn in milliseconds. */
const TURN_MS = 10;

/** Goes on with the question for a turn. `read` reads the file while the caller waits. Returns whether it is answered. */
export function askOn(values: Values, read: (from: number, to: number) => Uint8Array): boolean {
  const until = performance.now() + TURN_MS;
  do {
    const step = values.step(BUDGET);
    if (step === 2) return true;
    if (step === 0) {
      const from = values.wantsFrom();
      values.push(read(from, Math.min(values.wantsTo(), from + PORTION)));
    }
  } while (performance.now() < until);
  return false;
}

/** Values of the open trace. */
export interface AskedValues {
  /** The trace has changed: earlier questions and values are forgotten. `null` for one without values. */
  open(file: Blob, index: Uint8Array | null): void;
  check(message: Extract<ToRecords, { t: 'check-values' }>): Promise<void>;
  know(message: Extract<ToRecords, { t: 'know-values' }>): Promise<void>;
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
  let loading: Promise<Values> | null = null;
  const reader = () => {
    const files = new FileReaderSync();
    return (from: number, to: number) => new Uint8Array(files.readAsArrayBuffer(source!.file.slice(from, to)));
  };
  const get = () => {
    loading ??= loadValues().then(({ Values: Of }) => new Of(source!.index));
    loading.catch(() => {
      loading = null;
    });
    return loading;
  };
  return {
    open: (file, index) => {
      void loading?.then((values) => values.free()).catch(() => undefined);
      loading = null;
      source = index && { file, index };
    },
    check: async ({ id, query }) => {
      const send = (wrong: WrongExpression | null) => post({ t: 'values-checked', id, wrong });
      try {
        send(((await get()).check(query) as WrongExpression | undefined) ?? null);
      } catch (thrown) {
        fail(thrown, ({ sentence }) => send({ sentence, at: 0, length: 0 }));
      }
    },
    know: async ({ id }) => {
      const send = (known: ValuesKnown | null) => post({ t: 'values-known', id, known });
      try {
        send((await get()).known() as ValuesKnown);
      } catch (thrown) {
        fail(thrown, () => send(null));
      }
    },
    ask: ({ id, query }) => {
      let remove: () => void = () => undefined;
      let isOver = false;
      const end = (error: TraceError | null) => {
        if (isOver) return;
        isOver = true;
        remove();
        post({ t: 'searched', id, error });
      };
      const begin = async () => {
        const values = await get();
        if (isOver) return;
        const read = reader();
        values.begin(query);
        let told = 0;
        let toldAt = performance.now();
        remove = scheduler.add('rest', () => {
          try {
            const isDone = askOn(values, read);
            const count = values.count();
            // The first hits are told at once.
            if (isDone || (told === 0 && count > 0) || performance.now() - toldAt > REPORT_MS) {
              told = count;
              toldAt = performance.now();
              post({ t: 'searching', id, found: values.take() as FoundRecords, count, share: values.share() });
            }
            if (!isDone) return true;
            performance.mark('unspool:values', { detail: { tested: values.tested() } });
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
