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

/** The questions with their answers. */
export interface ValuesQuestions {
  /** What is wrong with a query: null if nothing is. */
  readonly check: {
    readonly question: { readonly query: string };
    readonly answer: { readonly wrong: WrongExpression | null };
  };
  readonly known: { readonly question: object; readonly answer: ValuesKnown };
  readonly statements: { readonly question: object; readonly answer: StatementColumns };
  /** Makes the iteration table of a statement, by its number, in place of the previous one. Only points that the query finds are in it. */
  readonly table: {
    readonly question: { readonly statement: number; readonly query: string };
    readonly answer: IterationTable | { readonly wrong: WrongExpression };
  };
  /** What likely always holds in the table that was made last. */
  readonly invariants: { readonly question: object; readonly answer: readonly Invariant[] };
  readonly variables: { readonly question: object; readonly answer: readonly VariableSummary[] };
  readonly buffers: { readonly question: object; readonly answer: BufferTable };
  readonly 'buffer-rows': {
    readonly question: {
      readonly first: number;
      readonly count: number;
      readonly by: BufferOrder;
      readonly descending: boolean;
    };
    readonly answer: readonly BufferRow[];
  };
  /** Rows of the table in an order: by a column, or that of the trace (-1). */
  readonly rows: {
    readonly question: {
      readonly first: number;
      readonly count: number;
      readonly column: number;
      readonly descending: boolean;
    };
    readonly answer: readonly IterationRow[];
  };
  /** The row of the last occurrence at or before a point, in the order of the latest `rows`. */
  readonly row: {
    readonly question: { readonly point: number };
    readonly answer: { readonly row: number | null };
  };
}

/** What can be asked about values. */
export type ValuesWhat = keyof ValuesQuestions;
/** A question about values. */
export type ValuesQuestion<W extends ValuesWhat = ValuesWhat> = W extends ValuesWhat
  ? { readonly what: W } & ValuesQuestions[W]['question']
  : never;
/** The answer to a question about values. */
export type ValuesAnswer<W extends ValuesWhat = ValuesWhat> = ValuesQuestions[W]['answer'];
