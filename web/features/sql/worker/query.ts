/*
 * The worker of the SQL panel: its own SQLite, over the tables that the trace's worker made, and over the same file if that is a
 * database. The page terminates it to stop a query.
 */
import { type Queries, refusalOf, type SqlResult, type SqlValue } from '../../../base/sql.ts';
import { placeOfError } from '../../../base/sql_place.ts';
import { UNREADABLE } from '../../../trace/worker/errors.ts';
import { createLanguageLoader, type Language } from '../../../trace/worker/language.ts';
import type { ReadAt } from '../../../trace/worker/lazy_file.ts';
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

/** The tables of the trace, which queries are run on, and those of the trace that it is compared with. */
let sides: Promise<SqlFile>[] = [];
/** sql.js starts once. */
let library: Promise<Library> | null = null;
/** The tables of records of each side that are being filled. */
const details: (DetailTables | null)[] = [];
/** The trace, if it is a database. */
let own: Promise<SqlFile> | null = null;

/** What a side will be. The next query reports an error; until then the rejection must not count as unhandled. */
function become(side: number, file: Promise<SqlFile>): void {
  sides[side] = file;
  file.catch(() => undefined);
}

/** Adds a portion of the records of a side, each after the one before. */
async function withRecords(
  side: number,
  tables: Promise<SqlFile>,
  portion: Uint8Array<ArrayBuffer>,
  last: boolean,
): Promise<SqlFile> {
  const file = await tables;
  details[side] ??= new DetailTables(file);
  details[side].add(portion);
  if (last) {
    details[side].finish();
    details[side] = null;
  }
  return file;
}

/** Reads bytes of a database in portions, of which all but the last are equally long. */
function readerOf(size: number, portions: readonly Uint8Array[]): ReadAt {
  const portion = portions[0]?.length ?? 1;
  return (from, to) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(to, size) - from));
    for (let done = 0; done < bytes.length; ) {
      const at = from + done;
      const part = portions[Math.floor(at / portion)]!.subarray(at % portion);
      bytes.set(part.subarray(0, bytes.length - done), done);
      done += part.length;
    }
    return bytes;
  };
}

/** Opens the tables of the trace. The trace's own, if it is a database, are attached as `rvn`. */
async function openTables(size: number, read: ReadAt, schema: string): Promise<SqlFile> {
  const attached = await own;
  library ??= attached ? Promise.resolve(attached.library) : loadSqlJs();
  const opened = SqlFile.open(await library, size, read, () => null);
  if (attached) opened.attach(attached, 'rvn');
  if (schema !== '') opened.attach(opened, schema);
  return opened;
}

/** Opens the tables of the trace that it is compared with beside them, in place of those before. */
async function openBeside(
  main: Promise<SqlFile>,
  before: Promise<SqlFile> | undefined,
  size: number,
  read: ReadAt,
  schema: string,
): Promise<SqlFile> {
  const tables = await main;
  const old = await before?.catch(() => null);
  if (old) {
    tables.database.run(`detach ${schema}`);
    old.database.close();
  }
  const opened = tables.beside(size, read);
  tables.attach(opened, schema);
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
    const [main] = await Promise.all(sides);
    opened = main ?? (await new Promise<never>(() => undefined));
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
    if (own) become(0, own);
  },
  tables: (side, schema, size, portions) => {
    const read = readerOf(size, portions);
    const before = sides;
    details[side] = null;
    if (side === 1) {
      become(1, openBeside(sides[0]!, sides[1], size, read, schema));
      return;
    }
    // The tables before: their memory is needed.
    for (const it of before) if (it !== own) void it.then((old) => old.database.close()).catch(() => undefined);
    sides = [];
    become(0, openTables(size, read, schema));
  },
  records: (side, portion, last) => become(side, withRecords(side, sides[side]!, portion, last)),
  run,
});
