import { type ReadonlySignal, signal } from '@preact/signals';
import type { GivenNames } from '../base/given_names.ts';
import { latest } from '../base/latest.ts';
import type { RecordDetails, Ticks, TraceError, TraceInfo } from '../base/protocol.ts';
import type {
  Collected,
  CollectWanted,
  FoundTokens,
  Listed,
  RecordFilter,
  RecordRow,
  RecordScope,
  RecordService,
  RecordSort,
  SearchFor,
  Searching,
  SearchSlot,
  Surveyed,
  TabulatedPart,
  TabulateWanted,
  TokensPart,
  ValuesQuery,
} from '../base/record_protocol.ts';
import { give, type Remote, type RemoteWorker } from '../base/remote.ts';
import type { ValuesService } from '../base/values_protocol.ts';
import type { Ledger } from './ledger.ts';
import { createService } from './service.ts';

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
  /** Lets another worker ask the trace's, at the other end of the port. Resolves when that ends, which the other cannot notice. */
  share(port: MessagePort): Promise<unknown>;
  /**
   * What another worker needs to read the records; with `numbers` symbols may come without their names. Resolves with null if
   * the trace's worker ends.
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
   * Sorts the list, as `order` of {@link RecordService}; null for the order of the trace. Resolves with whether it is sorted, or with null
   * if a newer order replaces this one, or there is no list any more.
   */
  order(sort: RecordSort | null, given: GivenNames, tell: (share: number) => void): Promise<boolean | null>;
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
  /** As `tokens` of {@link RecordService}, after what is being collected. Resolves with null if the worker ends, too. */
  tokens(
    given: GivenNames,
    rules: readonly string[],
    pieces: number | null,
    take: (part: TokensPart) => void,
    tell: (share: number) => void,
    stop: AbortSignal,
  ): Promise<Answer<FoundTokens> | null>;
  /** As `reuse` of {@link RecordService}, if the worker is there. */
  reuse(tokens: Uint32Array): void;
  /** As `numbered` of {@link RecordService}. Resolves with null if they cannot be read, too. */
  numbered(track: number, first: number, count: number, stop: AbortSignal): Promise<readonly RecordRow[] | null>;
  /**
   * Looks for records, in place of the slot's previous search, and adds them to the hits of a search. `take` hears of them, also
   * once it is stopped. Resolves with the error that ended the search, or null at its end; with `undefined` if a newer search or
   * {@link Records.stopSearch} ended it, or the worker.
   */
  search(
    slot: SearchSlot,
    filter: RecordFilter | ValuesQuery,
    to: SearchFor,
    take: (part: Searching) => void,
  ): Promise<TraceError | null | undefined>;
  /** Asks about values. Resolves with null if that cannot be answered, or the worker ends. */
  aboutValues<T>(ask: (values: Remote<ValuesService>) => Promise<T>): Promise<T | null>;
  /** A part of the tables of records for SQL. Resolves with null if the worker ends. */
  tabulate(wanted: TabulateWanted): Promise<Answer<TabulatedPart> | null>;
  /** Ends the search of a slot. */
  stopSearch(slot: SearchSlot): void;
  /** Reads on from another file, which has the same bytes. */
  replaceFile(file: Blob): void;
  dispose(): void;
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
export function createRecords(source: Source, spawn: () => RemoteWorker): Records {
  const listing = signal<Listed | null>(null);
  /** The records in the worker while that runs. */
  let remote: Remote<RecordService> | null = null;
  /** Settles when the newest pass is over. */
  let collecting: Promise<unknown> = Promise.resolve();
  /** What stops the newest searches, by slot. */
  const searching = new Map<SearchSlot, AbortController>();
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
  let refreshing: Promise<boolean> | null = null;
  /** Bytes of values that the worker keeps, and that it may keep; -1 if that was not set. */
  let keptValues = 0;
  let roomForValues = -1;

  const setRoom = (bytes: number) => {
    if (bytes !== roomForValues && remote) send(remote.keepValues(bytes));
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
  const forget = () => {
    remote = null;
    roomForValues = -1;
    if (keptValues > 0) enterValues(0);
    listing.value = null;
    hasList = false;
  };
  const worker = createService<RecordService>(spawn, forget);
  const end = () => {
    forget();
    worker.end();
  };
  const start = (info: TraceInfo, file: Blob) => {
    if (remote || disposed) return;
    remote = worker.remote();
    sentAt = Number.NEGATIVE_INFINITY;
    current = 0;
    isWhole = isDatabase(info);
    const { port1, port2 } = new MessageChannel();
    // Both workers end with the trace.
    void source.share(port1);
    send(remote.open({ file, log: source.log(), format: info.format, database: isDatabase(info) }, port2));
    send(remote.watchValues(enterValues));
  };
  /** Gets the worker a new index. Returns false if there is none, because the trace's worker has ended. */
  const refresh = async (): Promise<boolean> => {
    requested += 1;
    const number = requested;
    const reading = source.reading();
    const target = remote;
    const waited = target && (await answered(target.refresh()))?.value;
    if (remote !== target) return true;
    if (waited == null) return false;
    took = waited;
    sentAt = performance.now();
    current = number;
    isWhole = !reading;
    hasList = false;
    return true;
  };
  const isRecent = (least: number) => {
    if (isWhole) return true;
    const age = performance.now() - sentAt;
    return source.reading() && current >= least && age <= Math.max(REFRESH_MS, REST * took);
  };
  /**
   * Starts the worker if necessary, with an index that is recent enough and has at least the number `least`. Returns null if
   * that is impossible.
   */
  const ready = async (least = 0): Promise<Remote<RecordService> | null> => {
    const info = source.info.peek();
    const arrival = source.file();
    const file = arrival instanceof Blob ? arrival : await arrival;
    if (!info || !file || disposed) return null;
    start(info, file);
    // An index requested before reading ended, or for a worker that has stopped since, is not enough.
    while (remote && !isRecent(least)) {
      refreshing ??= refresh().finally(() => {
        refreshing = null;
      });
      if (!(await refreshing)) return null;
    }
    return remote;
  };
  /** Waits for the end of a pass. A worker that is deep in a call does not hear that it is to stop, and is ended. */
  const inTime = async <T>(pass: Promise<T>, stop: AbortSignal): Promise<T> => {
    const of = remote;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      timer = setTimeout(() => {
        if (remote === of) end();
      }, STOP_MS);
    };
    stop.addEventListener('abort', wait);
    return pass.finally(() => {
      clearTimeout(timer);
      stop.removeEventListener('abort', wait);
    });
  };

  return {
    listing,
    warm: () => void ready(),
    record: async (locator) => {
      const before = requested;
      const service = await ready();
      if (!service) return null;
      const isOlder = !isWhole && current <= before;
      const answer = await answered(service.record(locator));
      if (!answer?.error || !isOlder) return answer;
      // The picture may show more than an index that is older than the question.
      const newer = await ready(before + 1);
      return (newer && (await answered(newer.record(locator)))) ?? answer;
    },
    list: latest(async (stop, scope) => {
      const service = await ready();
      if (!service || stop.aborted) return null;
      hasList = false;
      listing.value = null;
      const hear = (listed: Listed) => {
        if (stop.aborted) return;
        hasList = true;
        listing.value = listed;
      };
      const answer = await answered(service.list(scope, hear, stop));
      if (stop.aborted || !answer) return null;
      listing.value = null;
      hasList ||= answer.value !== null;
      return answer;
    }),
    rows: latest(async (stop, first, count) => (hasList && remote ? answered(remote.rows(first, count, stop)) : null)),
    portion: async (first, count) => {
      const rows = hasList && remote ? await answered(remote.portion(first, count)) : null;
      return rows?.value ?? null;
    },
    order: latest(async (stop, sort, given, tell) => {
      const hear = (share: number) => {
        if (!stop.aborted) tell(share);
      };
      const done = hasList && remote ? await answered(remote.order(sort, given, hear, stop)) : null;
      return stop.aborted ? null : (done?.value ?? null);
    }),
    rowAt: latest(async (_, x, track, locator) => {
      const row = hasList && remote ? await answered(remote.rowAt(x, track, locator)) : null;
      return row?.value ?? null;
    }),
    recordAt: async (x, track) => {
      const service = await ready();
      return (service && (await answered(service.recordAt(x, track))))?.value ?? null;
    },
    survey: async () => {
      const service = await ready();
      return (service && (await answered(service.survey())))?.value ?? null;
    },
    collect: (wanted, tell, stop) => {
      const pass = collecting.then(async () => {
        const service = stop.aborted ? null : await ready();
        return service && inTime(answered(service.collect(wanted, tell, stop)), stop);
      });
      collecting = pass.catch(() => undefined);
      return pass;
    },
    tokens: (given, rules, pieces, take, tell, stop) => {
      const pass = collecting.then(async () => {
        const service = stop.aborted ? null : await ready();
        return service && inTime(answered(service.tokens(given, rules, pieces, take, tell, stop)), stop);
      });
      collecting = pass.catch(() => undefined);
      return pass;
    },
    reuse: (tokens) => void remote?.reuse(give(tokens)).catch(() => undefined),
    numbered: async (track, first, count, stop) => {
      const service = await ready();
      return (service && (await answered(service.numbered(track, first, count, stop))))?.value ?? null;
    },
    search: async (slot, filter, to, take) => {
      searching.get(slot)?.abort();
      const mine = new AbortController();
      searching.set(slot, mine);
      const stop = mine.signal;
      const service = await ready();
      if (!service || stop.aborted) return undefined;
      if ('values' in filter) useValues();
      const pass =
        'values' in filter
          ? service.searchValues(filter.values, to, take, stop)
          : service.search(slot, filter, to, take, stop);
      const answer = await inTime(answered(pass), stop);
      if (stop.aborted) return undefined;
      // There is nothing left to stop.
      searching.delete(slot);
      return answer ? answer.error : undefined;
    },
    aboutValues: async (ask) => {
      const service = await ready();
      if (!service) return null;
      useValues();
      return (await answered(ask(service)))?.value ?? null;
    },
    tabulate: async (wanted) => {
      const service = await ready();
      return service && answered(service.tabulate(wanted));
    },
    stopSearch: (slot) => {
      searching.get(slot)?.abort();
      searching.delete(slot);
    },
    replaceFile: (file) => {
      if (remote) send(remote.replaceFile(file));
    },
    dispose: () => {
      disposed = true;
      end();
    },
  };
}

/** For calls whose end does not matter. */
function send(call: Promise<unknown>): void {
  call.catch(() => undefined);
}

/** What a call resolves with, or the error that the worker answers with. null if that has ended, which has a sentence. */
function answered<T>(call: Promise<T | null>): Promise<Answer<T> | null> {
  return call.then(
    (value) => ({ value, error: null }),
    (error: TraceError | string) => (typeof error === 'string' ? null : { value: null, error }),
  );
}

/** Whether a trace is a database, which is read without an index. */
export function isDatabase(info: TraceInfo): boolean {
  return info.offers.includes('sql');
}
