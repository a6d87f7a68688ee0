/** Views of the calls of a range, as they cross between page and worker. Times are ticks as doubles, exact below 2^53. */

// What `crate/wasm/session` answers with.
export type { CallList, TimeOrder, TreeRows } from '../worker/wasm/unspool_browser.js';

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
 * What rows are made of: the call tree; the heaviest stacks by total, self time or count, with their callers; who calls
 * whom; or all call paths, a caller before its callees.
 */
export const LISTINGS = { tree: 0, total: 1, self: 2, count: 3, edges: 4, paths: 5 } as const;

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

/** The order of a list of calls. Calls of one duration are in the order of starts. */
export type CallOrder = 'start' | 'longest' | 'shortest';
