/** Questions about the values of a trace, besides searches. `crate/predicates` answers them in the record worker. */

import type { WrongExpression } from './find_protocol.ts';

/** What can be named in a query about values: names of variables and of types, in the order of the trace. */
export interface ValuesKnown {
  readonly variables: readonly string[];
  readonly types: readonly string[];
}

/** All statements as columns, in the order of their first points. Points are counted from 0. */
export interface StatementColumns {
  /** 0 for points that name no statement. */
  readonly named: Uint8Array;
  /** Number of the file, or -1. */
  readonly file: Int32Array;
  /** Index in the file; the whole number without a file. */
  readonly place: BigUint64Array;
  readonly count: Float64Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** Id of the track of its points. */
  readonly track: Uint32Array;
  /** `cells` numbers for each statement: its points in equal parts of the trace. */
  readonly heat: Uint32Array;
  readonly cells: number;
}

/** The variables of a statement over its occurrences. */
export interface IterationTable {
  /** Number of occurrences, and of those that have rows. */
  readonly count: number;
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** An occurrence. */
export interface IterationRow {
  readonly point: number;
  readonly locator: bigint;
  /** A text for each column; '' if the point does not have the variable. */
  readonly texts: readonly string[];
  /** Whether it differs from the row before in the order of the trace. */
  readonly changed: readonly boolean[];
}

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

export type ValuesWhat = keyof ValuesQuestions;
export type ValuesQuestion<W extends ValuesWhat = ValuesWhat> = W extends ValuesWhat
  ? { readonly what: W } & ValuesQuestions[W]['question']
  : never;
export type ValuesAnswer<W extends ValuesWhat = ValuesWhat> = ValuesQuestions[W]['answer'];
