/** What a trace's record worker does: `web/trace/worker/record_worker.ts`. `web/trace/records.ts` is the page's side of it. */

import type {
  Collected,
  FoundRecords,
  FoundTokens,
  Listed,
  RowOut as RecordRow,
  Surveyed,
  TabulatedPart,
  TokensPart,
} from '../worker/wasm/unspool_records.js';
import type { HitService } from './find_protocol.ts';
import type { GivenNames } from './given_names.ts';
import type { RecordColumn, RecordDetails, Ticks } from './protocol.ts';
import type { ValuesService } from './values_protocol.ts';

// What `crate/wasm/records` answers with.
export type {
  Collected,
  FoundRecords,
  FoundTokens,
  Listed,
  RowOut as RecordRow,
  Surveyed,
  TabulatedPart,
  TokensPart,
} from '../worker/wasm/unspool_records.js';

/** Which records to list: positions with `to` exclusive, and tracks. null means all. */
export interface RecordScope {
  readonly range: { readonly from: Ticks; readonly to: Ticks } | null;
  readonly tracks: Uint32Array | null;
  readonly filter: RecordFilter | null;
}

/** What the list of records is sorted by. */
export interface RecordSort {
  readonly column: Pick<RecordColumn, 'shows' | 'key' | 'label'>;
  readonly descending: boolean;
}

/** Most rows of a list that is sorted, unless by position: each of them is read for that. */
export const MOST_ORDERED = 100_000;

/** What an expression asks of records. */
export interface RecordFilter {
  /** `BoundExpression.records` or `BoundFilter.query`. */
  readonly query: Uint8Array;
  /** For each of `BoundFilter.begins`, what was found. */
  readonly begins: readonly Beginnings[];
}

/** Where slices begin: positions, and where their records are found. */
export interface Beginnings {
  readonly time: BigUint64Array;
  readonly locator: BigUint64Array;
}

/** The searches that a record worker runs side by side: their numbers there. */
export const SEARCH_SLOTS = { find: 0, functions: 1 } as const;
export type SearchSlot = keyof typeof SEARCH_SLOTS;

/** A query about values: docs/values.md. */
export interface ValuesQuery {
  readonly values: string;
}

/** Which records to collect. */
export type CollectWanted =
  /** Those that execute the instruction there. */
  | { readonly what: 'address'; readonly address: bigint }
  /** Intervals of a thread with the same number in the field with this key. Each is collected where it begins. */
  | { readonly what: 'runs'; readonly key: string }
  /** Those that read or write some of `len` bytes of memory, at most 8. Their number is what the memory holds afterwards. */
  | { readonly what: 'memory'; readonly address: bigint; readonly len: number }
  /** Events with a payload. Their number is that of their type, or -1. */
  | { readonly what: 'events' }
  /** Those with a number in a field. `names` has names of records as in a list, any if it is empty. `path` has keys, and indices of lists. */
  | { readonly what: 'field'; readonly names: readonly string[]; readonly path: readonly string[] }
  /** Those with a field that has texts, by the same. Their number is that of the text, as {@link NO_TEXT} says. */
  | { readonly what: 'texts'; readonly names: readonly string[]; readonly path: readonly string[] };

/** In place of the number of a text, of records with something else there; the number before it stands for a text too many. */
export const NO_TEXT = 2n ** 64n - 1n;

/** Which records to make rows of: of a range (`to` exclusive), from `next` on, 0 at first. At most about `rows` rows and `bytes` bytes. */
export interface TabulateWanted {
  readonly range: { readonly from: Ticks; readonly to: Ticks } | null;
  readonly next: number;
  readonly rows: number;
  readonly bytes: number;
}

/** Most records that are collected. */
export const MOST_COLLECTED = 2 ** 21;

/** The file of a trace whose records are read. */
export interface RecordSource {
  readonly file: Blob;
  /** The write-ahead log of a database, if there is one. */
  readonly log: Blob | null;
  /** {@link TraceInfo.format}. */
  readonly format: string;
  /** A database needs no index. */
  readonly database: boolean;
}

/** What the page hears of a search of records. */
export interface Searching {
  /** Records that match, and those of them that came to the hits since the last time. */
  readonly count: number;
  readonly listed: number;
  /** How far it is, from 0 to 1. */
  readonly share: number;
  /** The hits with them; null if there are no new ones, or no such search any more. */
  readonly hits: Awaited<ReturnType<HitService['addHits']>>;
  /** What was found, for {@link SearchFor.shown}. */
  readonly found: Pick<FoundRecords, 'x' | 'track' | 'branches'> | null;
  /** The reason why nothing was found, with the last part of a search of values. */
  readonly reason?: string | undefined;
}

/** The search whose hits a pass over the records adds to. */
export interface SearchFor {
  /** The id of its job in the trace's worker. */
  readonly job: number;
  /** The page wants to have what is found. */
  readonly shown: boolean;
}

/** The records of one trace, in a worker that is never reset. Calls are rejected with a {@link TraceError} if reading fails. */
export interface RecordService extends ValuesService {
  /** Comes first. The {@link TraceService} of the trace is served at the port. */
  open(source: RecordSource, trace: MessagePort): void;
  /** Reads on from another file, which has the same bytes. Not for a database. */
  replaceFile(file: Blob): void;
  /**
   * Takes the index that the trace's worker has now. Lists of the old one are gone, and its passes end as if they were stopped.
   * Resolves with the milliseconds that the trace's worker took, or null if it has none.
   */
  refresh(): Promise<number | null>;
  record(locator: bigint): Promise<RecordDetails>;
  /**
   * Makes a list in place of the previous one. `hear` gets what is in it so far, and can be asked for. null if it is stopped,
   * as it must be before another begins.
   */
  list(scope: RecordScope, hear: (listed: Listed) => void, stop: AbortSignal): Promise<Listed | null>;
  /** At most `count` rows of the list from number `first` on. null if it is stopped before its turn. */
  rows(first: number, count: number, stop: AbortSignal): Promise<readonly RecordRow[] | null>;
  /**
   * Sorts the list that was made last, of which rows are in that order from then on: at most {@link MOST_ORDERED} rows, or by position.
   * null for the order of the trace. `given`: names that are shown in place of those in the file. `hear` gets how far it is, from 0 to 1.
   * Resolves with whether it is sorted: false if it is stopped.
   */
  order(sort: RecordSort | null, given: GivenNames, hear: (share: number) => void, stop: AbortSignal): Promise<boolean>;
  /** The same for a user who takes the list along: not after other questions. */
  portion(first: number, count: number): Promise<readonly RecordRow[]>;
  /** The number of a record in the list, or of the first one at or after the position. null if the list ends before. */
  rowAt(x: Ticks, track: number | null, locator: bigint | null): Promise<number | null>;
  /** The record at a position, preferably of a track. Needs no list. null if there is none. */
  recordAt(x: Ticks, track: number | null): Promise<RecordRow | null>;
  /** Visits all records with all their fields, for tests and the benchmark. null if it is stopped. */
  survey(): Promise<Surveyed | null>;
  /** Records with their fields, as rows for SQL: some milliseconds' worth. */
  tabulate(wanted: TabulateWanted): Promise<TabulatedPart>;
  /** Collects records, one pass at a time. `progress` gets how far the pass is, from 0 to 1. null if it is stopped. */
  collect(wanted: CollectWanted, progress: (share: number) => void, stop: AbortSignal): Promise<Collected | null>;
  /**
   * Makes numbers of records, which are equal where records are the same: of all of them, or of those in `pieces` at the beginning of the
   * file. `given` says what functions are called, and rules what is to be ignored. `take` gets the numbers, a part at a time, and
   * `progress` how far it is, from 0 to 1. null if it is stopped.
   */
  tokens(
    given: GivenNames,
    rules: readonly string[],
    pieces: number | null,
    take: (part: TokensPart) => void,
    progress: (share: number) => void,
    stop: AbortSignal,
  ): Promise<FoundTokens | null>;
  /**
   * Takes an array of {@link RecordService.tokens} back, for the next part. Browsers free the memory of what came in a message late,
   * even if it is detached.
   */
  reuse(tokens: Uint32Array): void;
  /** At most `count` records of a track from number `first` on, whatever list there is. null if it is stopped. */
  numbered(track: number, first: number, count: number, stop: AbortSignal): Promise<readonly RecordRow[] | null>;
  /** Looks for records, and adds them to hits. The slot's previous search must have been stopped. */
  search(
    slot: SearchSlot,
    filter: RecordFilter,
    to: SearchFor,
    take: (part: Searching) => void,
    stop: AbortSignal,
  ): Promise<void>;
  /** The same for points by their values, one search at a time. */
  searchValues(query: string, to: SearchFor, take: (part: Searching) => void, stop: AbortSignal): Promise<void>;
  /** How many bytes of values may be kept for the next question. Before the first one. */
  keepValues(bytes: number): void;
  /** Calls `hear` with the number of bytes of values that are kept, whenever that has changed, as long as the worker lives. */
  watchValues(hear: (bytes: number) => void): Promise<never>;
}
