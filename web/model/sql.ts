import { type ReadonlySignal, signal } from '@preact/signals';
import type { Dispose } from '../base/scope.ts';
import { type FromSql, refusalOf, type SqlValue, type ToSql } from '../base/sql.ts';

/** The worker of questions as the page sees it, so that tests can put something else in its place. */
export interface SqlPort {
  postMessage(message: ToSql): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromSql>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** How the latest question is doing. */
export type Asked =
  | { readonly at: 'nothing' }
  | { readonly at: 'running' }
  /** `more`: there are more rows than {@link MOST_ROWS}. `seconds` it took. */
  | { readonly at: 'answered'; readonly more: boolean; readonly seconds: number }
  | { readonly at: 'stopped'; readonly sentence: string };

/** Rows that are fetched. */
export const MOST_ROWS = 100_000;
/** After this a question is stopped. */
export const LIMIT_SECONDS = 30;

/** Questions to the tables of a database, by SQL; one at a time. */
export interface Sql {
  readonly asked: ReadonlySignal<Asked>;
  readonly columns: ReadonlySignal<readonly string[]>;
  /** Grows in place while a question runs; {@link Sql.count} tells. */
  readonly rows: readonly (readonly SqlValue[])[];
  readonly count: ReadonlySignal<number>;
  /** Names of the tables, once {@link Sql.begin} was called and they are known. */
  readonly tables: ReadonlySignal<readonly string[]>;
  /** Fetches the names of the tables, the first time. */
  begin(): void;
  /** Asks, instead of what is being asked. */
  run(sql: string): void;
  /** Stops what is being asked; the rows so far stay. */
  stop(): void;
  dispose: Dispose;
}

/** Questions to `file`. `spawn` starts a worker, when the first question comes. */
export function createSql(file: Blob, spawn: () => SqlPort): Sql {
  const asked = signal<Asked>({ at: 'nothing' });
  const columns = signal<readonly string[]>([]);
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
    started.onerror = (event) => {
      event.preventDefault();
      const asking = [...waiting];
      end();
      const sentence = `The reader of this database stopped (${event.message}).`;
      for (const [id, hear] of asking) hear({ t: 'failed', id, sentence });
    };
    started.postMessage({ t: 'open', file });
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
      // What is still running is not waited for.
      if (asked.peek().at === 'running') end();
      clearTimeout(timer);
      rows.length = 0;
      count.value = 0;
      columns.value = [];
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
