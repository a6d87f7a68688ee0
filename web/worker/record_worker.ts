import type { RecordDetails, TraceError } from '../base/protocol.ts';
import type { FromRecords, Listed, RecordRow, Surveyed, ToRecords } from '../base/record_protocol.ts';
import { type Ahead, createAhead } from './ahead.ts';
import { loadBrotli } from './brotli.ts';
import { createDisassemblerLoader } from './disassembler.ts';
import { asTraceError } from './errors.ts';
import { wordsOf } from './instructions.ts';
import type { ReadAt } from './lazy_file.ts';
import { createScheduler } from './scheduler.ts';
import { openStream } from './source.ts';
import { databaseBytes, openSqlFile } from './sqlite.ts';
import init, { provideBrotli, RecordReader } from './wasm/unspool_records.js';

/** The worker of one trace's records. It is never reset. */
export interface RecordWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToRecords): void;
}

/** Bytes of the file that a turn of a pass covers, about. */
const STEP_BYTES = 4 * 1024 * 1024;
/** Minimum time between two reports about a list that is being made. */
const REPORT_MS = 100;

/** At once, because the page starts the worker when a question is likely. The first question tries again. */
const started = init();
started.catch(() => undefined);

/** Bytes. A longer read is one of a pass, which reads on from there. */
const LONG_READ = 1024 * 1024;

/** A file that is read while the caller waits, bound by `crate/browser/src/records.rs`. */
class RecordFile {
  readonly #read: ReadAt;
  readonly #ahead: Ahead;
  /** End of the latest long read. */
  #delivered = 0;
  /** How far the pass is, about: an offset in the file. */
  at = 0;
  readonly size: number;

  constructor(file: Blob) {
    this.size = file.size;
    const reader = new FileReaderSync();
    this.#read = (from, to) => new Uint8Array(reader.readAsArrayBuffer(file.slice(from, to)));
    this.#ahead = createAhead(file.size, this.#read, (at) => openStream(file, at));
  }

  /** Bytes of the file, perhaps fewer than requested, empty only at its end. Returns undefined if they cannot be read. */
  read(from: number, to: number): Uint8Array | undefined {
    try {
      if (to - from <= LONG_READ) return this.#read(from, to);
      const bytes = this.#ahead.read(from, to);
      this.#delivered = from + bytes.length;
      return bytes;
    } catch {
      return undefined;
    }
  }

  /**
   * Settles when the bytes that the next turn of a pass will {@link read} are there. null if they are, or are not on their
   * way, or if the pass still has enough.
   */
  arrival(): Promise<void> | null {
    return this.#delivered - this.at < 2 * STEP_BYTES ? this.#ahead.arrival() : null;
  }
}

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createRecordWorker(post: (message: FromRecords) => void): RecordWorker {
  const loadDisassembler = createDisassemblerLoader();
  const scheduler = createScheduler();
  let opened: Extract<ToRecords, { t: 'open' }> | null = null;
  let reader: Promise<RecordReader> | null = null;
  /** The file of the reader, unless that is a database. */
  let source: RecordFile | null = null;
  let newestRows: Extract<ToRecords, { t: 'rows' }> | null = null;
  /** Id of the newest list, and what removes its turns. */
  let newestList = 0;
  let stopList: () => void = () => undefined;

  const load = async () => {
    await started.catch(() => init());
  };
  const openDatabase = async ({ file, log, format }: { file: Blob; log: Blob | null; format: string }) => {
    const disassembling = loadDisassembler().catch(() => undefined);
    await load();
    return RecordReader.ofDatabase(format, await openSqlFile(databaseBytes(file, log)), await disassembling);
  };
  const openIndex = async ({ file, format }: { file: Blob; format: string }, index: Uint8Array) => {
    await load();
    source = new RecordFile(file);
    const opened = new RecordReader(format, index, source);
    if (opened.needsBrotli()) await loadBrotli(provideBrotli);
    return opened;
  };
  /** Runs something on the reader, in its turn. An error becomes the answer that `fail` sends. */
  const withReader = async (run: (open: RecordReader) => void | Promise<void>, fail: (error: TraceError) => void) => {
    try {
      if (reader) await run(await reader);
    } catch (thrown) {
      const error = asTraceError(thrown);
      fail(error);
      // After a trap the memory is unreliable. The page starts another worker.
      if (error.kind === 'crashed') throw thrown;
    }
  };

  /**
   * Calls `turn` until it returns false, each time when the bytes that it will read are there. Returns a function that ends
   * this.
   */
  const inTurns = (turn: () => boolean): (() => void) => {
    let stopped = false;
    let remove: () => void = () => undefined;
    const next = () => {
      if (stopped) return;
      remove = scheduler.add('rest', () => {
        if (!stopped && turn()) void Promise.resolve(source?.arrival()).then(next);
        return false;
      });
    };
    next();
    return () => {
      stopped = true;
      remove();
    };
  };

  const sendRecord = async (id: number, locator: bigint) => {
    const none = (error: TraceError) => post({ t: 'record', id, record: null, error });
    await withReader(async (open) => {
      const record = open.details(locator) as RecordDetails;
      post({
        t: 'record',
        id,
        record: { ...record, fields: await wordsOf(record.fields, loadDisassembler) },
        error: null,
      });
    }, none);
  };
  const sendRows = async () => {
    const message = newestRows;
    newestRows = null;
    if (!message) return;
    const { id, first, count } = message;
    const none = (error: TraceError) => post({ t: 'rows', id, rows: null, error });
    await withReader(async (open) => {
      const rows = open.rows(first, count) as RecordRow[];
      const inWords = rows.map(async (row) => ({ ...row, fields: await wordsOf(row.fields, loadDisassembler) }));
      post({ t: 'rows', id, rows: await Promise.all(inWords), error: null });
    }, none);
  };
  const makeList = async ({ id, scope }: Extract<ToRecords, { t: 'list' }>) => {
    stopList();
    newestList = id;
    const none = (error: TraceError) => post({ t: 'listed', id, listed: null, error });
    await withReader((open) => {
      if (newestList !== id) return;
      open.list(scope.range?.from, scope.range?.to, scope.tracks ?? undefined);
      let reportedAt = performance.now();
      // A list in the order of the file is complete at once. Others look at every record, in turns.
      const turn = () => {
        try {
          if (open.advance()) {
            post({ t: 'listed', id, listed: open.listed() as Listed, error: null });
            return false;
          }
        } catch (thrown) {
          none(asTraceError(thrown));
          return false;
        }
        if (performance.now() - reportedAt > REPORT_MS) {
          reportedAt = performance.now();
          post({ t: 'listing', listed: open.listed() as Listed });
        }
        return true;
      };
      if (turn()) stopList = inTurns(turn);
    }, none);
  };

  return {
    handle: (message) => {
      switch (message.t) {
        case 'open':
          opened = message;
          if (message.database) reader = openDatabase(message);
          // Questions report it.
          reader?.catch(() => undefined);
          return;
        case 'index': {
          stopList();
          const previous = reader;
          if (opened) reader = openIndex(opened, message.index);
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
              void sendRows();
              return false;
            });
          }
          newestRows = message;
          return;
        case 'row-at': {
          const { id, x, track, locator } = message;
          void withReader(
            (open) => post({ t: 'row-at', id, row: open.rowAt(x, track ?? undefined, locator ?? undefined) ?? null }),
            () => post({ t: 'row-at', id, row: null }),
          );
          return;
        }
        case 'survey': {
          const { id } = message;
          void withReader(
            (open) => {
              let budget = 8;
              inTurns(() => {
                const { at, of, ...counted } = open.survey(budget) as Surveyed & { at: number; of: number };
                // Pieces of a database are rows, and have no place in a file.
                budget = source ? Math.max(1, Math.round((of * STEP_BYTES) / source.size)) : 64;
                if (source) source.at = (at / of) * source.size;
                if (at >= of) post({ t: 'survey', id, ...counted });
                return at < of;
              });
            },
            () => post({ t: 'survey', id, records: 0, fields: 0, memory: 0 }),
          );
          return;
        }
        default:
          return unreachable(message);
      }
    },
  };
}

function unreachable(message: never): never {
  throw new Error(`unknown message from the page: ${JSON.stringify(message)}`);
}
