/**
 * What the page and the worker of a database's questions say to each other. It is a worker of its own: a question may take as
 * long as it likes without holding up the picture, and is stopped by ending its worker.
 */

/** A value as SQLite has it. */
export type SqlValue = bigint | number | string | Uint8Array | null;

export type ToSql =
  | { readonly t: 'open'; readonly file: Blob }
  /** Runs one statement that only reads, up to `most` rows. */
  | { readonly t: 'run'; readonly id: number; readonly sql: string; readonly most: number };

export type FromSql =
  | { readonly t: 'columns'; readonly id: number; readonly names: readonly string[] }
  | { readonly t: 'rows'; readonly id: number; readonly rows: readonly (readonly SqlValue[])[] }
  /** `more`: there were further rows than were asked for. */
  | { readonly t: 'done'; readonly id: number; readonly more: boolean }
  | { readonly t: 'failed'; readonly id: number; readonly sentence: string };

/** Pragmas that only tell something. */
const TELLING =
  /^pragma\s+(table_info|table_xinfo|table_list|index_list|index_info|index_xinfo|page_size|page_count|freelist_count|encoding|user_version|application_id|schema_version|compile_options|collation_list|function_list|database_list)\s*(\([^)=]*\))?\s*$/i;

/**
 * Why a statement is not run, in a sentence; null when it may be. SQLite itself refuses to write; this says so before, and
 * keeps out what would change how it works.
 */
export function refusalOf(sql: string): string | null {
  const bare = stripped(sql);
  if (bare === '') return 'Write a query: it reads from the tables of this database.';
  if (bare.includes(';')) return 'One statement at a time, please.';
  const first = /^[a-z]+/i.exec(bare)?.[0].toLowerCase() ?? '';
  if (['select', 'with', 'values', 'explain'].includes(first)) return null;
  if (first === 'pragma')
    return TELLING.test(bare) ? null : 'Only pragmas that tell about the database can be asked for.';
  return 'The file is only read: a query begins with select, with, values, explain or pragma.';
}

/** Without comments, the contents of quotes, and semicolons at the end. */
function stripped(sql: string): string {
  return sql
    .replace(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]]*\]?/g, (part) =>
      part.startsWith('--') || part.startsWith('/*') ? ' ' : 'x',
    )
    .replace(/[\s;]+$/, '')
    .trim();
}

/** A value as text, as one would copy it: blobs in hexadecimal. */
export function sqlText(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return [...value].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return String(value);
}
