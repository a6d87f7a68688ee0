import { type ReadonlySignal, signal } from '@preact/signals';
import { give, type RemoteWorker } from '../../base/remote.ts';
import type { Dispose } from '../../base/scope.ts';
import { mentions, type Queries, refusalOf, type SqlEnd, type SqlResult, type SqlValue } from '../../base/sql.ts';
import type { SqlPlace } from '../../base/sql_place.ts';
import type { SqlRange } from '../../base/trace_protocol.ts';
import type { Ledger } from '../../trace/ledger.ts';
import { createService, ENDED } from '../../trace/service.ts';
import type { Schema } from './sql_tables.ts';
import type { Gathered } from './tables.ts';

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
/** A query whose answer took at most this long is asked again by itself when the range is another one. */
const QUICK_SECONDS = 1;

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
  /** The range that the tables are about now; null for the whole trace. */
  readonly range: () => SqlRange | null;
  /** Changes when the tables do. */
  readonly version: () => unknown;
}

/** SQL queries over the tables of a trace, one at a time. */
export interface Sql {
  readonly asked: ReadonlySignal<Asked>;
  /** The latest query, or ''. */
  readonly text: ReadonlySignal<string>;
  /** The range that the latest query is about; null for the whole trace. */
  readonly range: ReadonlySignal<SqlRange | null>;
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
  /** Runs the latest query again if it is about another range than that of now, and was answered quickly. */
  follow(): void;
  /** Stops the running query and keeps the rows so far. */
  stop(): void;
  /** The first row of a query over the tables that were asked last. Resolves with null if it has none, or fails. */
  first(sql: string): Promise<readonly SqlValue[] | null>;
  dispose: Dispose;
}

/** Queries over a source. `spawn` starts the worker at the first query. */
export function createSql(source: SqlSource, spawn: () => RemoteWorker): Sql {
  const asked = signal<Asked>({ at: 'nothing' });
  const text = signal('');
  const range = signal<SqlRange | null>(null);
  const columns = signal<readonly string[]>([]);
  const width = signal(0);
  const count = signal(0);
  const own = signal<Schema>({});
  const rows: (readonly SqlValue[])[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begun = false;
  /** What the tables of the worker are of; undefined if it has none. */
  let known: unknown;
  /** Whether the worker has the records of these tables, too, and how many rows if there are more. */
  let detailed: { readonly cut: number } | null = null;
  /** Counts queries: one that gathers tables gives up when there is a newer one, or none. */
  let turn = 0;
  /** Bytes of the tables that the worker has. */
  let held = 0;

  const service = createService<Queries>(spawn, () => lose());
  /** Forgets what the worker had. */
  const lose = () => {
    clearTimeout(timer);
    known = undefined;
    detailed = null;
    turn += 1;
    enter(0);
  };
  const end = () => {
    service.end();
    lose();
  };
  /** Enters what the worker holds into the account. While a query runs, that is in use. */
  const enter = (bytes: number) => {
    if (bytes === 0 && held === 0) return;
    held = bytes;
    source.ledger.set('sql', { noun: 'tables for SQL', bytes, free: asked.peek().at === 'running' ? null : end });
  };
  /** The worker, with the trace. */
  const queries = () => {
    const isNew = !service.isRunning();
    const remote = service.remote();
    if (isNew) void remote.open(source.file, source.log).catch(() => undefined);
    return remote;
  };
  /** Runs a query. Resolves with null if the page ends its worker. */
  const ask = async (sql: string, { columns, rows }: SqlResult): Promise<SqlEnd | null> => {
    try {
      return await queries().run(sql, MOST_ROWS, columns, rows);
    } catch (thrown) {
      if (thrown === ENDED) return null;
      return { sentence: `The reader of this database stopped (${thrown || 'no reason given'}).`, place: null };
    }
  };
  /** The rows of a query, once it has ended; null if it fails. */
  const answer = async (sql: string): Promise<readonly (readonly SqlValue[])[] | null> => {
    const found: (readonly SqlValue[])[] = [];
    const ended = await ask(sql, { columns: () => undefined, rows: (more) => void found.push(...more) });
    return ended && 'more' in ended ? found : null;
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
      if (last)
        void queries()
          .records(give(last), isLast)
          .catch(() => undefined);
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

  const isOfNow = () => {
    const [of, now] = [range.peek(), source.range()];
    return of?.from === now?.from && of?.to === now?.to;
  };
  const made: Sql = {
    asked,
    text,
    range,
    columns,
    width,
    rows,
    count,
    own,
    begin: () => {
      if (begun || !source.file) return;
      begun = true;
      void answer(OWN_TABLES).then((all) => {
        if (!all) return;
        const found: Record<string, string[]> = {};
        for (const [table, column] of all) {
          found[`rvn.${quoted(String(table))}`] ??= [];
          found[`rvn.${quoted(String(table))}`]!.push(quoted(String(column)));
        }
        own.value = found;
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
      range.value = source.range();
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
      const query = async () => {
        const ended = await ask(sql, {
          columns: (names, total) => {
            columns.value = names;
            width.value = total;
          },
          rows: (more) => {
            rows.push(...more);
            count.value = rows.length;
          },
        });
        if (!ended) return;
        clearTimeout(timer);
        asked.value =
          'more' in ended
            ? {
                at: 'answered',
                more: ended.more,
                seconds: (performance.now() - began) / 1000,
                cut: withRecords ? (detailed?.cut ?? 0) : 0,
              }
            : { at: 'stopped', ...ended };
        enter(held);
      };
      const start = () => {
        if (withRecords && !detailed) void addRecords(mine, query);
        else void query();
      };
      const version = source.version();
      if (known === version && service.isRunning()) return start();
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
        void queries()
          .tables(gathered.size, give(gathered.portions))
          .catch(() => undefined);
        known = version;
        detailed = null;
        enter(gathered.size);
        start();
      });
    },
    follow: () => {
      const last = asked.peek();
      if (last.at === 'answered' && last.seconds <= QUICK_SECONDS && !isOfNow()) made.run(text.peek());
    },
    stop: () => stop('Stopped.'),
    first: async (sql) => {
      // Without the tables it would be about something else, and after a query that runs it would be late.
      const isThere = service.isRunning() && known !== undefined && known === source.version();
      if (!isThere || asked.peek().at === 'running') return null;
      return (await answer(sql))?.[0] ?? null;
    },
    dispose: end,
  };
  return made;
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
