import { type ReadonlySignal, signal } from '@preact/signals';
import { give, type RemoteWorker } from '../../base/remote.ts';
import type { Dispose } from '../../base/scope.ts';
import { type Queries, refusalOf, type SqlEnd, type SqlResult, type SqlValue } from '../../base/sql.ts';
import type { SqlPlace } from '../../base/sql_place.ts';
import type { SqlRange } from '../../base/trace_protocol.ts';
import type { Ledger } from '../../trace/ledger.ts';
import { createService, ENDED } from '../../trace/service.ts';
import { type About, type Need, needsOf } from './sql_needs.ts';
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

/** A trace that queries are about. */
export interface SqlSide {
  /** A name that its tables are also known by; '' if no other trace is compared with it. */
  readonly schema: string;
  /**
   * The tables that every trace has, beside `taken` bytes of others. Resolves with a sentence if there are none, and as
   * {@link gatherTables}.
   */
  readonly tables: (hear: (share: number) => boolean, taken: number) => Promise<Gathered | string | null>;
  /** The records with their fields, as {@link gatherRecords}. */
  readonly records: (
    take: (portion: Uint8Array<ArrayBuffer>, share: number) => boolean,
  ) => Promise<number | string | null>;
  /** The range that the tables are about now; null for the whole trace. */
  readonly range: () => SqlRange | null;
  /** Changes when the tables do. */
  readonly version: () => unknown;
}

/** What queries are about. */
export interface SqlSource {
  /** The trace, if it is a database, and its write-ahead log, if there is one. */
  readonly file: Blob | null;
  readonly log: Blob | null;
  /** The trace, whose tables need no schema, and the one that it is compared with, if there is one. */
  readonly sides: () => readonly [SqlSide, SqlSide?];
  /** The account in which the tables are entered. */
  readonly ledger: Pick<Ledger, 'set'>;
}

/** SQL queries over the tables of a trace, and of the one that it is compared with, one at a time. */
export interface Sql {
  readonly asked: ReadonlySignal<Asked>;
  /** The latest query, or ''. */
  readonly text: ReadonlySignal<string>;
  /** The traces that the latest query is about. */
  readonly about: ReadonlySignal<About>;
  /** The range of each that the latest query is about; null for the whole trace. */
  readonly ranges: ReadonlySignal<readonly (SqlRange | null)[]>;
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
  /** Another trace is compared with this one, or none: gives back the tables of the other, and what was found in them. */
  leave(): void;
  dispose: Dispose;
}

/** Queries over a source. `spawn` starts the worker at the first query. */
export function createSql(source: SqlSource, spawn: () => RemoteWorker): Sql {
  const asked = signal<Asked>({ at: 'nothing' });
  const text = signal('');
  const about = signal<About>('own');
  const ranges = signal<readonly (SqlRange | null)[]>([]);
  const columns = signal<readonly string[]>([]);
  const width = signal(0);
  const count = signal(0);
  const own = signal<Schema>({});
  const rows: (readonly SqlValue[])[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begun = false;
  /** What the worker has of each trace. */
  let known: Known[] = [];
  /** Counts queries: one that gathers tables gives up when there is a newer one, or none. */
  let turn = 0;
  /** Bytes entered into the account. */
  let held = 0;

  const service = createService<Queries>(spawn, () => lose());
  /** Forgets what the worker had. */
  const lose = () => {
    clearTimeout(timer);
    known = [];
    turn += 1;
    enter();
  };
  const end = () => {
    service.end();
    lose();
  };
  /** Enters what the worker holds into the account. While a query runs, that is in use. */
  const enter = () => {
    const bytes = known.reduce((sum, it) => sum + (it?.bytes ?? 0), 0);
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

  /** Has the worker have the tables of a trace. Resolves with '', with a sentence if they cannot be had, and with null if it was stopped. */
  const addTables = async (side: 0 | 1, mine: number): Promise<string | null> => {
    const of = source.sides()[side]!;
    const version = of.version();
    const before = known[side];
    if (before && before.version === version && before.schema === of.schema && service.isRunning()) return '';
    const hear = (share: number) => {
      if (turn === mine) asked.value = { at: 'running', share };
      return turn === mine;
    };
    const gathered = await of.tables(hear, side === 1 ? (known[0]?.bytes ?? 0) : 0);
    if (turn !== mine) return null;
    if (gathered === null || typeof gathered === 'string') return gathered ?? 'The reader of this trace has stopped.';
    asked.value = { at: 'running', share: null };
    void queries()
      .tables(side, of.schema, gathered.size, give(gathered.portions))
      .catch(() => undefined);
    // Those of the trace itself replace all.
    known.length = side;
    known[side] = { version, schema: of.schema, bytes: gathered.size, cut: null };
    enter();
    return '';
  };
  /** Adds the records to the tables. Resolves as {@link addTables}. */
  const addRecords = async (side: 0 | 1, mine: number): Promise<string | null> => {
    const of = known[side]!;
    if (of.cut !== null) return '';
    let last: Uint8Array<ArrayBuffer> | null = null;
    const send = (isLast: boolean) => {
      if (last)
        void queries()
          .records(side, give(last), isLast)
          .catch(() => undefined);
    };
    const gathered = await source.sides()[side]!.records((portion, share) => {
      if (turn !== mine) return false;
      send(false);
      last = portion;
      of.bytes += portion.length;
      enter();
      asked.value = { at: 'running', share, of: 'records' };
      return true;
    });
    if (turn !== mine) return null;
    if (gathered === null || typeof gathered === 'string') {
      // Some of them may be there already: the worker starts over.
      end();
      return gathered ?? 'The reader of the records has stopped.';
    }
    send(true);
    of.cut = gathered;
    asked.value = { at: 'running', share: null };
    return '';
  };
  /** Has the worker have what a query needs. Resolves as {@link addTables}. */
  const prepare = async (needs: readonly Need[], mine: number): Promise<string | null> => {
    for (const { side } of needs) {
      const why = await addTables(side, mine);
      if (why !== '') return why;
    }
    for (const { side } of needs.filter(({ records }) => records)) {
      const why = await addRecords(side, mine);
      if (why !== '') return why;
    }
    return '';
  };

  /** The ranges of now of what the latest query is about. */
  const rangesNow = () => {
    const all = source.sides();
    const of = about.peek() === 'both' ? all : [about.peek() === 'other' ? all[1] : all[0]];
    return of.map((side) => side?.range() ?? null);
  };
  const made: Sql = {
    asked,
    text,
    about,
    ranges,
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
      const [own, other] = source.sides();
      const needed = needsOf(sql, own.schema, other?.schema ?? null);
      about.value = needed.about;
      ranges.value = rangesNow();
      const refusal = refusalOf(sql);
      if (refusal) {
        asked.value = { at: 'stopped', sentence: refusal, place: null };
        return;
      }
      asked.value = { at: 'running', share: null };
      // From now on the tables are in use.
      enter();
      const began = performance.now();
      timer = setTimeout(
        () => stop(`Stopped after ${LIMIT_SECONDS} seconds. A narrower query takes less time.`),
        LIMIT_SECONDS * 1000,
      );
      turn += 1;
      const mine = turn;
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
        const cut = needed.needs.reduce((sum, { side, records }) => sum + (records ? (known[side]?.cut ?? 0) : 0), 0);
        asked.value =
          'more' in ended
            ? { at: 'answered', more: ended.more, seconds: (performance.now() - began) / 1000, cut }
            : { at: 'stopped', ...ended };
        enter();
      };
      void prepare(needed.needs, mine).then((why) => {
        if (why === null) return undefined;
        if (why === '') return query();
        clearTimeout(timer);
        asked.value = { at: 'stopped', sentence: why, place: null };
        enter();
        return undefined;
      });
    },
    follow: () => {
      const last = asked.peek();
      if (last.at !== 'answered' || last.seconds > QUICK_SECONDS) return;
      const isOfNow = rangesNow().every(
        (now, i) => now?.from === ranges.peek()[i]?.from && now?.to === ranges.peek()[i]?.to,
      );
      if (!isOfNow) made.run(text.peek());
    },
    stop: () => stop('Stopped.'),
    first: async (sql) => {
      // Without the tables it would be about something else, and after a query that runs it would be late.
      const sides = source.sides();
      const isThere = known.length > 0 && known.every((it, i) => it.version === sides[i]?.version());
      if (!isThere || !service.isRunning() || asked.peek().at === 'running') return null;
      return (await answer(sql))?.[0] ?? null;
    },
    leave: () => {
      if (known.length > 1) end();
      if (about.peek() === 'own') return;
      turn += 1;
      clearTimeout(timer);
      rows.length = 0;
      count.value = 0;
      columns.value = [];
      about.value = 'own';
      asked.value = { at: 'nothing' };
    },
    dispose: end,
  };
  return made;
}

/** What the worker has of a trace. */
interface Known {
  /** What the tables are of. */
  readonly version: unknown;
  readonly schema: string;
  bytes: number;
  /** null without the records; otherwise how many rows of them it has if there are more, 0 if these are all. */
  cut: number | null;
}

/** Each column of each table, in order. A view that cannot be read has none. */
const OWN_TABLES =
  'select m.name, c.name from sqlite_schema m join pragma_table_info(m.name) c ' +
  "where m.type in ('table', 'view') order by m.name, c.cid limit 5000";

/** A name as SQL, quoted if necessary. */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
