import { type ReadonlySignal, signal } from '@preact/signals';
import type { Dispose } from '../base/scope.ts';
import { type FromSql, mentions, refusalOf, type SqlValue, type ToSql } from '../base/sql.ts';
import type { SqlPlace } from '../base/sql_place.ts';
import type { Ledger } from './ledger.ts';
import type { Schema } from './sql_tables.ts';
import type { Gathered } from './tables.ts';

/** The part of `Worker` that the SQL panel uses. Tests substitute their own. */
export interface SqlPort {
  postMessage(message: ToSql, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromSql>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** The state of the latest query. */
export type Asked =
  | { readonly at: 'nothing' }
  /** `share`: how much of the tables, or of the records, is there, from 0 to 1; null once the query runs. */
  | { readonly at: 'running'; readonly share: number | null; readonly of?: 'records' }
  /**
   * `more`: the result has more rows, beyond {@link MOST_ROWS} or the most bytes of an answer. `seconds` is the response time. `cut`: the query
   * is about this many rows of records and fields only; 0 if there are no more.
   */
  | { readonly at: 'answered'; readonly more: boolean; readonly seconds: number; readonly cut: number }
  /** `place`: the part of the query that is wrong, if it is known. */
  | { readonly at: 'stopped'; readonly sentence: string; readonly place: SqlPlace | null };

/** Maximum number of rows fetched. */
export const MOST_ROWS = 100_000;
/** Time limit of a query. */
export const LIMIT_SECONDS = 30;

/** What queries are about. */
export interface SqlSource {
  /** The trace, if it is a database, and its write-ahead log, if there is one. */
  readonly file: Blob | null;
  readonly log: Blob | null;
  /** The tables that every trace has. Resolves with a sentence if there are none, and as {@link gatherTables}. */
  readonly tables: (hear: (share: number) => boolean) => Promise<Gathered | string | null>;
  /** The records with their fields, as {@link gatherRecords}. */
  readonly records: (
    take: (portion: Uint8Array<ArrayBuffer>, share: number) => boolean,
  ) => Promise<number | string | null>;
  /** The account in which the tables are entered. */
  readonly ledger: Pick<Ledger, 'set'>;
  /** Changes when the tables do. */
  readonly version: () => unknown;
}

/** SQL queries over the tables of a trace, one at a time. */
export interface Sql {
  readonly asked: ReadonlySignal<Asked>;
  /** The latest query, or ''. */
  readonly text: ReadonlySignal<string>;
  readonly columns: ReadonlySignal<readonly string[]>;
  /** Number of columns of the result: more than {@link Sql.columns} if they are too many to be shown. */
  readonly width: ReadonlySignal<number>;
  /** Grows in place while a query runs; {@link Sql.count} signals it. */
  readonly rows: readonly (readonly SqlValue[])[];
  readonly count: ReadonlySignal<number>;
  /** The tables of a database itself, empty until {@link Sql.begin} has fetched them. */
  readonly own: ReadonlySignal<Schema>;
  /** Fetches the names of these tables and of their columns at the first call. */
  begin(): void;
  /** Runs a query. It replaces a running query. */
  run(sql: string): void;
  /** Stops the running query and keeps the rows so far. */
  stop(): void;
  /** The first row of a query over the tables that were asked last. Resolves with null if it has none, or fails. */
  first(sql: string): Promise<readonly SqlValue[] | null>;
  dispose: Dispose;
}

/** Queries over a source. `spawn` starts the worker at the first query. */
export function createSql(source: SqlSource, spawn: () => SqlPort): Sql {
  const asked = signal<Asked>({ at: 'nothing' });
  const text = signal('');
  const columns = signal<readonly string[]>([]);
  const width = signal(0);
  const count = signal(0);
  const own = signal<Schema>({});
  const rows: (readonly SqlValue[])[] = [];
  let port: SqlPort | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begun = false;
  /** What the tables of the worker are of; undefined if it has none. */
  let known: unknown;
  /** Whether the worker has the records of these tables, too, and how many rows if there are more. */
  let detailed: { readonly cut: number } | null = null;
  /** Counts queries: one that gathers tables gives up when there is a newer one, or none. */
  let turn = 0;
  let lastId = 0;
  /** Bytes of the tables that the worker has. */
  let held = 0;
  const waiting = new Map<number, (message: FromSql) => void>();
  /** Ends the questions for a first row that wait. */
  const giveUp = new Set<() => void>();

  const end = () => {
    clearTimeout(timer);
    port?.terminate();
    port = null;
    known = undefined;
    detailed = null;
    turn += 1;
    waiting.clear();
    for (const each of giveUp) each();
    enter(0);
  };
  /** Enters what the worker holds into the account. While a query runs, that is in use. */
  const enter = (bytes: number) => {
    if (bytes === 0 && held === 0) return;
    held = bytes;
    source.ledger.set('sql', { noun: 'tables for SQL', bytes, free: asked.peek().at === 'running' ? null : end });
  };
  const start = (): SqlPort => {
    const started = spawn();
    started.onmessage = ({ data }) => {
      waiting.get(data.id)?.(data);
      if (data.t === 'done' || data.t === 'failed') waiting.delete(data.id);
    };
    const fail = (reason: string) => {
      if (port !== started) return;
      const asking = [...waiting];
      end();
      const sentence = `The reader of this database stopped (${reason || 'no reason given'}).`;
      for (const [id, hear] of asking) hear({ t: 'failed', id, sentence, place: null });
    };
    started.onerror = (event) => {
      event.preventDefault();
      fail(event.message);
    };
    started.onmessageerror = () => fail('a message could not be read');
    started.postMessage({ t: 'open', file: source.file, log: source.log });
    return started;
  };
  const ask = (sql: string, hear: (message: FromSql) => void) => {
    port ??= start();
    lastId += 1;
    waiting.set(lastId, hear);
    port.postMessage({ t: 'run', id: lastId, sql, most: MOST_ROWS });
  };
  const stop = (sentence: string) => {
    if (asked.peek().at !== 'running') return;
    end();
    asked.value = { at: 'stopped', sentence, place: null };
  };

  /** Adds the records to the tables, then goes on. */
  const addRecords = async (mine: number, next: () => void) => {
    let last: Uint8Array<ArrayBuffer> | null = null;
    const send = (isLast: boolean) => {
      if (last) port?.postMessage({ t: 'records', portion: last, last: isLast }, [last.buffer]);
    };
    const gathered = await source.records((portion, share) => {
      if (turn !== mine) return false;
      send(false);
      last = portion;
      enter(held + portion.length);
      asked.value = { at: 'running', share, of: 'records' };
      return true;
    });
    if (turn !== mine) return;
    if (gathered === null || typeof gathered === 'string') {
      // Some of them may be there already: the worker starts over.
      end();
      asked.value = { at: 'stopped', sentence: gathered ?? 'The reader of the records has stopped.', place: null };
      return;
    }
    send(true);
    detailed = { cut: gathered };
    asked.value = { at: 'running', share: null };
    next();
  };

  return {
    asked,
    text,
    columns,
    width,
    rows,
    count,
    own,
    begin: () => {
      if (begun || !source.file) return;
      begun = true;
      const found: Record<string, string[]> = {};
      ask(OWN_TABLES, (message) => {
        if (message.t === 'rows') {
          for (const [table, column] of message.rows) {
            found[`rvn.${quoted(String(table))}`] ??= [];
            found[`rvn.${quoted(String(table))}`]!.push(quoted(String(column)));
          }
        }
        if (message.t === 'done') own.value = found;
      });
    },
    run: (sql) => {
      if (asked.peek().at === 'running') end();
      clearTimeout(timer);
      rows.length = 0;
      count.value = 0;
      columns.value = [];
      width.value = 0;
      text.value = sql;
      const refusal = refusalOf(sql);
      if (refusal) {
        asked.value = { at: 'stopped', sentence: refusal, place: null };
        return;
      }
      asked.value = { at: 'running', share: null };
      // From now on the tables are in use.
      enter(held);
      const began = performance.now();
      timer = setTimeout(
        () => stop(`Stopped after ${LIMIT_SECONDS} seconds. A narrower query takes less time.`),
        LIMIT_SECONDS * 1000,
      );
      turn += 1;
      const mine = turn;
      const withRecords = mentions(sql, DETAIL_TABLES);
      const answer = () => {
        if (!withRecords || detailed) return ask(sql, heard);
        void addRecords(mine, () => ask(sql, heard));
      };
      const heard = (message: FromSql) => {
        switch (message.t) {
          case 'columns':
            columns.value = message.names;
            width.value = message.total;
            return;
          case 'rows':
            rows.push(...message.rows);
            count.value = rows.length;
            return;
          case 'done':
            clearTimeout(timer);
            asked.value = {
              at: 'answered',
              more: message.more,
              seconds: (performance.now() - began) / 1000,
              cut: withRecords ? (detailed?.cut ?? 0) : 0,
            };
            enter(held);
            return;
          case 'failed':
            clearTimeout(timer);
            asked.value = { at: 'stopped', sentence: message.sentence, place: message.place };
            enter(held);
            return;
        }
      };
      const version = source.version();
      if (known === version && port) return answer();
      const hear = (share: number) => {
        if (turn === mine) asked.value = { at: 'running', share };
        return turn === mine;
      };
      void source.tables(hear).then((gathered) => {
        if (turn !== mine) return;
        if (gathered === null || typeof gathered === 'string') {
          clearTimeout(timer);
          asked.value = { at: 'stopped', sentence: gathered ?? 'The reader of this trace has stopped.', place: null };
          enter(held);
          return;
        }
        asked.value = { at: 'running', share: null };
        port ??= start();
        port.postMessage(
          { t: 'tables', ...gathered },
          gathered.portions.map((portion) => portion.buffer),
        );
        known = version;
        detailed = null;
        enter(gathered.size);
        answer();
      });
    },
    stop: () => stop('Stopped.'),
    first: (sql) => {
      // Without the tables it would be about something else, and after a query that runs it would be late.
      if (!port || known === undefined || known !== source.version() || asked.peek().at === 'running')
        return Promise.resolve(null);
      return new Promise((resolve) => {
        let first: readonly SqlValue[] | null = null;
        const settle = () => {
          giveUp.delete(settle);
          resolve(first);
        };
        giveUp.add(settle);
        ask(sql, (message) => {
          if (message.t === 'rows') first ??= message.rows[0] ?? null;
          if (message.t === 'done' || message.t === 'failed') settle();
        });
      });
    },
    dispose: end,
  };
}

/** Tables that are made when a query names them. */
const DETAIL_TABLES = ['records', 'fields'];

/** Each column of each table, in order. A view that cannot be read has none. */
const OWN_TABLES =
  'select m.name, c.name from sqlite_schema m join pragma_table_info(m.name) c ' +
  "where m.type in ('table', 'view') order by m.name, c.cid limit 5000";

/** A name as SQL, quoted if necessary. */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
