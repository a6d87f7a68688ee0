/*
 * The worker of the SQL panel: its own SQLite, over the tables that the trace's worker made, and over the same file if that is a
 * database. The page terminates it to stop a query.
 */
import { type Queries, refusalOf, type SqlResult, type SqlValue } from '../../../base/sql.ts';
import { placeOfError } from '../../../base/sql_place.ts';
import { UNREADABLE } from '../../../trace/worker/errors.ts';
import { createLanguageLoader, type Language } from '../../../trace/worker/language.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import { databaseBytes, type Library, loadSqlJs, openSqlFile, SqlFile } from '../../../trace/worker/sqlite.ts';
import { DetailTables } from './detail_tables.ts';
import { addSqlFunctions, mentionsRegexp } from './sql_functions.ts';

/** Rows per message, and the longest wait for a full message. */
const PORTION = 500;
const PORTION_MS = 60;
/** Bytes of a blob, and characters of a text, that are sent. */
const LONG = 4096;
/** Bytes of an answer, about, and columns. */
const MOST_BYTES = 64 * 2 ** 20;
const MOST_COLUMNS = 500;
/** Bytes of a value without its content, about. */
const VALUE = 16;

let database: Promise<SqlFile> | null = null;
/** sql.js starts once. */
let library: Promise<Library> | null = null;
/** The tables of records, as far as they are there. */
let details: Promise<DetailTables> | null = null;
/** The trace, if it is a database. */
let own: Promise<SqlFile> | null = null;
/** Adds a portion of the records, each after the one before. The next query reports an error. */
function addRecords(portion: Uint8Array<ArrayBuffer>, last: boolean): void {
  const opened = database;
  if (!opened) return;
  const begun = details ?? opened.then(({ library }) => new DetailTables(library));
  const added = begun.then((tables) => {
    tables.add(portion);
    if (last) tables.finish();
    return tables;
  });
  details = added;
  added.catch(() => undefined);
  if (!last) return;
  database = added.then(async ({ file }) => {
    const tables = await opened;
    tables.attach(file, 'detail');
    return tables;
  });
  database.catch(() => undefined);
}

/** Opens the tables of the trace. The trace's own, if it is a database, are attached as `rvn`. */
async function openTables(
  size: number,
  portions: readonly Uint8Array[],
  own: Promise<SqlFile> | null,
): Promise<SqlFile> {
  const portion = portions[0]?.length ?? 1;
  const read = (from: number, to: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(to, size) - from));
    for (let done = 0; done < bytes.length; ) {
      const at = from + done;
      const part = portions[Math.floor(at / portion)]!.subarray(at % portion);
      bytes.set(part.subarray(0, bytes.length - done), done);
      done += part.length;
    }
    return bytes;
  };
  const attached = await own;
  if (!attached) {
    library ??= loadSqlJs();
    return SqlFile.open(await library, size, read, () => null);
  }
  const opened = attached.beside(size, read);
  opened.attach(attached, 'rvn');
  return opened;
}

/** Databases that have our functions. */
const extended = new WeakSet<SqlFile>();
const loadLanguage = createLanguageLoader();
let language: Language | null = null;

/** Gives a database the functions that SQLite lacks. */
async function extend(opened: SqlFile, sql: string): Promise<void> {
  if (!language && mentionsRegexp(sql)) language = await loadLanguage();
  if (extended.has(opened)) return;
  extended.add(opened);
  // `run` has loaded it for any query with a regular expression.
  addSqlFunctions(opened.database, (source) => new language!.Expression(source, false));
}

const run: Queries['run'] = async (sql, most, columns, rows) => {
  const refusal = refusalOf(sql);
  if (refusal) return { sentence: refusal, place: null };
  let opened: SqlFile | null = null;
  try {
    opened = await (database ?? new Promise<never>(() => undefined));
    await extend(opened, sql);
    return { more: sendRows(opened, sql, most, { columns, rows }) };
  } catch (error) {
    const gone = opened?.failure();
    const message = error instanceof Error ? error.message : String(error);
    const place = opened && !gone ? placeOfError(sql, message, (part) => errorOf(opened!, part)) : null;
    return { sentence: gone ? UNREADABLE : `SQLite says: ${message}`, place };
  }
};

/** SQLite's error about a statement, without running it. */
function errorOf({ database }: SqlFile, sql: string): string | null {
  try {
    database.prepare(sql).free();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Runs a query. Returns whether there are more rows. */
function sendRows(opened: SqlFile, sql: string, most: number, to: SqlResult): boolean {
  const statement = opened.database.prepare(sql);
  try {
    const names = statement.getColumnNames();
    to.columns(names.slice(0, MOST_COLUMNS), names.length);
    let room = MOST_BYTES;
    let rows: SqlValue[][] = [];
    let sent = performance.now();
    let count = 0;
    let more = false;
    while (statement.step()) {
      if (count === most || room <= 0) {
        more = true;
        break;
      }
      const row = statement.get(null, { useBigInt: true }).slice(0, MOST_COLUMNS).map(shortened);
      rows.push(row);
      count += 1;
      for (const value of row) room -= sizeOf(value);
      if (rows.length >= PORTION || performance.now() - sent > PORTION_MS) {
        to.rows(rows);
        rows = [];
        sent = performance.now();
      }
    }
    to.rows(rows);
    return more;
  } finally {
    statement.free();
  }
}

function shortened(value: SqlValue): SqlValue {
  const isLong = (value instanceof Uint8Array || typeof value === 'string') && value.length > LONG;
  return isLong ? value.slice(0, LONG) : value;
}

function sizeOf(value: SqlValue): number {
  const isLong = value instanceof Uint8Array || typeof value === 'string';
  return VALUE + (isLong ? value.length : 0);
}

serveToPage<Queries>({
  open: (file, log) => {
    own = file && openSqlFile(databaseBytes(file, log));
    database = own;
    // The first query reports a failure. Until then the rejection must not count as unhandled.
    own?.catch(() => undefined);
  },
  tables: (size, portions) => {
    // The tables before: their memory is needed.
    if (database !== own) void database?.then((it) => it.database.close()).catch(() => undefined);
    void details?.then((it) => it.file.database.close()).catch(() => undefined);
    details = null;
    database = openTables(size, portions, own);
    database.catch(() => undefined);
  },
  records: addRecords,
  run,
});
