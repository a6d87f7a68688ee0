import { type ReadonlySignal, signal } from '@preact/signals';
import type { Dispose } from '../base/scope.ts';
import { type FromSql, refusalOf, type SqlValue, type ToSql } from '../base/sql.ts';

/** The part of `Worker` that the Query panel uses. Tests substitute their own. */
export interface SqlPort {
  postMessage(message: ToSql): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromSql>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** The state of the latest query. */
export type Asked =
  | { readonly at: 'nothing' }
  | { readonly at: 'running' }
  /** `more`: the result has more rows, beyond {@link MOST_ROWS} or the most bytes of an answer. `seconds` is the response time. */
  | { readonly at: 'answered'; readonly more: boolean; readonly seconds: number }
  | { readonly at: 'stopped'; readonly sentence: string };

/** Maximum number of rows fetched. */
export const MOST_ROWS = 100_000;
/** Time limit of a query. */
export const LIMIT_SECONDS = 30;

/** SQL queries over the tables of a database, one at a time. */
export interface Sql {
  readonly asked: ReadonlySignal<Asked>;
  readonly columns: ReadonlySignal<readonly string[]>;
  /** Number of columns of the result: more than {@link Sql.columns} if they are too many to be shown. */
  readonly width: ReadonlySignal<number>;
  /** Grows in place while a query runs; {@link Sql.count} signals it. */
  readonly rows: readonly (readonly SqlValue[])[];
  readonly count: ReadonlySignal<number>;
  /** Names of the tables, empty until {@link Sql.begin} has fetched them. */
  readonly tables: ReadonlySignal<readonly string[]>;
  /** Fetches the names of the tables at the first call. */
  begin(): void;
  /** Runs a query. It replaces a running query. */
  run(sql: string): void;
  /** Stops the running query and keeps the rows so far. */
  stop(): void;
  dispose: Dispose;
}

/** Queries over `file`, a database, and its write-ahead log if there is one. `spawn` starts the worker at the first query. */
export function createSql(file: Blob, log: Blob | null, spawn: () => SqlPort): Sql {
  const asked = signal<Asked>({ at: 'nothing' });
  const columns = signal<readonly string[]>([]);
  const width = signal(0);
  const count = signal(0);
  const tables = signal<readonly string[]>([]);
  const rows: (readonly SqlValue[])[] = [];
  let port: SqlPort | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begun = false;
  let lastId = 0;
  const waiting = new Map<number, (message: FromSql) => void>();

  const end = () => {
    clearTimeout(timer);
    port?.terminate();
    port = null;
    waiting.clear();
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
      for (const [id, hear] of asking) hear({ t: 'failed', id, sentence });
    };
    started.onerror = (event) => {
      event.preventDefault();
      fail(event.message);
    };
    started.onmessageerror = () => fail('a message could not be read');
    started.postMessage({ t: 'open', file, log });
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
    asked.value = { at: 'stopped', sentence };
  };

  return {
    asked,
    columns,
    width,
    rows,
    count,
    tables,
    begin: () => {
      if (begun) return;
      begun = true;
      const names: string[] = [];
      ask("select name from sqlite_schema where type in ('table', 'view') order by name", (message) => {
        if (message.t === 'rows') names.push(...message.rows.map(([name]) => String(name)));
        if (message.t === 'done') tables.value = names;
      });
    },
    run: (sql) => {
      if (asked.peek().at === 'running') end();
      clearTimeout(timer);
      rows.length = 0;
      count.value = 0;
      columns.value = [];
      width.value = 0;
      const refusal = refusalOf(sql);
      if (refusal) {
        asked.value = { at: 'stopped', sentence: refusal };
        return;
      }
      asked.value = { at: 'running' };
      const began = performance.now();
      timer = setTimeout(
        () => stop(`Stopped after ${LIMIT_SECONDS} seconds. A narrower query takes less time.`),
        LIMIT_SECONDS * 1000,
      );
      ask(sql, (message) => {
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
            asked.value = { at: 'answered', more: message.more, seconds: (performance.now() - began) / 1000 };
            return;
          case 'failed':
            clearTimeout(timer);
            asked.value = { at: 'stopped', sentence: message.sentence };
            return;
        }
      });
    },
    stop: () => stop('Stopped.'),
    dispose: end,
  };
}
