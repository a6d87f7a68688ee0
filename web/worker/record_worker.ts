import type { RecordDetails, TraceError } from '../base/protocol.ts';
import type { FromRecords, Listed, RecordRow, Surveyed, ToRecords } from '../base/record_protocol.ts';
import { loadBrotli } from './brotli.ts';
import { createDisassemblerLoader } from './disassembler.ts';
import { asTraceError } from './errors.ts';
import { wordsOf } from './instructions.ts';
import { createScheduler } from './scheduler.ts';
import { openSqlFile } from './sqlite.ts';
import init, { provideBrotli, RecordReader } from './wasm/unspool_records.js';

/** The worker of one trace's records. It is never reset. */
export interface RecordWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToRecords): void;
}

/** Minimum time between two reports about a list that is being made. */
const REPORT_MS = 100;

/** At once, because the page starts the worker when a question is likely. The first question tries again. */
const started = init();
started.catch(() => undefined);

/** A file that is read while the caller waits, bound by `crate/browser/src/records.rs`. */
class RecordFile {
  readonly #file: Blob;
  readonly #reader = new FileReaderSync();

  constructor(file: Blob) {
    this.#file = file;
  }

  /** Bytes of the file, empty only at its end. Returns undefined if they cannot be read. */
  read(from: number, to: number): Uint8Array | undefined {
    try {
      return new Uint8Array(this.#reader.readAsArrayBuffer(this.#file.slice(from, to)));
    } catch {
      return undefined;
    }
  }
}

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createRecordWorker(post: (message: FromRecords) => void): RecordWorker {
  const loadDisassembler = createDisassemblerLoader();
  const scheduler = createScheduler();
  let opened: Extract<ToRecords, { t: 'open' }> | null = null;
  let reader: Promise<RecordReader> | null = null;
  let newestRows: Extract<ToRecords, { t: 'rows' }> | null = null;
  /** Id of the newest list, and what removes its turns. */
  let newestList = 0;
  let stopList: () => void = () => undefined;

  const load = async () => {
    await started.catch(() => init());
  };
  const openDatabase = async ({ file, format }: { file: Blob; format: string }) => {
    const disassembling = loadDisassembler().catch(() => undefined);
    await load();
    return RecordReader.ofDatabase(format, await openSqlFile(file), await disassembling);
  };
  const openIndex = async ({ file, format }: { file: Blob; format: string }, index: Uint8Array) => {
    await load();
    const reader = new RecordReader(format, index, new RecordFile(file));
    if (reader.needsBrotli()) await loadBrotli(provideBrotli);
    return reader;
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
      if (turn()) stopList = scheduler.add('rest', turn);
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
              scheduler.add('rest', () => {
                const { done, ...counted } = open.survey() as Surveyed & { done: boolean };
                if (done) post({ t: 'survey', id, ...counted });
                return !done;
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
