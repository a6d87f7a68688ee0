/** Searches: what they find, and the questions about it. `crate/engine/src/find` implements them. */

import type { Hit, HitColumns, HitRank, MarksPart } from '../worker/wasm/unspool_browser.js';
import type {
  BoundExpression as Bound,
  BoundFilter,
  BoundPoints,
  WrongExpression,
} from '../worker/wasm/unspool_find.js';
import type { FoundRecords } from '../worker/wasm/unspool_records.js';
import type { Item, Ticks } from './protocol.ts';

// What `crate/wasm/session`, `find` and `records` answer with.
export type { FindPart, Hit, HitColumns } from '../worker/wasm/unspool_browser.js';
export type { BoundFilter, BoundPoints, WrongExpression } from '../worker/wasm/unspool_find.js';
export type { FoundRecords } from '../worker/wasm/unspool_records.js';

/** An expression that is bound to a trace, for its workers. */
export interface BoundExpression extends Pick<Bound, 'slices' | 'records'>, Partial<Pick<Bound, 'abouts'>> {
  /** A query about values that the record worker must answer, instead of `records`. */
  readonly values?: string;
}

/** Reads expressions about a trace, which has been read. */
export interface BindService {
  /** About slices, instants and records. */
  bindAll(text: string): Promise<BoundExpression | WrongExpression | null>;
  /** About slices that touch a range of some tracks; `to` is exclusive. Words are parts of names only. */
  bindSlices(
    text: string,
    from: Ticks,
    to: Ticks,
    tracks: Uint32Array,
  ): Promise<BoundExpression | WrongExpression | null>;
  /** About the records of a list. */
  bindRecords(text: string): Promise<BoundFilter | WrongExpression | null>;
  /** For a search of values. null if the filter language does not load. */
  bindPoints(): Promise<BoundPoints | null>;
}

/** The orders of hits. Their numbers here are those of `crate/wasm/session/src/find.rs`. */
export const HIT_ORDERS = ['position', 'thread', 'name', 'duration', 'match'] as const;
export type HitOrder = (typeof HIT_ORDERS)[number];
/** Most hits that can be put in an order other than that of their positions. */
export const MOST_SORTED = 2 ** 20;

/** Hits with these numbers by position, `end` exclusive. */
export interface HitNumbers {
  readonly first: number;
  readonly end: number;
}

/** The hits of a search, by the id of its job. Answers are null if there is no such search. */
export interface HitService {
  /** Of some hits, `count` from number `first` on; fewer at the end. */
  hits(job: number, among: HitNumbers, first: number, count: number, order: HitOrder): readonly Hit[] | null;
  /** How many hits are before an item or a record, and whether it is one. */
  rankOfHit(job: number, x: Ticks, item: Item | null, locator: bigint | null): HitRank | null;
  /** The cells that hits touch. `depths` are as in a query. `merged` joins all depths of a track. */
  marksOfHits(
    job: number,
    from: Ticks,
    to: Ticks,
    step: bigint,
    tracks: Uint32Array,
    depths: Int32Array,
    merged: boolean,
  ): MarksPart | null;
  /** Adds records. The answer has the new number of hits and the ids of their names. */
  addHits(job: number, found: FoundRecords): { readonly count: number; readonly names: Uint32Array } | null;
  /** At most `most` hits, by position. */
  columnsOfHits(job: number, most: number): HitColumns | null;
  /** Forgets the search. */
  dropHits(job: number): void;
}
