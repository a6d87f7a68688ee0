/**
 * The worker of the SQL panel, and what it may be asked. The worker is separate from the trace's: a slow query does not delay the
 * picture, and terminating the worker stops it.
 */

import type { SqlPlace } from './sql_place.ts';

/** A value of SQLite. */
export type SqlValue = bigint | number | string | Uint8Array | null;

/** How a query ended. */
export type SqlEnd =
  /** `more`: the result has further rows. */
  | { readonly more: boolean }
  /** `place`: the part of the query that is wrong, if it is known. */
  | { readonly sentence: string; readonly place: SqlPlace | null };

/** What gets the result of a query: first its columns, then rows. */
export interface SqlResult {
  /** The first columns, and how many there are. */
  columns(names: readonly string[], total: number): void;
  rows(rows: readonly (readonly SqlValue[])[]): void;
}

/** The worker of the SQL panel (`web/features/sql/worker/query.ts`). What goes wrong is the end of the next query. */
export interface Queries {
  /** Opens the trace, if it is a database, with its write-ahead log, if there is one. */
  open(file: Blob | null, log: Blob | null): void;
  /**
   * The tables that every trace has, as portions of a database of `size` bytes. All but the last are equally long. Side 0 is the trace
   * itself, side 1 the one that it is compared with, which comes after it. Tables are also readable under the name of their schema, if
   * that is not ''. They replace those of the side, and those of side 0 all.
   */
  tables(side: 0 | 1, schema: string, size: number, portions: readonly Uint8Array<ArrayBuffer>[]): void;
  /** Rows of the tables `records` and `fields` of a side, as the record worker makes them, after `tables`. `last` ends them. */
  records(side: 0 | 1, portion: Uint8Array<ArrayBuffer>, last: boolean): void;
  /** Runs one read-only statement, with at most `most` rows. */
  run(sql: string, most: number, columns: SqlResult['columns'], rows: SqlResult['rows']): Promise<SqlEnd>;
}

/** Pragmas without side effects. */
const READ_ONLY_PRAGMA =
  /^pragma\s+(table_info|table_xinfo|table_list|index_list|index_info|index_xinfo|page_size|page_count|freelist_count|encoding|user_version|application_id|schema_version|compile_options|collation_list|function_list|database_list|integrity_check|quick_check)\s*(\([^)=]*\))?\s*$/i;

/** Words that begin statements which write. */
const CHANGES = new Set(
  'alter analyze attach begin commit create delete detach drop end insert reindex release replace rollback savepoint update vacuum'.split(
    ' ',
  ),
);

/**
 * Why a statement may not run, in a sentence; null if it may. SQLite also refuses to write. This check comes first,
 * explains itself, and rejects pragmas that change the connection.
 */
export function refusalOf(sql: string): string | null {
  const bare = stripped(sql);
  if (bare === '') return 'Write a query over the tables of this trace.';
  if (bare.includes(';')) return 'Write one statement at a time.';
  const first = /^[a-z]+/i.exec(bare)?.[0].toLowerCase() ?? '';
  if (['select', 'with', 'values', 'explain'].includes(first)) return null;
  if (first === 'pragma')
    return READ_ONLY_PRAGMA.test(bare) ? null : 'Only pragmas that read the database are allowed.';
  return CHANGES.has(first)
    ? `The file is read-only: ${first} would change it.`
    : `A query begins with select, with, values, explain or pragma, not with ${first || 'this'}.`;
}

/** Whether a statement has one of some words, outside of comments and texts. */
export function mentions(sql: string, words: readonly string[]): boolean {
  const found =
    stripped(sql)
      .toLowerCase()
      .match(/[\p{L}\p{N}_$]+/gu) ?? [];
  return found.some((word) => words.includes(word));
}

/** A table that a statement reads, in lower case. `schema` is '' if it does not say which. */
export interface NamedTable {
  readonly schema: string;
  readonly table: string;
}

/** The tables after `from`, `join` and commas of a statement. Other words after commas are among them, such as columns. */
export function tablesNamed(sql: string): readonly NamedTable[] {
  const bare = sql
    .replace(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'?/g, ' ')
    // A name may be quoted.
    .replace(/["`[](\w+)["`\]]/g, '$1')
    .toLowerCase();
  const found = bare.matchAll(/(?:\bfrom|\bjoin|,|\()\s*(?:(\w+)\s*\.\s*)?(\w+)/g);
  return [...found].map(([, schema = '', table]) => ({ schema, table: table! }));
}

/** The statement without comments, quoted text and trailing semicolons. */
function stripped(sql: string): string {
  return sql
    .replace(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]]*\]?/g, (part) =>
      part.startsWith('--') || part.startsWith('/*') ? ' ' : 'x',
    )
    .replace(/[\s;]+$/, '')
    .trim();
}

/** A value as text for the clipboard, blobs in hexadecimal. */
export function sqlText(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return [...value].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return String(value);
}
