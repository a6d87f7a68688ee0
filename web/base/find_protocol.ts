/** Searches: what they find, and the questions about it. `crate/engine/src/find` implements them. */

import type { HitColumns, HitRank, MarksPart } from '../worker/wasm/unspool_browser.js';
import type { BoundExpression as Bound } from '../worker/wasm/unspool_find.js';
import type { FoundRecords } from '../worker/wasm/unspool_records.js';
import type { Item, Ticks } from './protocol.ts';

// What `crate/wasm/session`, `find` and `records` answer with.
export type { FindPart } from '../worker/wasm/unspool_browser.js';
export type { BoundFilter, BoundPoints, WrongExpression } from '../worker/wasm/unspool_find.js';
export type { FoundRecords } from '../worker/wasm/unspool_records.js';

/** An expression that is bound to a trace, for its workers. */
export interface BoundExpression extends Pick<Bound, 'slices' | 'records'>, Partial<Pick<Bound, 'abouts'>> {
  /** A query about values that the record worker must answer, instead of `records`. */
  readonly values?: string;
}

/** What an expression is about. */
export type BindTo =
  /** Slices, instants and records: reply `BoundExpression`. */
  | { readonly what: 'all' }
  /** Slices that touch a range of some tracks; `to` is exclusive. Words are parts of names only. Reply: `BoundExpression`. */
  | { readonly what: 'slices'; readonly from: Ticks; readonly to: Ticks; readonly tracks: Uint32Array }
  /** The records of a list: reply `BoundFilter`. */
  | { readonly what: 'records' }
  /** The text is about values: reply `BoundPoints`. */
  | { readonly what: 'points' };

/** The orders of hits. Their numbers here are those of `crate/wasm/session/src/find.rs`. */
export const HIT_ORDERS = ['position', 'thread', 'name', 'duration', 'match'] as const;
export type HitOrder = (typeof HIT_ORDERS)[number];
/** Most hits that can be put in an order other than that of their positions. */
export const MOST_SORTED = 2 ** 20;

/** A hit. */
export interface Hit {
  /** The slice or the instant; null for a record that is neither. */
  readonly item: Item | null;
  readonly track: number;
  readonly start: Ticks;
  /** null unless it is a slice. */
  readonly end: Ticks | null;
  /** Id of its name, or null. */
  readonly name: number | null;
  /** Its name if that has no id. */
  readonly title: string;
  readonly locator: bigint;
  /** The field that matched, such as `count: 4`; '' if the name did. */
  readonly matched: string;
}

/** The questions about the hits of a search, with their answers. */
export interface HitQuestions {
  /** `count` hits from number `first` on; fewer at the end. */
  readonly page: {
    readonly question: { readonly first: number; readonly count: number; readonly order: HitOrder };
    readonly answer: readonly Hit[];
  };
  /** How many hits are before an item or a record, and whether it is one. */
  readonly rank: {
    readonly question: { readonly x: Ticks; readonly item: Item | null; readonly locator: bigint | null };
    readonly answer: HitRank;
  };
  /** The cells that hits touch. `depths` are as in a query. `merged` joins all depths of a track. */
  readonly marks: {
    readonly question: {
      readonly from: Ticks;
      readonly to: Ticks;
      readonly step: bigint;
      readonly tracks: Uint32Array;
      readonly depths: Int32Array;
      readonly merged: boolean;
    };
    readonly answer: MarksPart;
  };
  /** Adds records. The answer has the new number of hits and the ids of their names. */
  readonly add: {
    readonly question: { readonly found: FoundRecords };
    readonly answer: { readonly count: number; readonly names: Uint32Array };
  };
  /** Positions, tracks and locators of at most `most` hits, by position. */
  readonly columns: {
    readonly question: { readonly most: number };
    readonly answer: HitColumns;
  };
  /** Forgets the search. */
  readonly drop: { readonly question: object; readonly answer: true };
}

/** What can be asked about hits. */
export type HitWhat = keyof HitQuestions;
/** A question about hits. */
export type HitQuestion<W extends HitWhat = HitWhat> = W extends HitWhat
  ? { readonly what: W } & HitQuestions[W]['question']
  : never;
/** The answer to a question about hits. */
export type HitAnswer<W extends HitWhat = HitWhat> = HitQuestions[W]['answer'];
