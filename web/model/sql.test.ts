import { describe, expect, it, vi } from 'vitest';
import type { FromSql, ToSql } from '../base/sql.ts';
import { createSql, LIMIT_SECONDS, type SqlPort, type SqlSource } from './sql.ts';

/** A database, whose tables are there at once. */
const database: SqlSource = {
  file: new Blob(),
  log: null,
  tables: async () => ({ size: 0, portions: [] }),
  records: async () => 0,
  ledger: { set: () => undefined },
  version: () => 1,
};

/** Lets the tables arrive. */
const settled = () => Promise.resolve().then(() => Promise.resolve());

function workers() {
  const made: { port: SqlPort; got: ToSql[]; ended: boolean }[] = [];
  const spawn = (): SqlPort => {
    const worker = { got: [] as ToSql[], ended: false, port: null as unknown as SqlPort };
    worker.port = {
      postMessage: (message) => worker.got.push(message),
      terminate: () => {
        worker.ended = true;
      },
      onmessage: null,
      onerror: null,
      onmessageerror: null,
    };
    made.push(worker);
    return worker.port;
  };
  type Said = FromSql extends infer Each ? (Each extends FromSql ? Omit<Each, 'id'> : never) : never;
  const say = (i: number, said: Said, id = 1) =>
    made[i]!.port.onmessage?.({ data: { ...said, id } } as MessageEvent<FromSql>);
  return { made, spawn, say };
}

it('enters its tables into the account of memory, and makes them again once they have gone', async () => {
  const { made, spawn, say } = workers();
  const entered: [number, boolean][] = [];
  let free: (() => void) | null = null;
  const ledger: SqlSource['ledger'] = {
    set: (_, held) => {
      entered.push([held.bytes, held.free === null]);
      free = held.free;
    },
  };
  const sql = createSql({ ...database, ledger, tables: async () => ({ size: 100, portions: [] }) }, spawn);
  sql.run('select 1');
  await settled();
  expect(entered).toEqual([[100, true]]);
  say(0, { t: 'done', more: false });
  expect(entered.at(-1)).toEqual([100, false]);
  free!();
  expect([made[0]!.ended, entered.at(-1)]).toEqual([true, [0, false]]);
  sql.run('select 2');
  await settled();
  expect([made.length, entered.at(-1)]).toEqual([2, [100, true]]);
  say(1, { t: 'done', more: false }, 2);
  // The tables are there already, and in use.
  sql.run('select 3');
  expect([made.length, entered.at(-1)]).toEqual([2, [100, true]]);
  say(1, { t: 'done', more: false }, 3);
  // A question for a first row ends with the worker.
  const first = sql.first('select 4');
  free!();
  expect(await first).toBe(null);
});

describe('queries over a database', () => {
  it('return rows in portions', async () => {
    const { made, spawn, say } = workers();
    const sql = createSql(database, spawn);
    expect(made.length).toBe(0);
    sql.run('select 1, 2');
    await settled();
    expect(made[0]!.got.map((message) => message.t)).toEqual(['open', 'tables', 'run']);
    say(0, { t: 'columns', names: ['1', '2'], total: 700 });
    expect([sql.columns.value.length, sql.width.value]).toEqual([2, 700]);
    say(0, { t: 'rows', rows: [[1n, 2n]] });
    expect(sql.asked.value.at).toBe('running');
    expect(sql.count.value).toBe(1);
    say(0, { t: 'done', more: false });
    expect(sql.asked.value.at).toBe('answered');
    expect(sql.rows).toEqual([[1n, 2n]]);
    sql.run('select 3');
    expect(made.length).toBe(1);
    expect(made[0]!.got.map((message) => message.t)).toEqual(['open', 'tables', 'run', 'run']);
    expect(sql.count.value).toBe(0);
  });

  it('end with their worker when stopped or at the time limit', async () => {
    vi.useFakeTimers();
    try {
      const { made, spawn, say } = workers();
      const sql = createSql(database, spawn);
      sql.run('select 1');
      await settled();
      say(0, { t: 'rows', rows: [[1n]] });
      sql.stop();
      expect(made[0]!.ended).toBe(true);
      expect(sql.asked.value.at).toBe('stopped');
      expect(sql.count.value).toBe(1);
      sql.run('select 2');
      await settled();
      expect(made.length).toBe(2);
      vi.advanceTimersByTime(LIMIT_SECONDS * 1000);
      expect(made[1]!.ended).toBe(true);
      expect(sql.asked.value).toMatchObject({ at: 'stopped', sentence: expect.stringContaining('30 seconds') });
      sql.run('select 3');
      await settled();
      sql.run('select 4');
      await settled();
      expect(made.map((worker) => worker.ended)).toEqual([true, true, true, false]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ignore replies to other queries', async () => {
    const { spawn, say } = workers();
    const sql = createSql(database, spawn);
    sql.begin();
    sql.run('select 1');
    await settled();
    say(
      0,
      {
        t: 'rows',
        rows: [
          ['blocks', 'pc'],
          ['blocks', 'a b'],
        ],
      },
      1,
    );
    say(0, { t: 'done', more: false }, 1);
    say(0, { t: 'rows', rows: [[1n]] }, 2);
    expect(sql.own.value).toEqual({ 'rvn.blocks': ['pc', '"a b"'] });
    expect(sql.rows).toEqual([[1n]]);
  });

  it('that would write are refused without a worker', () => {
    const { made, spawn } = workers();
    const sql = createSql(database, spawn);
    sql.run('delete from blocks');
    expect(made.length).toBe(0);
    expect(sql.asked.value.at).toBe('stopped');
  });

  it('wait for the tables, which are made anew when the trace or the range is another', async () => {
    const { made, spawn, say } = workers();
    let version = 1;
    let deliver: (value: { size: number; portions: [] } | string | null) => void = () => undefined;
    let hear: (share: number) => boolean = () => false;
    const source: SqlSource = {
      ...database,
      file: null,
      version: () => version,
      tables: (heard) => {
        hear = heard;
        return new Promise((resolve) => {
          deliver = resolve;
        });
      },
    };
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
    expect(made[0]!.got).toMatchObject([{ t: 'open', file: null }, { t: 'tables' }, { t: 'run', sql: 'select 2' }]);
    say(0, { t: 'done', more: false });
    version = 2;
    sql.run('select 3');
    deliver({ size: 0, portions: [] });
    await settled();
    expect(made[0]!.got.map((message) => message.t)).toEqual(['open', 'tables', 'run', 'tables', 'run']);
    version = 3;
    sql.run('select 4');
    deliver('Too many.');
    await settled();
    expect(sql.asked.value).toEqual({ at: 'stopped', sentence: 'Too many.', place: null });
  });

  it('have the records read once a query names them, and say if these are not all', async () => {
    const { made, spawn, say } = workers();
    let asked = 0;
    let go: (share: number) => boolean = () => false;
    let end: (result: number | string | null) => void = () => undefined;
    const records: SqlSource['records'] = (take) => {
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
    const sql = createSql({ ...database, records }, spawn);
    sql.run("select 'records' from slices -- fields");
    await settled();
    say(0, { t: 'done', more: false }, 1);
    expect([asked, sql.asked.value]).toMatchObject([0, { at: 'answered', cut: 0 }]);
    sql.run('select count(*) from Fields');
    await settled();
    expect([go(0.5), sql.asked.value]).toEqual([true, { at: 'running', share: 0.5, of: 'records' }]);
    expect(go(1)).toBe(true);
    end(42);
    await settled();
    expect(made[0]!.got.slice(3)).toMatchObject([
      { t: 'records', portion: new Uint8Array([1]), last: false },
      { t: 'records', portion: new Uint8Array([2]), last: true },
      { t: 'run', id: 2 },
    ]);
    say(0, { t: 'done', more: false }, 2);
    expect(sql.asked.value).toMatchObject({ at: 'answered', cut: 42 });
    // They stay, and other queries are about all.
    sql.run('select count(*) from records');
    say(0, { t: 'done', more: false }, 3);
    expect([asked, sql.asked.value]).toMatchObject([1, { cut: 42 }]);
    sql.run('select count(*) from slices');
    say(0, { t: 'done', more: false }, 4);
    expect(sql.asked.value).toMatchObject({ cut: 0 });
  });

  it('end with the reading of the records, and begin anew after a failure', async () => {
    const { made, spawn } = workers();
    let go: () => boolean = () => false;
    let end: (result: string | null) => void = () => undefined;
    const records: SqlSource['records'] = (take) => {
      go = () => take(new Uint8Array(1), 0.5);
      return new Promise((resolve) => {
        end = resolve;
      });
    };
    const sql = createSql({ ...database, records }, spawn);
    sql.run('select 1 from records');
    await settled();
    expect(go()).toBe(true);
    sql.stop();
    expect([go(), made[0]!.ended]).toEqual([false, true]);
    sql.run('select 1 from records');
    await settled();
    end('It is damaged.');
    await settled();
    expect(sql.asked.value).toMatchObject({ at: 'stopped', sentence: 'It is damaged.' });
    expect(made[1]!.ended).toBe(true);
  });
});
