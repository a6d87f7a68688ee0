import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type {
  Details,
  Find,
  Found,
  FromWorker,
  Item,
  JobReply,
  Overview,
  Problem,
  Progress,
  ToWorker,
  TraceError,
  TraceInfo,
  Track,
} from '../base/protocol.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { createNames, type Names } from './names.ts';
import { type Picture, pictureOf, type Question } from './picture.ts';
import { createRequests, type Reply } from './requests.ts';

/** Where a trace is in its life. A `failed` trace has nothing to show. */
export type Status =
  | { readonly at: 'loading' }
  | { readonly at: 'ready'; readonly how: 'complete' | 'cancelled' | 'broken'; readonly error: TraceError | null }
  | { readonly at: 'failed'; readonly error: TraceError };

/** The part of `Worker` that a trace uses. Tests substitute their own. */
export interface Port {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/**
 * An open trace: the page's side of one worker. Owns the worker; {@link Trace.dispose} terminates it and frees its
 * memory.
 */
export interface Trace {
  readonly name: string;
  /** Bytes of the file. */
  readonly size: number;
  readonly names: Names;
  /** null until the worker has recognised the file. */
  readonly info: ReadonlySignal<TraceInfo | null>;
  readonly status: ReadonlySignal<Status>;
  readonly progress: ReadonlySignal<Progress>;
  /** Tracks by id; a new map whenever a track is new or has changed. */
  readonly tracks: ReadonlySignal<ReadonlyMap<number, Track>>;
  /** Stops reading and keeps what was read. */
  cancel(): void;
  /** Reports that the first picture is on the screen. */
  painted(): void;
  /** Resolves with null if a newer question supersedes this one or the worker ends. */
  picture(question: Question): Promise<Picture | null>;
  /** Resolves with null if the worker ends. `buckets` is the number of cells a row. */
  overview(buckets: number): Promise<Overview | null>;
  /** Resolves with null if the worker ends. Details are null when there is no such item or decoding it failed. */
  details(item: Item): Promise<{ details: Details | null; error: TraceError | null } | null>;
  /** Begins a job; see {@link Jobs.begin}. */
  readonly begin: Jobs['begin'];
  /** Resolves with null if there is no such item or the worker ends. */
  find(what: Find): Promise<Found | null>;
  /** At most `max` problems from index `first` on. Resolves with null if the worker ends. */
  problems(first: number, max: number): Promise<{ problems: readonly Problem[]; total: number } | null>;
  /** The digest that `unspool info --json` prints for the same file, in hexadecimal. For tests and tools. */
  digest(): Promise<string | null>;
  dispose(): void;
}

/** Opens a file in its own worker, reached through `port`. `name` is the file's name for the person. */
export function openTrace(port: Port, file: Blob, name: string): Trace {
  const state = createState(file.size);
  const requests = createRequests((message) => port.postMessage(message));
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
  };
  const fail = (error: TraceError) => {
    failWith(state, error);
    end();
  };

  port.onmessage = ({ data }) => {
    if (isReport(data)) apply(state, data);
    else if (data.t === 'failed') fail(data.error);
    else if (isOfJob(data)) jobs.settle(data);
    else requests.settle(data);
  };
  port.onerror = (event) => {
    event.preventDefault();
    fail(crash(event.message));
  };
  port.onmessageerror = () => fail(crash('a message could not be read'));
  post({ t: 'open', file, name });

  const { ask, askNewest } = requests;
  return {
    ...state,
    name,
    size: file.size,
    cancel: () => post({ t: 'cancel' }),
    painted: () => post({ t: 'painted' }),
    picture: async (question) => {
      const reply = await askNewest('rects', (id) => ({ t: 'query', id, ...question }));
      return reply && pictureOf(reply, question);
    },
    overview: async (buckets) => (await ask('overview', (id) => ({ t: 'overview', id, buckets })))?.overview ?? null,
    details: (item) => ask('details', (id) => ({ t: 'details', id, item })),
    begin: jobs.begin,
    find: async (what) => (await ask('found', (id) => ({ t: 'find', id, what })))?.found ?? null,
    problems: (first, max) => ask('problems', (id) => ({ t: 'problems', id, first, max })),
    digest: async () => (await ask('digest', (id) => ({ t: 'digest', id })))?.digest ?? null,
    dispose: end,
  };
}

/** What the worker has reported of the trace so far. */
interface TraceState {
  readonly names: Names;
  readonly info: Signal<TraceInfo | null>;
  readonly status: Signal<Status>;
  readonly progress: Signal<Progress>;
  readonly tracks: Signal<ReadonlyMap<number, Track>>;
}

function createState(bytes: number): TraceState {
  return {
    names: createNames(),
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
    tracks: signal<ReadonlyMap<number, Track>>(new Map()),
  };
}

/** A message that the worker sends unasked. */
type Report = Exclude<FromWorker, Reply | JobReply | { t: 'failed' }>;

function isReport(message: FromWorker): message is Report {
  return !('id' in message) && message.t !== 'failed';
}

function isOfJob(message: Reply | JobReply): message is JobReply {
  return message.t === 'job-part' || message.t === 'job-progress' || message.t === 'job-failed';
}

function apply(state: TraceState, report: Report): void {
  switch (report.t) {
    case 'opened':
      state.info.value = report.info;
      return;
    case 'names':
      state.names.add(report.first, report.names);
      return;
    case 'tracks': {
      const next = new Map(state.tracks.peek());
      for (const track of report.tracks) next.set(track.id, track);
      state.tracks.value = next;
      return;
    }
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
function failWith({ progress, status }: TraceState, error: TraceError): void {
  const shows = progress.peek().events > 0 && status.peek().at !== 'failed';
  status.value = shows ? { at: 'ready', how: 'broken', error } : { at: 'failed', error };
}

function crash(message: string): TraceError {
  return {
    kind: 'crashed',
    sentence: `The reader of this file stopped unexpectedly (${message || 'no reason given'}). The page itself is fine.`,
    offset: null,
  };
}

function unreachable(message: never): never {
  throw new Error(`unknown message from the worker: ${JSON.stringify(message)}`);
}
