/**
 * The messages between the page and a trace's record worker. `web/worker/record_worker.ts` reads {@link ToRecords} and
 * writes {@link FromRecords}, `web/model/records.ts` the reverse.
 */

import type { Collected, FoundRecords, Listed, Surveyed, TabulatedPart } from '../worker/wasm/unspool_records.js';
import type { Field, RecordDetails, Ticks, TraceError } from './protocol.ts';
import type { ValuesAnswer, ValuesQuestion } from './values_protocol.ts';

// What `crate/wasm/records` answers with.
export type { Collected, FoundRecords, Listed, Surveyed, TabulatedPart } from '../worker/wasm/unspool_records.js';

/** Which records to list: positions with `to` exclusive, and tracks. null means all. */
export interface RecordScope {
  readonly range: { readonly from: Ticks; readonly to: Ticks } | null;
  readonly tracks: Uint32Array | null;
  readonly filter: RecordFilter | null;
}

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

/** A record in a list. */
export interface RecordRow {
  /** Position. */
  readonly x: Ticks;
  /** Id of the track of its thread. */
  readonly track: number;
  readonly locator: bigint;
  /** Empty if it has none. */
  readonly name: string;
  /** By key. Long texts and lists are shortened. */
  readonly fields: readonly Field[];
  /** Number of values left out. */
  readonly dropped: number;
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
  | { readonly what: 'field'; readonly names: readonly string[]; readonly path: readonly string[] };

/** Which records to make rows of. */
export interface TabulateWanted {
  readonly range: { readonly from: Ticks; readonly to: Ticks } | null;
  readonly next: number;
  readonly rows: number;
  readonly bytes: number;
}

/** Most records that are collected. */
export const MOST_COLLECTED = 2 ** 21;

/** Messages of the page to the record worker, which reads the records of the same file. */
export type ToRecords =
  /** `format` is {@link TraceInfo.format}. A database needs no index. */
  | {
      readonly t: 'open';
      readonly file: Blob;
      /** The write-ahead log of a database, if there is one. */
      readonly log: Blob | null;
      readonly format: string;
      readonly database: boolean;
    }
  /** The same bytes from another file, of a trace that is not a database. */
  | { readonly t: 'file'; readonly file: Blob }
  /** Replaces the index. Lists of the old one are gone. */
  | { readonly t: 'index'; readonly index: Uint8Array }
  /** How many bytes of values may be kept for the next question. Before the first one. */
  | { readonly t: 'values-room'; readonly bytes: number }
  | { readonly t: 'record'; readonly id: number; readonly locator: bigint }
  /** Reply: `listed`. Only the newest list can be asked for rows. */
  | { readonly t: 'list'; readonly id: number; readonly scope: RecordScope }
  /** At most `count` rows of the list from number `first` on. A newer request supersedes one that waits. */
  | { readonly t: 'rows'; readonly id: number; readonly first: number; readonly count: number }
  /** The same for a person who takes the list along. Every request is answered: `portion`. */
  | { readonly t: 'portion'; readonly id: number; readonly first: number; readonly count: number }
  /** The number of a record in the list, or of the first one at or after the position. */
  | {
      readonly t: 'row-at';
      readonly id: number;
      readonly x: Ticks;
      readonly track: number | null;
      readonly locator: bigint | null;
    }
  /** The record at a position, preferably of a track. Needs no list. */
  | { readonly t: 'record-at'; readonly id: number; readonly x: Ticks; readonly track: number | null }
  /** Visits all records with all their fields, for tests and the benchmark. */
  | { readonly t: 'survey'; readonly id: number }
  /**
   * Records of a range (`to` exclusive) with their fields, as rows for SQL: some milliseconds' worth from `next` on, 0 at first. At most about
   * `rows` rows and `bytes` bytes. Reply: `tabulated`.
   */
  | ({ readonly t: 'tabulate'; readonly id: number } & TabulateWanted)
  /** Reply: `collected`, and `collecting` in between. The page asks for one at a time. */
  | { readonly t: 'collect'; readonly id: number; readonly wanted: CollectWanted }
  /** Looks for records, in place of the slot's previous search. Replies: `searching`, then `searched`. */
  | { readonly t: 'search'; readonly id: number; readonly slot: SearchSlot; readonly filter: RecordFilter }
  | { readonly t: 'stop-search'; readonly slot: SearchSlot }
  /** The same for points by their values. */
  | { readonly t: 'ask-values'; readonly id: number; readonly slot: SearchSlot; readonly query: string }
  /** Reply: `values`. */
  | { readonly t: 'about-values'; readonly id: number; readonly ask: ValuesQuestion }
  /** Ends the collecting: the reply comes at once, without records. */
  | { readonly t: 'stop-collect' };

/** Replies of the record worker. A result is null if reading failed with `error`, or after a newer list has begun. */
export type FromRecords =
  | {
      readonly t: 'record';
      readonly id: number;
      readonly record: RecordDetails | null;
      readonly error: TraceError | null;
    }
  | { readonly t: 'listed'; readonly id: number; readonly listed: Listed | null; readonly error: TraceError | null }
  | {
      readonly t: 'rows';
      readonly id: number;
      readonly rows: readonly RecordRow[] | null;
      readonly error: TraceError | null;
    }
  | {
      readonly t: 'portion';
      readonly id: number;
      readonly rows: readonly RecordRow[] | null;
      readonly error: TraceError | null;
    }
  /** null also if the list ends before. */
  | { readonly t: 'row-at'; readonly id: number; readonly row: number | null }
  /** null if there is none. */
  | { readonly t: 'record-at'; readonly id: number; readonly row: RecordRow | null }
  | {
      readonly t: 'tabulated';
      readonly id: number;
      readonly part: TabulatedPart | null;
      readonly error: TraceError | null;
    }
  /** Number of records and of single values, and the bytes of memory of the module that reads them. */
  | ({ readonly t: 'survey'; readonly id: number } & Surveyed)
  | {
      readonly t: 'collected';
      readonly id: number;
      readonly found: Collected | null;
      readonly error: TraceError | null;
    }
  /** What a search has found since the last message, how many records it has found, and how far it is, from 0 to 1. */
  | {
      readonly t: 'searching';
      readonly id: number;
      readonly found: FoundRecords;
      readonly count: number;
      readonly share: number;
    }
  /** The search has ended: with an error, if there is one. */
  | { readonly t: 'searched'; readonly id: number; readonly error: TraceError | null }
  /** How many bytes of values are kept, whenever that has changed. */
  | { readonly t: 'values-kept'; readonly bytes: number }
  /** null if it cannot be told. */
  | { readonly t: 'values'; readonly id: number; readonly answer: ValuesAnswer | null }
  /** Now and then while records are being collected: how far the pass is, from 0 to 1. */
  | { readonly t: 'collecting'; readonly share: number }
  /** Now and then while a list is being made: what is in it so far, and can be asked for. */
  | { readonly t: 'listing'; readonly id: number; readonly listed: Listed };
