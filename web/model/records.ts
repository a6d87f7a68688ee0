import { type ReadonlySignal, signal } from '@preact/signals';
import type { RecordDetails, Ticks, TraceError, TraceInfo } from '../base/protocol.ts';
import type {
  Collected,
  CollectWanted,
  FromRecords,
  Listed,
  RecordFilter,
  RecordRow,
  RecordScope,
  SearchSlot,
  Surveyed,
  TabulatedPart,
  TabulateWanted,
  ToRecords,
  ValuesQuery,
} from '../base/record_protocol.ts';
import type { ValuesAnswer, ValuesQuestion, ValuesWhat } from '../base/values_protocol.ts';
import type { Ledger } from './ledger.ts';
import { createRequests } from './requests.ts';

/** The part of `Worker` that the records of a trace use. Tests substitute their own. */
export interface RecordsPort {
  postMessage(message: ToRecords, transfer: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromRecords>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** The trace whose records are read. */
export interface Source {
  /** The file without containers, as soon as it is unpacked. Resolves with null if the trace's worker ends before. */
  file(): Blob | Promise<Blob | null>;
  /** The write-ahead log of a database, if there is one. Known with the file. */
  log(): Blob | null;
  readonly info: ReadonlySignal<TraceInfo | null>;
  /** Whether the file is still being read. */
  reading(): boolean;
  /** The account in which kept values are entered. */
  readonly ledger?: Pick<Ledger, 'set' | 'room'>;
  /**
   * What the record worker needs; with `numbers` symbols may come without their names. Resolves with null if the trace's worker
   * ends.
   */
  index(numbers?: boolean): Promise<Uint8Array | null>;
}

/** A result, or why there is none. */
export interface Answer<T> {
  readonly value: T | null;
  readonly error: TraceError | null;
}

/**
 * The records of an open trace: the page's side of the record worker. That worker starts with the first question. If it
 * stops unexpectedly, the next question starts another.
 */
export interface Records {
  /** The newest list while it is being made: its rows so far can be asked for, and others may come among them. null otherwise. */
  readonly listing: ReadonlySignal<Listed | null>;
  /** Starts the worker, for a question that is likely to come. */
  warm(): void;
  /** One record in full. Resolves with null if the worker ends. */
  record(locator: bigint): Promise<Answer<RecordDetails> | null>;
  /** Begins a list in place of the previous one. Resolves with null if a newer list replaces it or the worker ends. */
  list(scope: RecordScope): Promise<Answer<Listed> | null>;
  /** Rows of the list. Resolves with null if a newer request replaces this one, or the worker ends or has ended since. */
  rows(first: number, count: number): Promise<Answer<readonly RecordRow[]> | null>;
  /** Rows of the list, whatever else is asked. Resolves with null if there is no list any more, or they cannot be read. */
  portion(first: number, count: number): Promise<readonly RecordRow[] | null>;
  /**
   * The number in the list of the record with this locator, or of the first record at or after the position. Resolves with
   * null if there is none or the worker ends.
   */
  rowAt(x: Ticks, track: number | null, locator: bigint | null): Promise<number | null>;
  /**
   * The record at a position, preferably of a track. Resolves with null if there is none, if only a look at every record
   * would show it, or if the worker ends.
   */
  recordAt(x: Ticks, track: number | null): Promise<RecordRow | null>;
  /** Visits all records with all their fields and counts both, for tests and tools. null if the worker ends. */
  survey(): Promise<Surveyed | null>;
  /**
   * Collects records by a pass over the file, one pass at a time. `tell` gets its progress, from 0 to 1. Resolves with null
   * if the worker ends, and within a second after `stop` is aborted.
   */
  collect(wanted: CollectWanted, tell: (share: number) => void, stop: AbortSignal): Promise<Answer<Collected> | null>;
  /**
   * Looks for records, in place of the slot's previous search. `take` gets what is found. Resolves with the error that ended the
   * search, or null at its end; with `undefined` if a newer search or {@link Records.stopSearch} ended it, or the worker.
   */
  search(
    slot: SearchSlot,
    filter: RecordFilter | ValuesQuery,
    take: (part: Searching) => void,
  ): Promise<TraceError | null | undefined>;
  /** Asks about values. Resolves with null if that cannot be answered, or the worker ends. */
  aboutValues<W extends ValuesWhat>(ask: ValuesQuestion<W>): Promise<ValuesAnswer<W> | null>;
  /** A part of the tables of records for SQL. Resolves with null if the worker ends. */
  tabulate(wanted: TabulateWanted): Promise<Answer<TabulatedPart> | null>;
  /** Ends the search of a slot. */
  stopSearch(slot: SearchSlot): void;
  /** Reads on from another file, which has the same bytes. */
  replaceFile(file: Blob): void;
  dispose(): void;
}

/** What a search has found since the last time, how many records in all, and how far it is, from 0 to 1. */
export type Searching = Pick<Extract<FromRecords, { t: 'searching' }>, 'found' | 'count' | 'share'>;

interface SearchOfRecords {
  /** Of its request; -1 before that is sent. */
  id: number;
  readonly take: (part: Searching) => void;
  /** Ends a worker that does not stop. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Most bytes of values that are kept for the next question. */
const MOST_VALUES = 768 << 20;
/** How long the worker has to stop a pass before it is ended. */
const STOP_MS = 700;
/** Minimum time between two indexes while the file is being read. */
const REFRESH_MS = 100;
/** It is also at least this many times what the latest index took, so that reading is not held up. */
const REST = 10;

/** The records of a trace. `spawn` starts a record worker. */
export function createRecords(source: Source, spawn: () => RecordsPort): Records {
  const listing = signal<Listed | null>(null);
  let port: RecordsPort | null = null;
  let requests = createRequests<
    ToRecords,
    Exclude<FromRecords, { t: 'listing' | 'collecting' | 'searching' | 'values-kept' }>
  >(() => undefined);
  let tellCollecting: (share: number) => void = () => undefined;
  /** Settles when the newest pass is over. */
  let collecting: Promise<unknown> = Promise.resolve();
  /** The newest searches by slot. */
  const searching = new Map<SearchSlot, SearchOfRecords>();
  let disposed = false;
  /** When the worker got its latest index, and how long that took. */
  let sentAt = Number.NEGATIVE_INFINITY;
  let took = 0;
  /** Number of the latest index requested, and of the one that the worker has. */
  let requested = 0;
  let current = 0;
  /** The worker has the index of the whole trace, or needs none. */
  let isWhole = false;
  /** The worker has the newest list, or a part of it. */
  let hasList = false;
  /** The newest list: the id of its request. */
  let newestList = -1;
  let refreshing: Promise<boolean> | null = null;
  /** Bytes of values that the worker keeps, and that it may keep; -1 if that was not set. */
  let keptValues = 0;
  let roomForValues = -1;

  const setRoom = (bytes: number) => {
    if (bytes !== roomForValues) port?.postMessage({ t: 'values-room', bytes }, []);
    roomForValues = bytes;
  };
  const enterValues = (bytes: number) => {
    keptValues = bytes;
    source.ledger?.set('values', {
      noun: 'values of variables',
      bytes,
      free: () => {
        keptValues = 0;
        setRoom(0);
      },
    });
  };
  /** Before a question about values: they are in use, and may be kept as far as there is room. */
  const useValues = () => {
    enterValues(keptValues);
    setRoom(Math.min(MOST_VALUES, source.ledger?.room('values') ?? MOST_VALUES));
  };
  const stop = () => {
    port?.terminate();
    port = null;
    roomForValues = -1;
    if (keptValues > 0) enterValues(0);
    requests.end();
    listing.value = null;
    hasList = false;
  };
  const start = (info: TraceInfo, file: Blob) => {
    if (port || disposed) return;
    const started = spawn();
    port = started;
    requests = createRequests((message) => started.postMessage(message, []));
    sentAt = Number.NEGATIVE_INFINITY;
    current = 0;
    isWhole = isDatabase(info);
    started.onmessage = ({ data }) => {
      if (data.t === 'listing') {
        if (data.id !== newestList) return;
        hasList = true;
        listing.value = data.listed;
      } else if (data.t === 'values-kept') enterValues(data.bytes);
      else if (data.t === 'collecting') tellCollecting(data.share);
      else if (data.t === 'searching') {
        for (const search of searching.values()) if (search.id === data.id) search.take(data);
      } else requests.settle(data);
    };
    started.onerror = (event) => {
      event.preventDefault();
      if (port === started) stop();
    };
    started.onmessageerror = () => {
      if (port === started) stop();
    };
    started.postMessage({ t: 'open', file, log: source.log(), format: info.format, database: isDatabase(info) }, []);
  };
  /** Hands the worker a new index. Returns false if there is none, because the trace's worker has ended. */
  const refresh = async (): Promise<boolean> => {
    requested += 1;
    const number = requested;
    const reading = source.reading();
    const began = performance.now();
    const target = port;
    const index = await source.index();
    took = performance.now() - began;
    if (!index) return false;
    if (port !== target || !target) return true;
    sentAt = performance.now();
    current = number;
    isWhole = !reading;
    hasList = false;
    target.postMessage({ t: 'index', index }, [index.buffer]);
    return true;
  };
  const isRecent = (least: number) => {
    if (isWhole) return true;
    const age = performance.now() - sentAt;
    return source.reading() && current >= least && age <= Math.max(REFRESH_MS, REST * took);
  };
  /**
   * Starts the worker if necessary, with an index that is recent enough and has at least the number `least`. Returns false
   * if that is impossible.
   */
  const ready = async (least = 0): Promise<boolean> => {
    const info = source.info.peek();
    const arrival = source.file();
    const file = arrival instanceof Blob ? arrival : await arrival;
    if (!info || !file || disposed) return false;
    start(info, file);
    // An index requested before reading ended, or for a worker that has stopped since, is not enough.
    while (port && !isRecent(least)) {
      refreshing ??= refresh().finally(() => {
        refreshing = null;
      });
      if (!(await refreshing)) return false;
    }
    return port !== null;
  };

  return {
    listing,
    warm: () => void ready(),
    record: async (locator) => {
      const before = requested;
      const ask = () => requests.ask('record', (id) => ({ t: 'record', id, locator }));
      if (!(await ready())) return null;
      const isOlder = !isWhole && current <= before;
      let reply = await ask();
      // The picture may show more than an index that is older than the question.
      if (reply?.error && isOlder && (await ready(before + 1))) reply = (await ask()) ?? reply;
      return reply && { value: reply.record, error: reply.error };
    },
    list: async (scope) => {
      if (!(await ready())) return null;
      hasList = false;
      listing.value = null;
      const reply = await requests.askNewest('listed', (id) => {
        newestList = id;
        return { t: 'list', id, scope };
      });
      if (reply) listing.value = null;
      hasList ||= Boolean(reply?.listed);
      return reply && { value: reply.listed, error: reply.error };
    },
    rows: async (first, count) => {
      if (!hasList) return null;
      const reply = await requests.askNewest('rows', (id) => ({ t: 'rows', id, first, count }));
      return reply && { value: reply.rows, error: reply.error };
    },
    portion: async (first, count) => {
      if (!hasList) return null;
      return (await requests.ask('portion', (id) => ({ t: 'portion', id, first, count })))?.rows ?? null;
    },
    rowAt: async (x, track, locator) => {
      if (!hasList) return null;
      const reply = await requests.askNewest('row-at', (id) => ({ t: 'row-at', id, x, track, locator }));
      return reply?.row ?? null;
    },
    recordAt: async (x, track) => {
      if (!(await ready())) return null;
      return (await requests.ask('record-at', (id) => ({ t: 'record-at', id, x, track })))?.row ?? null;
    },
    survey: async () => {
      if (!(await ready())) return null;
      return requests.ask('survey', (id) => ({ t: 'survey', id }));
    },
    collect: (wanted, tell, stopped) => {
      const pass = collecting.then(async () => {
        if (stopped.aborted || !(await ready())) return null;
        tellCollecting = tell;
        const asked = requests.ask('collected', (id) => ({ t: 'collect', id, wanted }));
        const worker = port;
        let timer: ReturnType<typeof setTimeout> | undefined;
        const abort = () => {
          worker?.postMessage({ t: 'stop-collect' }, []);
          // A worker that is deep in a call does not hear it.
          timer = setTimeout(() => {
            if (port === worker) stop();
          }, STOP_MS);
        };
        stopped.addEventListener('abort', abort, { once: true });
        const reply = await asked;
        clearTimeout(timer);
        stopped.removeEventListener('abort', abort);
        return reply && { value: reply.found, error: reply.error };
      });
      collecting = pass.catch(() => undefined);
      return pass;
    },
    search: async (slot, filter, take) => {
      const mine: SearchOfRecords = { id: -1, take, timer: undefined };
      searching.set(slot, mine);
      if (!(await ready()) || searching.get(slot) !== mine) return undefined;
      if ('values' in filter) useValues();
      const reply = await requests.ask('searched', (id) => {
        mine.id = id;
        return 'values' in filter
          ? { t: 'ask-values', id, slot, query: filter.values }
          : { t: 'search', id, slot, filter };
      });
      clearTimeout(mine.timer);
      if (searching.get(slot) !== mine) return undefined;
      // There is nothing left to stop.
      searching.delete(slot);
      return reply ? reply.error : undefined;
    },
    aboutValues: async <W extends ValuesWhat>(about: ValuesQuestion<W>) => {
      if (!(await ready())) return null;
      useValues();
      const reply = await requests.ask('values', (id) => ({ t: 'about-values', id, ask: about }));
      // The worker answers each question with its kind of answer.
      return (reply?.answer ?? null) as ValuesAnswer<W> | null;
    },
    tabulate: async (wanted) => {
      if (!(await ready())) return null;
      const reply = await requests.ask('tabulated', (id) => ({ t: 'tabulate', id, ...wanted }));
      return reply && { value: reply.part, error: reply.error };
    },
    stopSearch: (slot) => {
      const stopped = searching.get(slot);
      const worker = port;
      searching.delete(slot);
      if (!stopped || stopped.id < 0) return;
      worker?.postMessage({ t: 'stop-search', slot }, []);
      // A worker that is deep in a call does not hear it.
      stopped.timer = setTimeout(() => {
        if (port === worker) stop();
      }, STOP_MS);
    },
    replaceFile: (file) => port?.postMessage({ t: 'file', file }, []),
    dispose: () => {
      disposed = true;
      stop();
    },
  };
}

/** Whether a trace is a database, which is read without an index. */
export function isDatabase(info: TraceInfo): boolean {
  return info.offers.includes('sql');
}
