/*
 * The worker of the Query panel: runs its own SQLite over the same file. The page terminates it to stop a query.
 */
import { type FromSql, refusalOf, type SqlValue, type ToSql } from '../base/sql.ts';
import { UNREADABLE } from './errors.ts';
import { databaseBytes, openSqlFile, type SqlFile } from './sqlite.ts';

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
page.onmessage = ({ data }) => {
  switch (data.t) {
    case 'open':
      database = openDatabase(data.file, data.log);
      // The first query reports a failure. Until then the rejection must not count as unhandled.
      database.catch(() => undefined);
      return;
    case 'run':
      void run(database, data);
      return;
  }
};

async function openDatabase(file: Blob, log: Blob | null): Promise<SqlFile> {
  return openSqlFile(databaseBytes(file, log));
}

type Run = Extract<ToSql, { t: 'run' }>;

async function run(database: Promise<SqlFile> | null, { id, sql, most }: Run): Promise<void> {
  const refusal = refusalOf(sql);
  if (refusal) return page.postMessage({ t: 'failed', id, sentence: refusal });
  let opened: SqlFile | null = null;
  try {
    opened = await database;
    if (opened) sendRows(opened, id, sql, most);
  } catch (error) {
    const gone = opened?.failure();
    const sentence = gone ? UNREADABLE : error instanceof Error ? `SQLite says: ${error.message}` : String(error);
    page.postMessage({ t: 'failed', id, sentence });
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
