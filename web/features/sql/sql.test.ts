import { describe, expect, it, vi } from 'vitest';
import type { RemoteWorker } from '../../base/remote.ts';
import type { Queries, SqlEnd, SqlResult } from '../../base/sql.ts';
import { ticks } from '../../base/ticks.ts';
import type { SqlRange } from '../../base/trace_protocol.ts';
import { workerOf } from '../../base/worker.fixture.ts';
import { createSql, LIMIT_SECONDS, type SqlSide, type SqlSource } from './sql.ts';

/** A trace, whose tables are there at once. */
const alone: SqlSide = {
  schema: '',
  tables: async () => ({ size: 0, portions: [] }),
  records: async () => 0,
  range: () => null,
  version: () => 1,
};
/** A database. */
const database: SqlSource = {
  file: new Blob(),
  log: null,
  sides: () => [alone],
  ledger: { set: () => undefined },
};
/** The same with other tables. */
const withSide = (side: Partial<SqlSide>): SqlSource => ({ ...database, sides: () => [{ ...alone, ...side }] });

/** Lets tables and answers arrive. */
const settled = async () => {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
};

/** Workers whose queries wait for `say`. */
function workers() {
  const made: { readonly got: unknown[][]; readonly worker: ReturnType<typeof workerOf>; readonly asked: Query[] }[] =
    [];
  const spawn = (): RemoteWorker => {
    const got: unknown[][] = [];
    const asked: Query[] = [];
    const worker = workerOf<Queries>({
      open: (file) => void got.push(['open', file]),
      tables: (side, schema, size) => void got.push(size > 0 ? ['tables', side, schema, size] : ['tables']),
      records: (side, portion, last) => void got.push(['records', portion, last, ...(side > 0 ? [side] : [])]),
      run: (sql, _, columns, rows) => {
        got.push(['run', sql]);
        return new Promise((end) => asked.push({ columns, rows, end }));
      },
    });
    made.push({ got, worker, asked });
    return worker;
  };
  /** The latest query of a worker, or one by its number. */
  const query = (i: number, at?: number) => made[i]!.asked.at(at ?? -1)!;
  const done = async (i: number, at?: number) => {
    query(i, at).end({ more: false });
    await settled();
  };
  const names = (i: number) => made[i]!.got.map(([name]) => name);
  const isEnded = () => made.map(({ worker }) => worker.isEnded());
  return { made, spawn, query, done, names, isEnded };
}

interface Query extends SqlResult {
  end(end: SqlEnd): void;
}

it('enters its tables into the account of memory, and makes them again once they have gone', async () => {
  const { made, spawn, done, isEnded } = workers();
  const entered: [number, boolean][] = [];
  let free: (() => void) | null = null;
  const ledger: SqlSource['ledger'] = {
    set: (_, held) => {
      entered.push([held.bytes, held.free === null]);
      free = held.free;
    },
  };
  const sql = createSql({ ...withSide({ tables: async () => ({ size: 100, portions: [] }) }), ledger }, spawn);
  sql.run('select 1');
  await settled();
  expect(entered).toEqual([[100, true]]);
  await done(0);
  expect(entered.at(-1)).toEqual([100, false]);
  free!();
  expect([isEnded(), entered.at(-1)]).toEqual([[true], [0, false]]);
  sql.run('select 2');
  await settled();
  expect([made.length, entered.at(-1)]).toEqual([2, [100, true]]);
  await done(1);
  // The tables are there already, and in use.
  sql.run('select 3');
  await settled();
  expect([made.length, entered.at(-1)]).toEqual([2, [100, true]]);
  await done(1);
  // A question for a first row ends with the worker.
  const first = sql.first('select 4');
  free!();
  expect(await first).toBe(null);
});

describe('queries over a database', () => {
  it('return rows in portions', async () => {
    const { made, spawn, query, done, names } = workers();
    const sql = createSql(database, spawn);
    expect(made.length).toBe(0);
    sql.run('select 1, 2');
    await settled();
    expect(names(0)).toEqual(['open', 'tables', 'run']);
    query(0).columns(['1', '2'], 700);
    await settled();
    expect([sql.columns.value.length, sql.width.value]).toEqual([2, 700]);
    query(0).rows([[1n, 2n]]);
    await settled();
    expect(sql.asked.value.at).toBe('running');
    expect(sql.count.value).toBe(1);
    await done(0);
    expect(sql.asked.value.at).toBe('answered');
    expect(sql.rows).toEqual([[1n, 2n]]);
    sql.run('select 3');
    await settled();
    expect(made.length).toBe(1);
    expect(names(0)).toEqual(['open', 'tables', 'run', 'run']);
    expect(sql.count.value).toBe(0);
  });

  it('end with their worker when stopped or at the time limit', async () => {
    vi.useFakeTimers();
    try {
      const { made, spawn, query, isEnded } = workers();
      const sql = createSql(database, spawn);
      sql.run('select 1');
      await settled();
      query(0).rows([[1n]]);
      await settled();
      sql.stop();
      await settled();
      expect(isEnded()).toEqual([true]);
      expect(sql.asked.value.at).toBe('stopped');
      expect(sql.count.value).toBe(1);
      sql.run('select 2');
      await settled();
      expect(made.length).toBe(2);
      vi.advanceTimersByTime(LIMIT_SECONDS * 1000);
      expect(isEnded()).toEqual([true, true]);
      expect(sql.asked.value).toMatchObject({ at: 'stopped', sentence: expect.stringContaining('30 seconds') });
      sql.run('select 3');
      await settled();
      sql.run('select 4');
      await settled();
      expect(isEnded()).toEqual([true, true, true, false]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ignore replies to other queries', async () => {
    const { spawn, query, done } = workers();
    const sql = createSql(database, spawn);
    sql.begin();
    sql.run('select 1');
    await settled();
    query(0, 0).rows([
      ['blocks', 'pc'],
      ['blocks', 'a b'],
    ]);
    await done(0, 0);
    query(0, 1).rows([[1n]]);
    await settled();
    expect(sql.own.value).toEqual({ 'rvn.blocks': ['pc', '"a b"'] });
    expect(sql.rows).toEqual([[1n]]);
  });

  it('say why their worker has ended by itself', async () => {
    const { made, spawn, query } = workers();
    const sql = createSql(database, spawn);
    sql.run('select 1');
    await settled();
    query(0).end({ sentence: 'SQLite says: no such table: a', place: null });
    await settled();
    expect(sql.asked.value).toEqual({ at: 'stopped', sentence: 'SQLite says: no such table: a', place: null });
    sql.run('select 2');
    await settled();
    made[0]!.worker.onerror?.({ preventDefault: () => undefined, message: '' } as ErrorEvent);
    await settled();
    const sentence = 'The reader of this database stopped (no reason given).';
    expect(sql.asked.value).toEqual({ at: 'stopped', sentence, place: null });
    sql.run('select 3');
    await settled();
    expect(made.length).toBe(2);
  });

  it('that would write are refused without a worker', () => {
    const { made, spawn } = workers();
    const sql = createSql(database, spawn);
    sql.run('delete from blocks');
    expect(made.length).toBe(0);
    expect(sql.asked.value.at).toBe('stopped');
  });

  it('wait for the tables, which are made anew when the trace or the range is another', async () => {
    const { made, spawn, done, names } = workers();
    let version = 1;
    let deliver: (value: { size: number; portions: [] } | string | null) => void = () => undefined;
    let hear: (share: number) => boolean = () => false;
    const tables: SqlSide['tables'] = (heard) => {
      hear = heard;
      return new Promise((resolve) => {
        deliver = resolve;
      });
    };
    const source: SqlSource = { ...withSide({ version: () => version, tables }), file: null };
    const sql = createSql(source, spawn);
    // Without a database there is nothing to list.
    sql.begin();
    sql.run('select 1');
    expect(hear(0.25)).toBe(true);
    expect([made.length, sql.asked.value]).toEqual([0, { at: 'running', share: 0.25 }]);
    sql.stop();
    expect([hear(0.5), sql.asked.value.at]).toEqual([false, 'stopped']);
    sql.run('select 2');
    deliver({ size: 0, portions: [] });
    await settled();
    expect(made[0]!.got).toEqual([['open', null], ['tables'], ['run', 'select 2']]);
    await done(0);
    version = 2;
    sql.run('select 3');
    deliver({ size: 0, portions: [] });
    await settled();
    expect(names(0)).toEqual(['open', 'tables', 'run', 'tables', 'run']);
    version = 3;
    sql.run('select 4');
    deliver('Too many.');
    await settled();
    expect(sql.asked.value).toEqual({ at: 'stopped', sentence: 'Too many.', place: null });
  });

  it('have the records read once a query names them, and say if these are not all', async () => {
    const { made, spawn, done } = workers();
    let asked = 0;
    let go: (share: number) => boolean = () => false;
    let end: (result: number | string | null) => void = () => undefined;
    const records: SqlSide['records'] = (take) => {
      asked += 1;
      let sent = 0;
      go = (share) => {
        sent += 1;
        return take(new Uint8Array([sent]), share);
      };
      return new Promise((resolve) => {
        end = resolve;
      });
    };
    const sql = createSql(withSide({ records }), spawn);
    sql.run("select 'records' from slices -- fields");
    await settled();
    await done(0);
    expect([asked, sql.asked.value]).toMatchObject([0, { at: 'answered', cut: 0 }]);
    sql.run('select count(*) from Fields');
    await settled();
    expect([go(0.5), sql.asked.value]).toEqual([true, { at: 'running', share: 0.5, of: 'records' }]);
    expect(go(1)).toBe(true);
    end(42);
    await settled();
    expect(made[0]!.got.slice(3)).toEqual([
      ['records', new Uint8Array([1]), false],
      ['records', new Uint8Array([2]), true],
      ['run', 'select count(*) from Fields'],
    ]);
    await done(0);
    expect(sql.asked.value).toMatchObject({ at: 'answered', cut: 42 });
    // They stay, and other queries are about all.
    sql.run('select count(*) from records');
    await settled();
    await done(0);
    expect([asked, sql.asked.value]).toMatchObject([1, { cut: 42 }]);
    sql.run('select count(*) from slices');
    await settled();
    await done(0);
    expect(sql.asked.value).toMatchObject({ cut: 0 });
  });

  it('end with the reading of the records, and begin anew after a failure', async () => {
    const { spawn, isEnded } = workers();
    let go: () => boolean = () => false;
    let end: (result: string | null) => void = () => undefined;
    const records: SqlSide['records'] = (take) => {
      go = () => take(new Uint8Array(1), 0.5);
      return new Promise((resolve) => {
        end = resolve;
      });
    };
    const sql = createSql(withSide({ records }), spawn);
    sql.run('select 1 from records');
    await settled();
    expect(go()).toBe(true);
    sql.stop();
    expect([go(), isEnded()]).toEqual([false, [true]]);
    sql.run('select 1 from records');
    await settled();
    end('It is damaged.');
    await settled();
    expect(sql.asked.value).toMatchObject({ at: 'stopped', sentence: 'It is damaged.' });
    expect(isEnded()).toEqual([true, true]);
  });
});

it('asks a quick query again when the range is another one, and leaves a slow one', async () => {
  const { made, spawn, done } = workers();
  let range: SqlRange | null = null;
  const sql = createSql(withSide({ range: () => range }), spawn);
  sql.follow();
  expect(made.length).toBe(0);
  sql.run('select 1');
  await settled();
  await done(0);
  sql.follow();
  range = { from: ticks(1n), to: ticks(5n) };
  sql.follow();
  await settled();
  await done(0);
  expect([made[0]!.asked.length, sql.ranges.value]).toEqual([2, [range]]);
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValueOnce(now - 2000);
  sql.run('select 2');
  await settled();
  await done(0);
  vi.restoreAllMocks();
  range = null;
  sql.follow();
  await settled();
  expect([made[0]!.asked.length, sql.asked.value.at]).toEqual([3, 'answered']);
  sql.dispose();
});

describe('queries over two traces', () => {
  /** The second of two traces, with what was taken of the room before. */
  function both() {
    const taken: number[] = [];
    const side = (schema: string, size: number): SqlSide => ({
      ...alone,
      schema,
      tables: async (_, before) => {
        taken.push(before);
        return { size, portions: [] };
      },
      records: async (take) => (take(new Uint8Array([size]), 1) ? 0 : null),
    });
    const sides = [side('b', 70), side('a', 30)] as const;
    return { taken, source: { ...database, sides: () => sides } satisfies SqlSource };
  }

  it('get the tables of the other one when they name them, and its records', async () => {
    const { made, spawn, done } = workers();
    const { taken, source } = both();
    const entered: number[] = [];
    const ledger: SqlSource['ledger'] = { set: (_, { bytes }) => void entered.push(bytes) };
    const sql = createSql({ ...source, ledger }, spawn);
    sql.run('select count(*) from slices a where a.depth = 0');
    await settled();
    await done(0);
    expect([made[0]!.got.slice(1), sql.about.value]).toEqual([
      [
        ['tables', 0, 'b', 70],
        ['run', 'select count(*) from slices a where a.depth = 0'],
      ],
      'own',
    ]);
    sql.run('select * from b.slices, "a".names');
    await settled();
    await done(0);
    expect([made[0]!.got.at(-2), taken, entered.at(-1), sql.about.value]).toEqual([
      ['tables', 1, 'a', 30],
      [0, 70],
      100,
      'both',
    ]);
    sql.run('select * from a.records');
    await settled();
    await done(0);
    expect([made[0]!.got.at(-2), entered.at(-1), sql.about.value]).toEqual([
      ['records', new Uint8Array([30]), true, 1],
      101,
      'other',
    ]);
    expect(sql.ranges.value).toEqual([null]);
  });

  it('give the tables of the other one back when it leaves, with what was found in them', async () => {
    const { spawn, query, done, isEnded } = workers();
    const sql = createSql(both().source, spawn);
    sql.run('select 1 from names');
    await settled();
    query(0).rows([[1n]]);
    await done(0);
    sql.leave();
    expect([isEnded(), sql.count.value, sql.asked.value.at]).toEqual([[false], 1, 'answered']);
    sql.run('select 1 from a.names');
    await settled();
    query(0).rows([[1n]]);
    await done(0);
    sql.leave();
    expect([isEnded(), sql.count.value, sql.asked.value.at]).toEqual([[true], 0, 'nothing']);
  });
});
