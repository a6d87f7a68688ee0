import { type ReadonlySignal, signal } from '@preact/signals';
import type {
  Details,
  Find,
  Found,
  FromWorker,
  Item,
  Overview,
  Percentiles,
  Problem,
  Progress,
  ToWorker,
  TraceError,
  TraceInfo,
  Track,
} from '../base/protocol.ts';
import { createNames, type Names } from './names.ts';
import { type Picture, pictureOf, type Question } from './picture.ts';

/** Where a trace is in its life. Only `failed` has nothing to show. */
export type Status =
  | { readonly at: 'loading' }
  | { readonly at: 'ready'; readonly how: 'complete' | 'cancelled' | 'broken'; readonly error: TraceError | null }
  | { readonly at: 'failed'; readonly error: TraceError };

/** What the page calls the worker, so that tests can put something else in its place. */
export interface Port {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** An open trace: the page's side of one worker. Owns the worker; {@link Trace.dispose} ends it and frees all it holds. */
export interface Trace {
  readonly name: string;
  /** Bytes of the file. */
  readonly size: number;
  readonly names: Names;
  readonly info: ReadonlySignal<TraceInfo | null>;
  readonly status: ReadonlySignal<Status>;
  readonly progress: ReadonlySignal<Progress>;
  /** By id; a new map whenever a track is new or has changed. */
  readonly tracks: ReadonlySignal<ReadonlyMap<number, Track>>;
  /** Stops reading and keeps what there is. */
  cancel(): void;
  /** Says that the first picture is on the screen. */
  painted(): void;
  /** Resolves with null when a newer question took its place or the worker is gone. */
  picture(question: Question): Promise<Picture | null>;
  overview(buckets: number): Promise<Overview | null>;
  details(item: Item): Promise<{ details: Details | null; error: TraceError | null } | null>;
  /**
   * Asks for statistics, which `tell` gets once or more often, the better ones later; the question before is not answered
   * any more.
   */
  statistics(question: StatisticsQuestion, tell: (answer: StatisticsAnswer) => void): void;
  /** Resolves with null when there is no such call, a newer question took its place, or the worker is gone. */
  percentiles(question: PercentilesQuestion): Promise<Percentiles | null>;
  /** null when nothing stands there, or the worker is gone. */
  find(what: Find): Promise<Found | null>;
  problems(first: number, max: number): Promise<{ problems: readonly Problem[]; total: number } | null>;
  /** A number in hexadecimal: that of `unspool info --json` of the same file. For tests and tools. */
  digest(): Promise<string | null>;
  dispose(): void;
}

/** What is asked of a range. */
export type StatisticsQuestion = Omit<Extract<ToWorker, { t: 'statistics' }>, 't' | 'id'>;
/** What is known of it, so far or for good. */
export type StatisticsAnswer = Omit<Extract<FromWorker, { t: 'statistics' }>, 't' | 'id'>;
/** What is asked of one function in a range. */
export type PercentilesQuestion = Omit<Extract<ToWorker, { t: 'percentiles' }>, 't' | 'id'>;

type Reply = Exclude<Extract<FromWorker, { id: number }>, { t: 'statistics' }>;

/** Opens a file in a worker of its own. `name` is what the person calls it. */
export function openTrace(port: Port, file: Blob, name: string): Trace {
  const info = signal<TraceInfo | null>(null);
  const status = signal<Status>({ at: 'loading' });
  const progress = signal<Progress>(noProgress(file.size));
  const tracks = signal<ReadonlyMap<number, Track>>(new Map());
  const names = createNames();
  const waiting = new Map<number, (reply: Reply | null) => void>();
  let lastId = 0;
  let gone = false;
  let scan: { id: number; tell: (answer: StatisticsAnswer) => void } = { id: -1, tell: () => undefined };

  const ask = (message: (id: number) => ToWorker): Promise<Reply | null> => {
    if (gone) return Promise.resolve(null);
    lastId += 1;
    const id = lastId;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      port.postMessage(message(id));
    });
  };
  const end = () => {
    gone = true;
    port.terminate();
    for (const resolve of waiting.values()) resolve(null);
    waiting.clear();
  };
  const fail = (error: TraceError) => {
    // What is on the screen stays when the worker dies later on; there is nothing more to be had from it.
    if (progress.peek().events > 0 && status.peek().at !== 'failed')
      status.value = { at: 'ready', how: 'broken', error };
    else status.value = { at: 'failed', error };
    end();
  };
  const answer = (reply: Reply) => {
    const resolve = waiting.get(reply.id);
    waiting.delete(reply.id);
    resolve?.(reply);
  };

  port.onmessage = ({ data }) => {
    switch (data.t) {
      case 'opened':
        info.value = data.info;
        return;
      case 'names':
        names.add(data.first, data.names);
        return;
      case 'tracks': {
        const next = new Map(tracks.peek());
        for (const track of data.tracks) next.set(track.id, track);
        tracks.value = next;
        return;
      }
      case 'progress':
        progress.value = data.progress;
        return;
      case 'done':
        progress.value = data.progress;
        status.value = { at: 'ready', how: data.how, error: data.error };
        return;
      case 'failed':
        return fail(data.error);
      case 'rects':
      case 'overview':
      case 'details':
      case 'percentiles':
      case 'found':
      case 'digest':
      case 'problems':
        return answer(data);
      case 'statistics':
        if (data.id === scan.id) scan.tell(data);
        return;
      default:
        return unreachable(data);
    }
  };
  port.onerror = (event) => {
    event.preventDefault();
    fail(crash(event.message));
  };
  port.onmessageerror = () => fail(crash('a message could not be read'));
  port.postMessage({ t: 'open', file, name });

  let newestQuestion = 0;
  let newestPercentiles = 0;
  return {
    name,
    size: file.size,
    names,
    info,
    status,
    progress,
    tracks,
    cancel: () => gone || port.postMessage({ t: 'cancel' }),
    painted: () => gone || port.postMessage({ t: 'painted' }),
    picture: async (question) => {
      // The worker answers only the newest question, so an older one still waiting never gets a reply.
      waiting.get(newestQuestion)?.(null);
      waiting.delete(newestQuestion);
      const reply = await ask((id) => {
        newestQuestion = id;
        return { t: 'query', id, ...question };
      });
      return reply?.t === 'rects' ? pictureOf(reply, question) : null;
    },
    overview: async (buckets) => {
      const reply = await ask((id) => ({ t: 'overview', id, buckets }));
      return reply?.t === 'overview' ? reply.overview : null;
    },
    details: async (item) => {
      const reply = await ask((id) => ({ t: 'details', id, item }));
      return reply?.t === 'details' ? reply : null;
    },
    statistics: (question, tell) => {
      if (gone) return;
      lastId += 1;
      scan = { id: lastId, tell };
      port.postMessage({ t: 'statistics', id: lastId, ...question });
    },
    percentiles: async (question) => {
      waiting.get(newestPercentiles)?.(null);
      waiting.delete(newestPercentiles);
      const reply = await ask((id) => {
        newestPercentiles = id;
        return { t: 'percentiles', id, ...question };
      });
      return reply?.t === 'percentiles' ? reply.percentiles : null;
    },
    find: async (what) => {
      const reply = await ask((id) => ({ t: 'find', id, what }));
      return reply?.t === 'found' ? reply.found : null;
    },
    problems: async (first, max) => {
      const reply = await ask((id) => ({ t: 'problems', id, first, max }));
      return reply?.t === 'problems' ? reply : null;
    },
    digest: async () => {
      const reply = await ask((id) => ({ t: 'digest', id }));
      return reply?.t === 'digest' ? reply.digest : null;
    },
    dispose: end,
  };
}

function noProgress(bytes: number): Progress {
  return { bytesRead: 0, bytes, events: 0, slices: 0, storeBytes: 0, extent: null, problems: [], stage: null };
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
