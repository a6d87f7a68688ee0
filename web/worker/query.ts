/*
 * The worker of the SQL panel: its own SQLite, over the tables that the trace's worker made, and over the same file if that is a
 * database. The page terminates it to stop a query.
 */
import { type FromSql, refusalOf, type SqlValue, type ToSql } from '../base/sql.ts';
import { placeOfError } from '../base/sql_place.ts';
import { DetailTables } from './detail_tables.ts';
import { UNREADABLE } from './errors.ts';
import { createLanguageLoader, type Language } from './language.ts';
import { addSqlFunctions, mentionsRegexp } from './sql_functions.ts';
import { databaseBytes, type Library, loadSqlJs, openSqlFile, SqlFile } from './sqlite.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToSql>) => void) | null;
  postMessage(message: FromSql, transfer?: Transferable[]): void;
};

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
page.onmessage = ({ data }) => {
  switch (data.t) {
    case 'open':
      own = data.file && openSqlFile(databaseBytes(data.file, data.log));
      database = own;
      // The first query reports a failure. Until then the rejection must not count as unhandled.
      own?.catch(() => undefined);
      return;
    case 'tables':
      // The tables before: their memory is needed.
      if (database !== own) void database?.then((it) => it.database.close()).catch(() => undefined);
      void details?.then((it) => it.file.database.close()).catch(() => undefined);
      details = null;
      database = openTables(data, own);
      database.catch(() => undefined);
      return;
    case 'records':
      addRecords(data);
      return;
    case 'run':
      void run(database, data);
      return;
  }
};

/** Adds a portion of the records, each after the one before. The next query reports an error. */
function addRecords({ portion, last }: Extract<ToSql, { t: 'records' }>): void {
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
async function openTables({ size, portions }: Tables, own: Promise<SqlFile> | null): Promise<SqlFile> {
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

type Run = Extract<ToSql, { t: 'run' }>;
type Tables = Extract<ToSql, { t: 'tables' }>;

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

async function run(database: Promise<SqlFile> | null, { id, sql, most }: Run): Promise<void> {
  const refusal = refusalOf(sql);
  if (refusal) return page.postMessage({ t: 'failed', id, sentence: refusal, place: null });
  let opened: SqlFile | null = null;
  try {
    opened = await database;
    if (!opened) return;
    await extend(opened, sql);
    sendRows(opened, id, sql, most);
  } catch (error) {
    const gone = opened?.failure();
    const message = error instanceof Error ? error.message : String(error);
    const place = opened && !gone ? placeOfError(sql, message, (part) => errorOf(opened!, part)) : null;
    page.postMessage({ t: 'failed', id, sentence: gone ? UNREADABLE : `SQLite says: ${message}`, place });
  }
}

/** SQLite's error about a statement, without running it. */
function errorOf({ database }: SqlFile, sql: string): string | null {
  try {
    database.prepare(sql).free();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function sendRows(opened: SqlFile, id: number, sql: string, most: number): void {
  const statement = opened.database.prepare(sql);
  try {
    const names = statement.getColumnNames();
    page.postMessage({ t: 'columns', id, names: names.slice(0, MOST_COLUMNS), total: names.length });
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
        page.postMessage({ t: 'rows', id, rows });
        rows = [];
        sent = performance.now();
      }
    }
    page.postMessage({ t: 'rows', id, rows });
    page.postMessage({ t: 'done', id, more });
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
