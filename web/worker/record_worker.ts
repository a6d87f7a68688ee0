import type { TraceError } from '../base/protocol.ts';
import {
  type FoundRecords,
  type FromRecords,
  SEARCH_SLOTS,
  type SearchSlot,
  type TabulatedPart,
  type ToRecords,
} from '../base/record_protocol.ts';
import { loadDecompressors } from './decompressors.ts';
import { createDisassemblerLoader } from './disassembler.ts';
import { asTraceError, isTrap } from './errors.ts';
import { wordsOf } from './instructions.ts';
import { createLanguageLoader, type Language } from './language.ts';
import { openDatabase, startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import { createScheduler } from './scheduler.ts';
import { databaseBytes } from './sqlite.ts';
import { createAskedValues } from './values.ts';
import init, { provideDecompressors, RecordReader } from './wasm/unspool_records.js';

/** The worker of one trace's records. It is never reset. */
export interface RecordWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToRecords): void;
}

/** Sends an error as the answer to a question. */
type Fail = (error: TraceError) => void;

/** Compiles regular expressions; bound by `crate/wasm/records`. */
interface Expressions {
  compile(source: string, ignoreCase: boolean): InstanceType<Language['Expression']> | undefined;
}

/** For a list without a filter. */
const NO_CONDITIONS = { disassembler: undefined, expressions: { compile: () => undefined } satisfies Expressions };

/** Minimum time between two reports about a list that is being made. */
const REPORT_MS = 100;

/** About how long a part of the tables of records takes to make. */
const TABULATE_MS = 25;

const loadReader = startReader(() => init());

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createRecordWorker(post: (message: FromRecords) => void): RecordWorker {
  const loadDisassembler = createDisassemblerLoader();
  const loadLanguage = createLanguageLoader();
  const scheduler = createScheduler();
  let opened: Extract<ToRecords, { t: 'open' }> | null = null;
  let reader: Promise<RecordReader> | null = null;
  /** The file of the reader, unless that is a database. */
  let source: RecordFile | null = null;
  let newestRows: Extract<ToRecords, { t: 'rows' }> | null = null;
  /** Id of the newest list, and what removes its turns. */
  let newestList = 0;
  let stopList: () => void = () => undefined;
  let stopSurvey: () => void = () => undefined;
  let stopCollect: () => void = () => undefined;
  /** Ids of the newest searches by slot, and what ends them. */
  const newestSearch = new Map<SearchSlot, number>();
  const stopSearch = new Map<SearchSlot, () => void>();

  const values = createAskedValues(post, scheduler, (thrown, send) => failWith(thrown, send));
  const openRows = async ({ file, log, format }: { file: Blob; log: Blob | null; format: string }) => {
    const disassembling = loadDisassembler().catch(() => undefined);
    await loadReader();
    return RecordReader.ofDatabase(format, await openDatabase(databaseBytes(file, log)), await disassembling);
  };
  const openIndex = async ({ file, format }: { file: Blob; format: string }, index: Uint8Array) => {
    await loadReader();
    source = new RecordFile(file);
    const opened = new RecordReader(format, index, source);
    if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
    return opened;
  };
  /** Sends what was thrown as the answer. After a trap the page gets an error event, too, and starts another worker. */
  const failWith = (thrown: unknown, fail: Fail) => {
    fail(asTraceError(thrown));
    if (isTrap(thrown)) reportError(thrown);
  };
  /** Runs something on the reader, in its turn. An error becomes the answer that `fail` sends. */
  const withReader = async (run: (open: RecordReader) => void | Promise<void>, fail: Fail) => {
    try {
      if (reader) await run(await reader);
    } catch (thrown) {
      failWith(thrown, fail);
    }
  };

  /**
   * Calls `turn` at once, and then until it returns null, each time when the bytes that it will read are there. It returns how
   * far into the file the pass is: a fraction. An error becomes the answer that `fail` sends. Returns a function that ends
   * this.
   */
  const inTurns = (turn: () => number | null, fail: Fail): (() => void) => {
    let stopped = false;
    let remove: () => void = () => undefined;
    const take = () => {
      try {
        const reached = turn();
        if (reached === null) return;
        if (source) source.at = reached * source.size;
        void Promise.resolve(source?.arrival()).then(next);
      } catch (thrown) {
        failWith(thrown, fail);
      }
    };
    const next = () => {
      if (stopped) return;
      remove = scheduler.add('rest', () => {
        take();
        return false;
      });
    };
    take();
    return () => {
      stopped = true;
      remove();
    };
  };

  const sendRecord = async (id: number, locator: bigint) => {
    const none = (error: TraceError) => post({ t: 'record', id, record: null, error });
    await withReader(async (open) => {
      const record = open.details(locator);
      post({
        t: 'record',
        id,
        record: { ...record, fields: await wordsOf(record.fields, loadDisassembler) },
        error: null,
      });
    }, none);
  };
  const sendRows = async ({ t, id, first, count }: Extract<ToRecords, { t: 'rows' | 'portion' }>) => {
    const none = (error: TraceError) => post({ t, id, rows: null, error });
    await withReader(async (open) => {
      const rows = open.rows(first, count);
      const inWords = rows.map(async (row) => ({ ...row, fields: await wordsOf(row.fields, loadDisassembler) }));
      post({ t, id, rows: await Promise.all(inWords), error: null });
    }, none);
  };
  /** What conditions on records may need. */
  const loadForConditions = async () => {
    // Only instructions need it. Without it, no condition about them holds.
    const disassembler = await loadDisassembler().catch(() => undefined);
    const language = await loadLanguage().catch(() => undefined);
    const expressions: Expressions = {
      compile: (source, ignoreCase) => language && new language.Expression(source, ignoreCase),
    };
    return { disassembler, expressions };
  };
  const makeList = async ({ id, scope }: Extract<ToRecords, { t: 'list' }>) => {
    stopList();
    newestList = id;
    const { range, tracks, filter } = scope;
    const none = (error: TraceError) => post({ t: 'listed', id, listed: null, error });
    const { disassembler, expressions } = filter ? await loadForConditions() : NO_CONDITIONS;
    await withReader((open) => {
      if (newestList !== id) return;
      open.list(range?.from, range?.to, tracks ?? undefined, filter ?? undefined, disassembler, expressions);
      let reportedAt = performance.now();
      const turn = () => {
        if (open.advance()) {
          post({ t: 'listed', id, listed: open.listed(), error: null });
          return null;
        }
        if (performance.now() - reportedAt > REPORT_MS) {
          reportedAt = performance.now();
          // What is found so far can be asked for.
          post({ t: 'listing', id, listed: open.listed() });
        }
        return open.reached();
      };
      // A list in the order of the file is complete at once. Others look at every record, in turns.
      stopList = inTurns(turn, none);
    }, none);
  };

  const collect = async ({ id, wanted }: Extract<ToRecords, { t: 'collect' }>) => {
    const none = (error: TraceError | null) => post({ t: 'collected', id, found: null, error });
    await withReader((open) => {
      if (wanted.what === 'address') open.beginCollect(wanted.address, [], []);
      else if (wanted.what === 'field') open.beginCollect(undefined, [...wanted.names], [...wanted.path]);
      else if (wanted.what === 'memory') open.beginMemory(wanted.address, wanted.len);
      else open.beginRuns(wanted.what === 'runs' ? wanted.key : undefined);
      let budget = 8;
      let reportedAt = performance.now();
      const stop = inTurns(() => {
        const made = open.collect(budget);
        if (!made) return null;
        const { at, of, found } = made;
        budget = source ? Math.max(1, Math.round((of * STEP_BYTES) / source.size)) : 64;
        if (found) {
          post({ t: 'collected', id, found, error: null });
          stopCollect = () => undefined;
          return null;
        }
        if (performance.now() - reportedAt > REPORT_MS) {
          reportedAt = performance.now();
          post({ t: 'collecting', share: at / of });
        }
        return at / of;
      }, none);
      stopCollect = () => {
        stop();
        none(null);
      };
    }, none);
  };

  const search = async ({ id, slot, filter }: Extract<ToRecords, { t: 'search' }>) => {
    stopSearch.get(slot)?.();
    newestSearch.set(slot, id);
    const none = (error: TraceError | null) => post({ t: 'searched', id, error });
    const { disassembler, expressions } = await loadForConditions();
    await withReader((open) => {
      if (newestSearch.get(slot) !== id) return none(null);
      const number = SEARCH_SLOTS[slot];
      open.beginSearch(number, filter, disassembler, expressions);
      let budget = 1;
      let pending: FoundRecords[] = [];
      let told = 0;
      let toldAt = performance.now();
      const stop = inTurns(() => {
        const made = open.search(number, budget);
        if (!made) return null;
        const { at, of, count, found } = made;
        budget = source ? Math.max(1, Math.round((of * STEP_BYTES) / source.size)) : 64;
        pending.push(found);
        const isDone = at >= of;
        // The first hits are reported at once.
        if (isDone || (told === 0 && count > 0) || performance.now() - toldAt > REPORT_MS) {
          told = count;
          toldAt = performance.now();
          for (const [i, part] of pending.entries()) {
            if (part.x.length > 0 || part.texts.length > 0 || i === pending.length - 1) {
              post({ t: 'searching', id, found: part, count, share: at / Math.max(1, of) });
            }
          }
          pending = [];
        }
        if (!isDone) return at / of;
        stopSearch.delete(slot);
        none(null);
        return null;
      }, none);
      stopSearch.set(slot, () => {
        stop();
        none(null);
        stopSearch.delete(slot);
      });
    }, none);
  };

  const tabulate = async ({ id, range, next, rows, bytes }: Extract<ToRecords, { t: 'tabulate' }>) => {
    const none = (error: TraceError) => post({ t: 'tabulated', id, part: null, error });
    await withReader((open) => {
      const until = performance.now() + TABULATE_MS;
      const parts: TabulatedPart[] = [];
      let made = { rows: 0, bytes: 0 };
      let at = next;
      let budget = 1;
      let part: TabulatedPart;
      do {
        part = open.tabulate(range?.from, range?.to, at, budget, rows - made.rows, bytes - made.bytes);
        parts.push(part);
        made = { rows: made.rows + part.rows, bytes: made.bytes + part.bytes.length };
        at = part.next;
        budget = source ? Math.max(1, Math.round((part.of * STEP_BYTES) / source.size)) : 16;
      } while (at < part.of && made.rows < rows && made.bytes < bytes && performance.now() < until);
      const all = new Uint8Array(made.bytes);
      let end = 0;
      for (const each of parts) {
        all.set(each.bytes, end);
        end += each.bytes.length;
      }
      post({ t: 'tabulated', id, part: { bytes: all, rows: made.rows, next: at, of: part.of }, error: null });
    }, none);
  };

  return {
    handle: (message) => {
      switch (message.t) {
        case 'open':
          opened = message;
          if (message.database) reader = openRows(message);
          // Questions report it.
          reader?.catch(() => undefined);
          return;
        case 'file':
          if (opened) opened = { ...opened, file: message.file };
          source?.replace(message.file);
          return;
        case 'index': {
          // They would go on with a reader that is freed.
          stopList();
          stopSurvey();
          stopCollect();
          for (const stop of stopSearch.values()) stop();
          const previous = reader;
          if (opened) {
            reader = openIndex(opened, message.index);
            values.open(opened.file, message.index);
          }
          reader?.catch(() => undefined);
          void previous?.then((it) => it.free()).catch(() => undefined);
          return;
        }
        case 'record':
          void sendRecord(message.id, message.locator);
          return;
        case 'list':
          void makeList(message);
          return;
        case 'rows':
          // The reply waits for the messages already queued: a newer request among them supersedes this one.
          if (newestRows === null) {
            scheduler.add('details', () => {
              if (newestRows) void sendRows(newestRows);
              newestRows = null;
              return false;
            });
          }
          newestRows = message;
          return;
        case 'portion':
          void sendRows(message);
          return;
        case 'row-at': {
          const { id, x, track, locator } = message;
          void withReader(
            (open) => post({ t: 'row-at', id, row: open.rowAt(x, track ?? undefined, locator ?? undefined) ?? null }),
            () => post({ t: 'row-at', id, row: null }),
          );
          return;
        }
        case 'record-at': {
          const { id, x, track } = message;
          void withReader(
            (open) => post({ t: 'record-at', id, row: open.at(x, track ?? undefined) ?? null }),
            () => post({ t: 'record-at', id, row: null }),
          );
          return;
        }
        case 'survey': {
          const { id } = message;
          const none = () => post({ t: 'survey', id, records: 0, fields: 0, memory: 0 });
          void withReader((open) => {
            let budget = 8;
            const stop = inTurns(() => {
              const { at, of, counted } = open.survey(budget);
              // Pieces of a database are rows, and have no place in a file.
              budget = source ? Math.max(1, Math.round((of * STEP_BYTES) / source.size)) : 64;
              if (at < of) return at / of;
              post({ t: 'survey', id, ...counted });
              return null;
            }, none);
            stopSurvey = () => {
              stop();
              none();
            };
          }, none);
          return;
        }
        case 'tabulate':
          // After what waits for its turn: the page asks for the next part at once.
          scheduler.add('rest', () => {
            void tabulate(message);
            return false;
          });
          return;
        case 'collect':
          void collect(message);
          return;
        case 'search':
          void search(message);
          return;
        case 'ask-values': {
          const { id, slot } = message;
          stopSearch.get(slot)?.();
          newestSearch.set(slot, id);
          stopSearch.set(slot, values.ask(message));
          return;
        }
        case 'values-room':
          values.keepAtMost(message.bytes);
          return;
        case 'about-values':
          void values.answer(message);
          return;
        case 'stop-search':
          newestSearch.delete(message.slot);
          stopSearch.get(message.slot)?.();
          return;
        case 'stop-collect':
          stopCollect();
          stopCollect = () => undefined;
          return;
        default:
          return unreachable(message);
      }
    },
  };
}

function unreachable(message: never): never {
  throw new Error(`unknown message from the page: ${JSON.stringify(message)}`);
}
