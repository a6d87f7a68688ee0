/** Questions about the values of a trace, besides searches. `crate/values` answers them in the record worker. */

import type {
  BufferRow,
  BufferTable,
  Invariant,
  IterationRow,
  IterationTable,
  StatementColumns,
  ValuesKnown,
  VariableSummary,
} from '../worker/wasm/unspool_predicates.js';
import type { WrongExpression } from './find_protocol.ts';
import type { StandingFinding } from './summary_protocol.ts';

// What `crate/wasm/predicates` answers with.
export type {
  BufferRow,
  BufferTable,
  Invariant,
  IterationColumn,
  IterationRow,
  IterationTable,
  PointerCandidate,
  StatementColumns,
  ValueMoment,
  ValuePlace,
  ValuesKnown,
  VariableSummary,
} from '../worker/wasm/unspool_predicates.js';

/** What {@link BufferRow}s are sorted by, in the order of the numbers that `sortBuffers` of the wasm module takes. */
export const BUFFER_ORDERS = ['from', 'address', 'size', 'length', 'pointers', 'left'] as const;
export type BufferOrder = (typeof BUFFER_ORDERS)[number];

/** Points by their numbers, `to` exclusive. */
export interface PointRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Questions about the values of a trace. The first one reads them. Calls are rejected with a `TraceError` if that fails.
 */
export interface ValuesService {
  /** What is wrong with a query: null if nothing is. */
  checkQuery(query: string): Promise<{ readonly wrong: WrongExpression | null }>;
  knownValues(): Promise<ValuesKnown>;
  /** All statements, with what they have in a range, or with null in the whole trace. null if another range was asked about since. */
  statements(range: PointRange | null): Promise<StatementColumns | null>;
  /**
   * Makes the iteration table of a statement, by its number, in place of the previous one. Only points of the range that the query
   * finds are in it. null if another took its place.
   */
  table(
    statement: number,
    query: string,
    range: PointRange | null,
  ): Promise<IterationTable | { readonly wrong: WrongExpression } | null>;
  /** Rows of the table in an order: by a column, or that of the trace (-1). */
  occurrences(first: number, count: number, column: number, descending: boolean): Promise<readonly IterationRow[]>;
  /** The row of the last occurrence at or before a point, in the order of the latest `occurrences`. -1 if there is none. */
  occurrenceAt(point: number): Promise<number>;
  /** What likely always holds in the table that was made last. null if another took its place. */
  invariants(): Promise<readonly Invariant[] | null>;
  /** The variables that the points of a range have, or with null those of all. null if another range was asked about since. */
  variables(range: PointRange | null): Promise<readonly VariableSummary[] | null>;
  /** What runs are compared by, of a range: bytes for `unspool_compare`. `hear` gets the share that is done. null if asked again since. */
  profile(range: PointRange | null, hear: (share: number) => void): Promise<Uint8Array | null>;
  /** What stands out. `names` are those of all statements, in their order. `hear` gets the share that is done. */
  standing(names: readonly string[], hear: (share: number) => void): Promise<readonly StandingFinding[]>;
  /** null if there are none. */
  buffers(): Promise<BufferTable | null>;
  /** Some of the lifetimes that have a point in a range, and how many there are; with null, of all of them. */
  bufferRows(
    first: number,
    count: number,
    by: BufferOrder,
    descending: boolean,
    range: PointRange | null,
  ): Promise<{ readonly rows: readonly BufferRow[]; readonly count: number }>;
}
