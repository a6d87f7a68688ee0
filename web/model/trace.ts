import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Attachment, Companion, CompanionFile, CompanionKind, Source } from '../base/companions.ts';
import { roomForTrace } from '../base/device.ts';
import type {
  BindTo,
  BoundExpression,
  BoundFilter,
  BoundPoints,
  HitAnswer,
  HitQuestion,
  HitWhat,
  WrongExpression,
} from '../base/find_protocol.ts';
import type { JobReply, RangeQuestion } from '../base/job_protocol.ts';
import type { FromWorker, SqlRange, TablePages, ToWorker } from '../base/messages.ts';
import type {
  Archive,
  Described,
  Details,
  Find,
  Found,
  Item,
  Origin,
  Overview,
  Problem,
  Progress,
  RecordDetails,
  Ticks,
  TraceError,
  TraceInfo,
  Track,
  ValueType,
} from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import type { RemoteWorker } from '../base/remote.ts';
import { textsOf } from '../base/texts.ts';
import { createContents } from './contents.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { createLedger, type Ledger, withRoom } from './ledger.ts';
import { createNames, type Names } from './names.ts';
import { type Picture, pictureOf, type Question } from './picture.ts';
import { type Again, withObject } from './read_again.ts';
import { createRecords, type Source as RecordSource, type Records } from './records.ts';
import { createRequests } from './requests.ts';
import { crash, STOPPED } from './trace_errors.ts';
import { createTracks, NO_TRACKS, type Tracks } from './tracks.ts';
import { bindValues, isAboutValues } from './values_expression.ts';

/** How long a worker has to stop reading. One that is deep in a call, as in SQLite, does not answer and is ended. */
const STOP_MS = 700;

/** A message of the trace's worker that ends one request. */
type Reply = Exclude<Extract<FromWorker, { id: number }>, JobReply | { t: 'looked' }>;

/** Where a trace is in its life. A `failed` trace has nothing to show. */
export type Status =
  | { readonly at: 'loading' }
  /** The file is an archive: {@link Trace.choose} says which of its traces to open. */
  | { readonly at: 'choosing'; readonly archive: Archive }
  | { readonly at: 'ready'; readonly how: 'complete' | 'cancelled' | 'broken'; readonly error: TraceError | null }
  /** `companion`: what the file is if it is not a trace, but a companion of one. */
  | { readonly at: 'failed'; readonly error: TraceError; readonly companion: CompanionKind | null };

/** The part of `Worker` that a trace uses. Tests substitute their own. */
export interface Port {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/**
 * An open trace: the page's side of two workers, one for the trace and one for its records. Owns them;
 * {@link Trace.dispose} terminates them and frees their memory.
 */
export interface Trace extends Again {
  readonly name: string;
  /** Bytes of the file. */
  readonly size: number;
  /** Limits are lifted; see {@link TraceFile}. */
  readonly lifted: boolean;
  /** Callees of tail calls are under the functions that left by them. */
  readonly nested: boolean;
  readonly names: Names;
  /** The files that add to it. */
  readonly companions: ReadonlySignal<readonly Companion[]>;
  /** The write-ahead log of the database, if there is one among the companions or in the archive. */
  readonly log: Blob | null;
  /** The path of the trace if the file is an archive, else null. */
  readonly entry: ReadonlySignal<string | null>;
  /** Whether the archive has other traces. */
  readonly hasOthers: ReadonlySignal<boolean>;
  /** Opens this entry of the archive. */
  choose(entry: number): void;
  /** The file without its containers; null until it is unpacked. */
  readonly content: ReadonlySignal<Blob | null>;
  /** A sentence if not all of the unpacked file could be kept, until it is dismissed. */
  readonly shortage: Signal<string>;
  /** null until the worker has recognised the file. */
  readonly info: ReadonlySignal<TraceInfo | null>;
  readonly status: ReadonlySignal<Status>;
  readonly progress: ReadonlySignal<Progress>;
  /** A new object whenever a track is new or has changed. */
  readonly tracks: ReadonlySignal<Tracks>;
  /** Reads records from a file that begins with the same bytes, because the browser reads the one that was opened no more. */
  readFrom(file: Blob): void;
  /** Adds companions. Of a kind that the format takes, and not a write-ahead log: that can only come with the file. */
  attach(companions: readonly CompanionFile[]): void;
  /** Takes a companion away. */
  detach(companion: number): void;
  /** Says what became of a companion that the page itself uses. */
  attached(attachment: Attachment): void;
  /** Says which object's functions a binary names. null leaves it to what is known. */
  assign(companion: number, object: number | null): void;
  /** Says at which address the first page of a binary is. null leaves it to what is known. */
  place(companion: number, base: bigint | null): void;
  /** Where the function with an id or at an address is in the source. Resolves with null if no binary says it or the worker ends. */
  source(func: number | bigint): Promise<Source | null>;
  /** Stops reading within a second. What was read is kept if the worker answers in time. */
  cancel(): void;
  /** Reading stopped at a limit, and the file can be opened again without it. */
  readonly canGoOn: ReadonlySignal<boolean>;
  /** Reports that the first picture is on the screen. */
  painted(): void;
  /** Resolves with null if a newer question supersedes this one or the worker ends. */
  picture(question: Question): Promise<Picture | null>;
  /** Resolves with null if the worker ends. `buckets` is the number of cells a row. */
  overview(buckets: number): Promise<Overview | null>;
  /** Resolves with null if the worker ends. Details are null when there is no such item or decoding it failed. */
  details(item: Item): Promise<{ details: Details | null; error: TraceError | null } | null>;
  /** Details of a record of a list that has neither a slice nor an instant. */
  recordDetails(row: RecordRow): Promise<{ details: Details | null; error: TraceError | null } | null>;
  readonly records: Records;
  /** What another worker needs to read the records by itself. */
  readonly recordSource: RecordSource;
  /** Begins a job; see {@link Jobs.begin}. */
  readonly begin: Jobs['begin'];
  /** Resolves with null if there is no such item or the worker ends. */
  find(what: Find): Promise<Found | null>;
  /**
   * The expression for a search, or why it is not one: one about everything, or about the slices of a range, where words are parts
   * of names. Resolves with null if the worker ends.
   */
  bind(text: string, within?: RangeQuestion): Promise<BoundExpression | WrongExpression | null>;
  /** What a search of values needs. Resolves with null if the worker ends. */
  bindPoints(): Promise<BoundPoints | null>;
  /** The expression for a list of records, or why it is not one. Resolves with null if the worker ends. */
  bindFilter(text: string): Promise<BoundFilter | WrongExpression | null>;
  /** Asks about the hits of a search, by the id of its job. Resolves with null if it was dropped or the worker ends. */
  hits<W extends HitWhat>(job: number, ask: HitQuestion<W>): Promise<HitAnswer<W> | null>;
  /** Where a place on a derived track comes from. Resolves with null if there is no such place or the worker ends. */
  origin(track: number, time: Ticks, item: Item | null): Promise<Origin | null>;
  /** Removes a derived track. */
  removeTrack(track: number): void;
  /** Shows the values of a counter as those of another type, made from the same bytes of the file. The track comes again. */
  showValues(track: number, type: ValueType): void;
  /** What the calls that begin at these positions weigh in statistics that ask for it, in place of earlier weights. */
  weigh(at: BigUint64Array, weights: BigUint64Array): void;
  /** What other workers hold for the trace. */
  readonly ledger: Ledger;
  /** The derived tracks that the worker removed last, to make room. */
  readonly evicted: ReadonlySignal<readonly number[]>;
  /** At most `max` problems from index `first` on. Resolves with null if the worker ends. */
  problems(first: number, max: number): Promise<{ problems: readonly Problem[]; total: number } | null>;
  /** At most `most` pages of the database for SQL, of a range or of the whole trace. Resolves with null if the worker ends. */
  tables(range: SqlRange | null, first: number, most: number): Promise<(TablePages & { rows: number }) | null>;
  /** What the module of exports asks for, as bytes. Resolves with null if the worker ends. */
  exportRows(ask: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | null>;
  /** The digest that `unspool info --json` prints for the same file, in hexadecimal. For tests and tools. */
  digest(): Promise<string | null>;
  dispose(): void;
}

/** A file to open. */
export interface TraceFile {
  readonly file: Blob;
  /** The file's name, for the user. */
  readonly name: string;
  readonly companions: readonly CompanionFile[];
  /** Without the limits that end the reading of a trace although its bytes are valid. */
  readonly lifted?: boolean;
  /** With the callees of tail calls under the functions that left by them, and not beside them. */
  readonly nested?: boolean;
  /** What {@link Again.again} was when the file was read before. */
  readonly jumps?: Uint8Array;
}

/**
 * Opens a file in its own worker, reached through `port`. `spawnRecords` starts the worker that reads its records.
 */
export function openTrace(port: Port, opened: TraceFile, spawnRecords: () => RemoteWorker): Trace {
  const { file, name, companions, lifted = false, nested = false, jumps = new Uint8Array() } = opened;
  const log = companions.find(({ kind }) => kind === 'wal')?.file ?? null;
  const state = createState(file.size);
  const contents = createContents(file);
  const requests = createRequests<ToWorker, Reply>((message) => port.postMessage(message));
  const jobs = createJobs((message) => port.postMessage(message));
  let gone = false;
  const post = (message: ToWorker) => {
    if (!gone) port.postMessage(message);
  };
  const end = () => {
    gone = true;
    port.terminate();
    requests.end();
    jobs.end();
    records.dispose();
    contents.end();
  };
  const fail = (error: TraceError, companion: CompanionKind | null = null) => {
    failWith(state, error, companion);
    end();
  };

  const { ask, askNewest } = requests;
  const ledger = createLedger(
    () => state.progress.peek().storeBytes,
    (bytes) => post({ t: 'elsewhere', bytes }),
  );
  const recordSource: RecordSource = {
    file: () => contents.content.peek() ?? contents.arrival,
    log: () => log ?? contents.log(),
    info: state.info,
    reading: () => state.status.peek().at === 'loading',
    ledger,
    index: async (numbers = false) => (await ask('index', (id) => ({ t: 'index', id, numbers })))?.index ?? null,
  };
  const records = createRecords(recordSource, spawnRecords);
  port.onmessage = ({ data }) => {
    if (isReport(data)) {
      contents.hear(data);
      if (data.t === 'kept') records.replaceFile(data.file);
      apply(state, data);
    } else if (data.t === 'failed') fail(data.error, data.companion);
    else if (data.t === 'looked') return;
    else if (isOfJob(data)) jobs.settle(data);
    else requests.settle(data);
  };
  port.onerror = (event) => {
    event.preventDefault();
    fail(crash(event.message));
  };
  port.onmessageerror = () => fail(crash('a message could not be read'));
  state.companions.value = companions.map((companion) => ({ ...companion, attachment: null }));
  const most = lifted ? null : roomForTrace();
  post({ t: 'open', file, name, companions, lifted, nested, room: most, jumps });

  const checkQuery = (query: string) => records.aboutValues((values) => values.checkQuery(query));
  const bindPoints = async () => {
    const to: BindTo = { what: 'points' };
    const bound = (await ask('bound', (id) => ({ t: 'bind', id, text: '', to })))?.bound ?? null;
    return bound && 'points' in bound ? bound : null;
  };

  return {
    ...state,
    content: contents.content,
    shortage: contents.shortage,
    choose: (entry) => {
      state.status.value = { at: 'loading' };
      post({ t: 'choose', entry });
    },
    records,
    recordSource,
    name,
    size: file.size,
    lifted,
    nested,
    get log() {
      return log ?? contents.log();
    },
    readFrom: (now) => {
      contents.replace(now);
      const content = contents.content.peek();
      if (content) records.replaceFile(content);
    },
    attach: (added) => {
      state.companions.value = [
        ...state.companions.peek(),
        ...added.map((companion) => ({ ...companion, attachment: null })),
      ];
      for (const companion of added) post({ t: 'attach', companion });
    },
    detach: (companion) => {
      state.companions.value = state.companions.peek().filter(({ id }) => id !== companion);
      post({ t: 'detach', companion });
    },
    attached: (attachment) => apply(state, { t: 'attached', attachment }),
    source: async (func) => (await ask('source', (id) => ({ t: 'source', id, func })))?.source ?? null,
    assign: (companion, object) => {
      state.companions.value = withObject(state.companions.peek(), companion, object);
      post({ t: 'assign', companion, object });
    },
    place: (companion, base) => post({ t: 'place', companion, base }),
    cancel: () => {
      post({ t: 'cancel' });
      setTimeout(() => {
        if (!gone && state.status.peek().at === 'loading') fail(STOPPED);
      }, STOP_MS);
    },
    canGoOn: computed(() => {
      const status = state.status.value;
      const error = status.at === 'ready' || status.at === 'failed' ? status.error : null;
      const { problems } = state.progress.value;
      const canGoOn = problems.some((kind) => kind.canGoOn || (kind.isLimit && most !== null));
      return !lifted && (error?.kind === 'limit' || canGoOn);
    }),
    painted: () => post({ t: 'painted' }),
    picture: async (question) => {
      const reply = await askNewest('rects', (id) => ({ t: 'query', id, ...question }));
      return reply && pictureOf(reply, question);
    },
    overview: async (buckets) => (await ask('overview', (id) => ({ t: 'overview', id, buckets })))?.overview ?? null,
    details: async (item) => {
      const reply = await ask('described', (id) => ({ t: 'describe', id, item }));
      if (!reply) return null;
      const { described } = reply;
      if (!described) return { details: null, error: null };
      const found = await records.record(described.locator);
      return found && { details: found.value && together(described, found.value), error: found.error };
    },
    recordDetails: async (row) => {
      const found = await records.record(row.locator);
      return found && { details: found.value && alone(row, found.value), error: found.error };
    },
    begin: withRoom(jobs.begin, ledger),
    find: async (what) => (await ask('found', (id) => ({ t: 'find', id, what })))?.found ?? null,
    bind: async (text, within) => {
      if (!within && isAboutValues(text, state.info.peek())) return bindValues(text, checkQuery, bindPoints);
      const to: BindTo = within ? { what: 'slices', ...within } : { what: 'all' };
      const bound = (await ask('bound', (id) => ({ t: 'bind', id, text, to })))?.bound ?? null;
      return bound && ('query' in bound || 'points' in bound) ? null : bound;
    },
    bindPoints,
    bindFilter: async (text) => {
      const bound = (await ask('bound', (id) => ({ t: 'bind', id, text, to: { what: 'records' } })))?.bound ?? null;
      return bound && 'slices' in bound ? null : bound;
    },
    hits: async <W extends HitWhat>(job: number, about: HitQuestion<W>) => {
      const reply = await ask('hits', (id) => ({ t: 'hits', id, job, ask: about }));
      // The worker answers each question with its kind of answer.
      return (reply?.answer ?? null) as HitAnswer<W> | null;
    },
    origin: async (track, time, item) =>
      (await ask('origin', (id) => ({ t: 'origin', id, track, time, item })))?.origin ?? null,
    removeTrack: (track) => post({ t: 'remove-track', track }),
    showValues: (track, type) => post({ t: 'show-values', track, type }),
    weigh: (at, weights) => post({ t: 'weigh', at, weights }),
    ledger,
    problems: (first, max) => ask('problems', (id) => ({ t: 'problems', id, first, max })),
    tables: (range, first, most) => ask('tables', (id) => ({ t: 'tables', id, range, first, most })),
    exportRows: async (what) => (await ask('export-rows', (id) => ({ t: 'export-rows', id, ask: what })))?.rows ?? null,
    digest: async () => (await ask('digest', (id) => ({ t: 'digest', id })))?.digest ?? null,
    dispose: end,
  };
}

/** What is known of an item: by the trace, and by its record. */
function together({ recordFirst, ...described }: Described, record: RecordDetails): Details {
  const parts = recordFirst ? [record.fields, described.fields] : [described.fields, record.fields];
  return {
    ...described,
    track: described.item.track,
    fields: parts.flat(),
    remarks: [...described.remarks, ...record.remarks],
    offset: record.offset,
  };
}

/** What is known of a record without an item. */
function alone({ x, track, locator, name }: RecordRow, record: RecordDetails): Details {
  return { item: null, track, locator, title: name, name: -1, start: x, end: null, flags: 0, ...record };
}

/** What the worker has reported of the trace so far. */
interface TraceState {
  readonly again: Signal<Uint8Array | null>;
  readonly names: Names;
  readonly companions: Signal<readonly Companion[]>;
  readonly entry: Signal<string | null>;
  readonly hasOthers: Signal<boolean>;
  readonly info: Signal<TraceInfo | null>;
  readonly status: Signal<Status>;
  readonly progress: Signal<Progress>;
  readonly tracks: Signal<Tracks>;
  readonly addTracks: (changed: readonly Track[]) => Tracks;
  readonly evicted: Signal<readonly number[]>;
}

function createState(bytes: number): TraceState {
  return {
    again: signal<Uint8Array | null>(null),
    names: createNames(),
    companions: signal<readonly Companion[]>([]),
    entry: signal<string | null>(null),
    hasOthers: signal(false),
    info: signal<TraceInfo | null>(null),
    status: signal<Status>({ at: 'loading' }),
    progress: signal<Progress>({
      bytesRead: 0,
      bytes,
      events: 0,
      slices: 0,
      storeBytes: 0,
      extent: null,
      problems: [],
      stage: null,
    }),
    tracks: signal(NO_TRACKS),
    addTracks: createTracks(),
    evicted: signal<readonly number[]>([]),
  };
}

/** A message that the worker sends unasked. */
type Report = Exclude<FromWorker, Reply | JobReply | { t: 'failed' } | { t: 'looked' }>;

function isReport(message: FromWorker): message is Report {
  return !('id' in message) && message.t !== 'failed';
}

function isOfJob(message: Reply | JobReply): message is JobReply {
  return message.t === 'job-part' || message.t === 'job-progress' || message.t === 'job-failed';
}

function apply(state: TraceState, report: Report): void {
  switch (report.t) {
    case 'archive':
      state.hasOthers.value = true;
      state.status.value = { at: 'choosing', archive: report.archive };
      return;
    case 'opened':
      state.entry.value = report.entry;
      state.info.value = report.info;
      return;
    case 'unpacked':
    case 'kept':
      return;
    case 'names':
      state.names.add(report.first, textsOf(report.names), report.keys && textsOf(report.keys));
      return;
    case 'renamed':
      state.names.rename(report.ids, textsOf(report.names), report.keys && textsOf(report.keys));
      return;
    case 'again':
      state.again.value = report.jumps;
      return;
    case 'attached': {
      const { attachment } = report;
      state.companions.value = state.companions
        .peek()
        .map((companion) => (companion.id === attachment.companion ? { ...companion, attachment } : companion));
      return;
    }
    case 'tracks':
      state.addTracks(report.tracks);
      // What follows from the tracks is computed once they are all here.
      if (!report.more) state.tracks.value = state.addTracks([]);
      return;
    case 'evicted':
      state.evicted.value = [...report.tracks];
      return;
    case 'progress':
      state.progress.value = report.progress;
      return;
    case 'done':
      state.progress.value = report.progress;
      state.status.value = { at: 'ready', how: report.how, error: report.error };
      return;
    default:
      unreachable(report);
  }
}

/** A trace that has events on the screen keeps them when its worker dies. */
function failWith({ progress, status }: TraceState, error: TraceError, companion: CompanionKind | null): void {
  const shows = progress.peek().events > 0 && status.peek().at !== 'failed';
  status.value = shows ? { at: 'ready', how: 'broken', error } : { at: 'failed', error, companion };
}

function unreachable(message: never): never {
  throw new Error(`unknown message from the worker: ${JSON.stringify(message)}`);
}
