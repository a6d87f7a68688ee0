/*
 * The worker of one trace: owns the file and the wasm session, and answers the page. The page ends it with the trace;
 * nothing here is ever reset.
 */
import type { FromWorker, Item, ToWorker, TraceError } from '../base/protocol.ts';
import { gather } from './gather.ts';
import { type Disassembler, inWords } from './instructions.ts';
import { readThrough } from './reading.ts';
import type { Session, SessionConstructor } from './session.ts';
import { openSqlFile, type SqlFile } from './sqlite.ts';
import { createScanner } from './statistics.ts';
import init, { Session as WasmSession } from './wasm/unspool_browser.js';

/** The scope as a worker has it; the DOM's types only know the page's. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
};

const ENDS = 64 * 1024;
const REPORT_MS = 100;

type Query = Extract<ToWorker, { t: 'query' }>;

let session: Session | null = null;
let file: Blob = new Blob();
let cancelled = false;
let over = false;
let reading = true;
let painted: () => void = () => undefined;
const firstPicture = new Promise<void>((resolve) => {
  painted = resolve;
});
let reportedAt = Number.NEGATIVE_INFINITY;
let reportedSlices = false;
let newestQuery: Query | null = null;
const later = new MessageChannel();
const scanner = createScanner({
  run: (scan) => guarded(scan),
  reading: () => reading,
  send: (message, transfer) => {
    if (session) flush(session);
    page.postMessage(message, transfer);
  },
});

page.onmessage = ({ data }) => {
  switch (data.t) {
    case 'open':
      void open(data.file, data.name);
      return;
    case 'cancel':
      cancelled = true;
      return;
    case 'painted':
      painted();
      return;
    case 'query':
      // Answered after the messages that wait already: a newer query among them takes this one's place.
      if (newestQuery === null) later.port2.postMessage(null);
      newestQuery = data;
      return;
    case 'overview':
      return guarded((open) => {
        const overview = open.overview(data.buckets);
        flush(open);
        page.postMessage({ t: 'overview', id: data.id, overview }, [
          overview.rows.buffer,
          overview.density.buffer,
          overview.name.buffer,
        ]);
      });
    case 'details':
      void tell(data.id, data.item);
      return;
    case 'statistics':
      return scanner.statistics(data);
    case 'percentiles':
      return scanner.percentiles(data);
    case 'find':
      return guarded((open) => {
        const found = open.find(data.what);
        flush(open);
        page.postMessage({ t: 'found', id: data.id, found });
      });
    case 'digest':
      return guarded((open) => page.postMessage({ t: 'digest', id: data.id, digest: open.digest() }));
    case 'problems':
      return guarded((open) =>
        page.postMessage({ t: 'problems', id: data.id, ...open.problems(data.first, data.max) }),
      );
    default:
      return unreachable(data);
  }
};

later.port1.onmessage = () => {
  const query = newestQuery;
  newestQuery = null;
  if (query) guarded((open) => answer(open, query));
};

async function open(blob: Blob, name: string): Promise<void> {
  file = blob;
  try {
    const [head, tail] = await Promise.all([
      blob.slice(0, ENDS).arrayBuffer(),
      blob.slice(Math.max(0, blob.size - ENDS)).arrayBuffer(),
      load(),
    ]);
    // The glue's own types leave the structured values open; the contract is in session.ts.
    const Session = WasmSession as unknown as SessionConstructor;
    session = new Session(name, blob.size, new Uint8Array(head), new Uint8Array(tail));
    if (session.isDatabase()) {
      // Blocks of code are in there: the disassembler is wanted at once, but not without fail.
      const found = loadDisassembler().catch(() => undefined);
      const opened = await database(blob);
      session.attach(opened, await found);
    }
    page.postMessage({ t: 'opened', info: session.info() });
    const how = await readThrough(session, blob, { cancelled: () => cancelled, painted: firstPicture, report });
    finish(session, how, session.error() ?? null);
  } catch (error) {
    const told = asTraceError(error);
    // After a trap the session's memory cannot be trusted; after a failed read it can.
    if (session && !over && told.kind === 'unreadable') {
      guarded((open) => {
        open.cancel();
        finish(open, 'broken', told);
      });
    } else {
      fail(told);
    }
  }
}

async function load(): Promise<void> {
  try {
    await init();
  } catch {
    throw notLoaded('The part of this page that reads traces');
  }
}

/** Databases need SQLite, which nobody else has to wait for. */
async function database(blob: Blob): Promise<SqlFile> {
  try {
    return await openSqlFile(blob);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotReadableError') throw error;
    throw notLoaded('The part of this page that reads databases');
  }
}

let disassembler: Promise<Disassembler> | null = null;

function loadDisassembler(): Promise<Disassembler> {
  disassembler ??= import('./wasm/unspool_disassembler.js').then(async ({ default: start, disassemble, starts }) => {
    await start();
    return { disassemble, starts };
  });
  // Asked again, it may be there: a failure is not kept.
  disassembler.catch(() => {
    disassembler = null;
  });
  return disassembler;
}

function notLoaded(part: string): TraceError {
  return { kind: 'crashed', sentence: `${part} could not be loaded. Reload the page to try again.`, offset: null };
}

function finish(open: Session, how: 'complete' | 'cancelled' | 'broken', error: TraceError | null): void {
  reading = false;
  flush(open);
  const progress = open.progress();
  if (how === 'broken' && progress.events === 0 && error) fail(error);
  else page.postMessage({ t: 'done', how, progress, error: how === 'broken' ? error : null });
}

function report(now: boolean): void {
  const time = performance.now();
  if (!session || (!now && reportedSlices && time - reportedAt < REPORT_MS)) return;
  const progress = session.progress();
  // The first slices are told at once; before them there is nothing to hurry for.
  if (!now && progress.slices === 0 && time - reportedAt < REPORT_MS) return;
  reportedSlices ||= progress.slices > 0;
  reportedAt = time;
  flush(session);
  page.postMessage({ t: 'progress', progress });
}

/** Names and tracks go out before whatever uses them. */
function flush(open: Session): void {
  const fresh = open.takeNames();
  if (fresh && fresh.names.length > 0) page.postMessage({ t: 'names', first: fresh.first, names: fresh.names });
  const tracks = open.takeTracks();
  if (tracks.length > 0) page.postMessage({ t: 'tracks', tracks });
}

function answer(open: Session, query: Query): void {
  const { origin, from, to, step, complete, rects, instants, counters, visited } = open.query(
    query.from,
    query.to,
    query.step,
    query.tracks,
    query.depths,
  );
  flush(open);
  page.postMessage({ t: 'rects', id: query.id, origin, from, to, step, complete, rects, instants, counters, visited }, [
    rects.track.buffer,
    rects.depth.buffer,
    rects.start.buffer,
    rects.end.buffer,
    rects.name.buffer,
    rects.index.buffer,
    rects.fill.buffer,
    rects.flags.buffer,
    instants.track.buffer,
    instants.time.buffer,
    instants.name.buffer,
    instants.index.buffer,
    instants.many.buffer,
    counters.track.buffer,
    counters.time.buffer,
    counters.min.buffer,
    counters.max.buffer,
    counters.last.buffer,
  ]);
}

async function tell(id: number, item: Item): Promise<void> {
  const none = (error: TraceError | null) => page.postMessage({ t: 'details', id, details: null, error });
  if (!session || over) return none(null);
  try {
    const bytes = await gather(session, file, item);
    if (!bytes) return none(null);
    const found = session.details(item, bytes);
    flush(session);
    const details = found && (await inWords(found, loadDisassembler));
    page.postMessage({ t: 'details', id, details, error: null });
  } catch (error) {
    const told = asTraceError(error);
    none(told);
    if (told.kind === 'crashed') fail(told);
  }
}

/** Runs something on the session, if there is one; a trap ends this trace and is told. */
function guarded(run: (open: Session) => void): void {
  if (!session || over) return;
  try {
    run(session);
  } catch (error) {
    fail(asTraceError(error));
  }
}

function fail(error: TraceError): void {
  if (over) return;
  over = true;
  cancelled = true;
  page.postMessage({ t: 'failed', error });
}

function asTraceError(error: unknown): TraceError {
  if (isTraceError(error)) return error;
  if (error instanceof DOMException) {
    return {
      kind: 'unreadable',
      sentence: 'The file cannot be read any more: it was changed, moved or deleted after it was opened.',
      offset: null,
    };
  }
  const reason = error instanceof Error ? error.message : String(error);
  const memory = error instanceof RangeError || /memory/i.test(reason);
  return memory
    ? { kind: 'memory', sentence: 'This trace needs more memory than the browser gives a tab.', offset: null }
    : {
        kind: 'crashed',
        sentence: `The reader of this file stopped unexpectedly (${reason}). The page itself is fine.`,
        offset: null,
      };
}

function isTraceError(error: unknown): error is TraceError {
  return typeof error === 'object' && error !== null && 'kind' in error && 'sentence' in error;
}

function unreachable(message: never): never {
  throw new Error(`unknown message from the page: ${JSON.stringify(message)}`);
}
