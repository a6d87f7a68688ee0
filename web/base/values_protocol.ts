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
  readonly columns: readonly IterationColumn[];
}

/** A column of it. */
export interface IterationColumn {
  readonly name: string;
  readonly type: string;
  /** It has, in place of the values of that pointer, the bytes from there to the end of its buffer. */
  readonly isSize: boolean;
}

/** A point to which something leads. */
export interface ValuePlace {
  readonly point: number;
  readonly locator: bigint;
  /** Id of the track of its statement. */
  readonly track: number;
  /** Number of its statement in {@link StatementColumns}. */
  readonly statement: number;
}

/** A value at a point. */
export interface ValueMoment extends ValuePlace {
  /** As details show it; '' for bytes. */
  readonly text: string;
}

/** What is known of a variable: a name with a type, at whatever statement. */
export interface VariableSummary {
  readonly name: string;
  readonly type: string;
  /** Its values are addresses. */
  readonly pointer: boolean;
  readonly count: number;
  readonly first: ValueMoment;
  readonly last: ValueMoment;
  /** null if it never has a number. */
  readonly lowest: ValueMoment | null;
  readonly highest: ValueMoment | null;
  /** How often it differs from the time before. */
  readonly changes: number;
  /** How often it is 0, or null. */
  readonly zeros: number;
  /** How often it has no value that could be compared: bytes, and what is not a number. */
  readonly invalid: number;
  /** How often a pointer points into a buffer. */
  readonly inBuffer: number;
  /** Number of different values, and whether these are all. */
  readonly different: number;
  readonly isAll: boolean;
  /** The lowest and the highest value in each of equal parts of the trace, NaN without any. Empty for bytes. */
  readonly overTime: Float64Array;
}

/** The buffers of a trace. */
export interface BufferTable {
  /** Number of lifetimes, and of those that have rows. */
  readonly count: number;
  readonly rows: number;
  readonly neverFreed: number;
  /** The most bytes that were in use at the same time. */
  readonly mostInUse: number;
  readonly candidates: readonly PointerCandidate[];
  /** Whether these are all candidates. */
  readonly isAll: boolean;
}

/** A buffer, from where its size was said to where it is freed or gets another size. */
export interface BufferRow {
  /** Hexadecimal. */
  readonly address: string;
  readonly size: number;
  readonly from: ValuePlace;
  /** null if it does not end. */
  readonly to: ValuePlace | null;
  readonly isResized: boolean;
  /** Values of pointers that point into it, and the fewest bytes left from there; null without any. */
  readonly pointers: number;
  readonly left: number | null;
  /** Names of the pointers: the first few. */
  readonly names: readonly string[];
}

/** What {@link BufferRow}s are sorted by, in the order of the numbers that `sortBuffers` of the wasm module takes. */
export const BUFFER_ORDERS = ['from', 'address', 'size', 'length', 'pointers', 'left'] as const;
export type BufferOrder = (typeof BUFFER_ORDERS)[number];

/** A pointer that may lead out of a buffer. */
export interface PointerCandidate {
  /** It points past the end; less than one element of its type is left; the buffer was freed. */
  readonly why: 'past' | 'short' | 'freed';
  readonly name: string;
  readonly type: string;
  readonly first: ValuePlace;
  /** How often, at this statement and in this buffer. */
  readonly count: number;
  /** The points where it is so: the first few. */
  readonly points: Float64Array;
  /** The first value, and the address of the buffer. Hexadecimal. */
  readonly value: string;
  readonly address: string;
  /** Bytes of the buffer. */
  readonly size: number;
  /** Bytes from the pointer to the end of the buffer; negative past it. */
  readonly left: number;
}

/** A relation that likely always holds at a statement. */
export interface Invariant {
  readonly relation: 'equal' | 'size' | 'linear' | 'constant' | 'one-of' | 'not-null' | 'at-most' | 'apart';
  /** The query that finds where it holds, and where it does not; '' if no query does. */
  readonly query: string;
  readonly exceptionsQuery: string;
  readonly holds: number;
  readonly exceptions: number;
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
