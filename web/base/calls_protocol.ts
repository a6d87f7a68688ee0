/** Views of the calls of a range, as they cross between page and worker. Times are ticks as doubles, exact below 2^53. */

import type { Ticks } from './protocol.ts';

/**
 * How call paths are changed, one change after the other. `kinds`: 0 leaves out recursive calls, 1 begins paths at the
 * names, 2 leaves out the names, 3 drops the time of paths without one of the names. The names of change `i` end at
 * `ends[i]`.
 */
export interface Transforms {
  readonly kinds: Uint8Array;
  readonly ends: Uint32Array;
  readonly names: Uint32Array;
}

/** Paths as they are. */
export const NO_TRANSFORMS: Transforms = {
  kinds: new Uint8Array(),
  ends: new Uint32Array(),
  names: new Uint32Array(),
};

/**
 * A flame graph: callees below callers (`down`), callers below the functions that they called (`up`), or both around one
 * function (`sandwich`). `path` leads to the node in focus, as name ids from the root; of a sandwich it is the function.
 */
export interface FlameView {
  readonly mode: 'down' | 'up' | 'sandwich';
  readonly path: Uint32Array;
}

/**
 * What rows are made of: the call tree; the heaviest stacks by total, self time or count, with their callers; or who calls
 * whom.
 */
export const LISTINGS = { tree: 0, total: 1, self: 2, count: 3, edges: 4 } as const;

/** Rows of the call tree, or of what is made from it. */
export interface TreeView {
  /** One of {@link LISTINGS}. All that follows is about the call tree. */
  readonly listing: number;
  /** From functions to their callers, rather than from outermost calls to their callees. */
  readonly inverted: boolean;
  /**
   * The open rows: row `i + 1` has the name `names[i]` and is below row `parents[i]`. Row 0 is above the outermost ones.
   */
  readonly parents: Uint32Array;
  readonly names: Uint32Array;
  /** The row below which everything is to be opened, as far as rows allow; null for none. */
  readonly everything: number | null;
}

/** A question for rows that does not depend on which ones are open. */
export function listingView(listing: number): TreeView {
  return { listing, inverted: false, parents: new Uint32Array(), names: new Uint32Array(), everything: null };
}

/** {@link TreeRows.parent} of an outermost row, and of a call that has no caller. */
export const NO_PARENT = 0xffff_ffff;

/**
 * Rows of the call tree in order: each is followed by those below it, the heaviest first. Rows of stacks follow those of their
 * callers in any order. Rows of who calls whom have the callee's name, and as `parent` the caller's name id.
 */
export interface TreeRows {
  readonly length: number;
  /** Rows that were left out, without those below them. Of stacks: those that are not listed. */
  readonly cut: number;
  /** Time of all outermost calls: the whole that shares are of. */
  readonly whole: number;
  readonly name: Uint32Array;
  /** Index of the row above, or {@link NO_PARENT}. */
  readonly parent: Uint32Array;
  readonly total: Float64Array;
  readonly self: Float64Array;
  readonly count: Float64Array;
  /** 0 if nothing is below the row, 1 if it is closed, 2 if it is open. Of stacks: 1 if it is listed, 0 for a caller. */
  readonly state: Uint8Array;
}

/** The order of a list of calls. Calls of one duration are in the order of starts. */
export type CallOrder = 'start' | 'longest' | 'shortest';

/** Calls of one function. */
export interface CallList {
  /** Calls in the range, and those whose durations are in the interval. */
  readonly all: number;
  readonly chosen: number;
  /** Rows of the list. By duration it may be shorter than the calls. */
  readonly listed: number;
  /** Row of the slice that was asked about, or by start that of the next one. */
  readonly at: number;
  /** Whether that slice is in the list. */
  readonly found: boolean;
  /** Durations of all calls by buckets, the shortest first: the lowest, the lowest above it, the number of calls. */
  readonly low: Float64Array;
  readonly above: Float64Array;
  readonly count: Float64Array;
  /** The rows that were asked for. */
  readonly length: number;
  readonly track: Uint32Array;
  readonly depth: Int32Array;
  readonly index: Uint32Array;
  readonly start: BigUint64Array;
  readonly end: BigUint64Array;
  readonly flags: Uint8Array;
}

/** Calls in the order of time: rectangles sorted by row, then by start, free of overlap. */
export interface TimeOrder {
  /** The left edge. */
  readonly from: Ticks;
  /** The width in ticks. */
  readonly width: number;
  /** Rows or rectangles were left out. */
  readonly partial: boolean;
  /** Tracks from above, and the number of rows of each. */
  readonly tracks: Uint32Array;
  readonly rows: Uint32Array;
  readonly length: number;
  /** Row from the uppermost of the first track on. */
  readonly row: Uint32Array;
  /** Ticks from the left edge. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly name: Uint32Array;
  readonly fill: Uint8Array;
  readonly track: Uint32Array;
  readonly depth: Int32Array;
  /** Index of the slice, or `MANY` for several. */
  readonly index: Uint32Array;
}
