import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ReadAt } from './lazy_file.ts';
import type { Stream } from './source.ts';
import { type Library, SqlFile, startSqlJs } from './sqlite.ts';
import { type Log, overlaid, readLog } from './wal.ts';

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../../tests/fixtures/rvn/${name}`, import.meta.url)));
const database = fixture('logged.sqlite');
const wal = fixture('logged.sqlite-wal');
const FRAME = 24 + 512;

const reading =
  (bytes: Uint8Array): ReadAt =>
  (from, to) =>
    bytes.slice(from, to);
const logOf = (bytes: Uint8Array) => readLog(bytes.length, reading(bytes))!;

function streaming(bytes: Uint8Array) {
  return (at: number): Stream => {
    let position = at;
    return {
      get position() {
        return position;
      },
      next: (length) => {
        const part = bytes.slice(position, position + length);
        position += length;
        return Promise.resolve(part);
      },
      close: () => undefined,
    };
  };
}

function together(log: Log, bytes = wal) {
  return overlaid(database.length, reading(database), streaming(database), log, reading(bytes));
}

let library: Library;

beforeAll(async () => {
  const require = createRequire(import.meta.url);
  library = await startSqlJs(readFileSync(require.resolve('sql.js/dist/sql-wasm.wasm')));
});

function transitions(log: Log, bytes = wal): number[] {
  const { size, read } = together(log, bytes);
  const file = SqlFile.open(library, size, read, () => null);
  const { rows } = file.doubles('select transition_id from execution order by 1', 1);
  return [...file.values().subarray(0, rows)];
}

describe('the write-ahead log of a database', () => {
  it('adds what was committed', () => {
    const log = logOf(wal);
    expect(log).toMatchObject({ pageSize: 512, transactions: 4, damagedAt: null });
    expect(transitions(log)).toEqual([2, 5, 6, 8, 9, 10, 12, 14, 15]);
    expect(transitions({ ...log, places: new Map() })).toEqual([2, 5, 6, 8]);
  });

  it('ends before a damaged frame', () => {
    const damaged = wal.slice();
    damaged[32 + FRAME + 100]! ^= 1;
    const log = logOf(damaged);
    expect(log).toMatchObject({ transactions: 1, damagedAt: 32 + FRAME });
    expect(transitions(log, damaged)).toEqual([2, 5, 6, 8, 9]);
  });

  it('ends before an incomplete frame, and before a transaction that was not committed', () => {
    const cut = wal.slice(0, wal.length - 10);
    expect(logOf(cut)).toMatchObject({ transactions: 3, damagedAt: 32 + 3 * FRAME });
    expect(logOf(wal.slice(0, 32 + 3 * FRAME))).toMatchObject({ transactions: 3, damagedAt: null });
    const header = wal.slice();
    header[20]! ^= 1;
    expect(logOf(header)).toMatchObject({ transactions: 0, pages: 0, damagedAt: 0 });
  });

  it('leaves out what an earlier log has left', () => {
    const earlier = wal.slice();
    earlier[32 + 2 * FRAME + 9]! ^= 1;
    expect(logOf(earlier)).toMatchObject({ transactions: 2, damagedAt: null });
  });

  it('is known by its header', () => {
    expect(readLog(4, reading(wal.slice(0, 4)))).toBeNull();
    expect(readLog(database.length, reading(database))).toBeNull();
    expect(readLog(32, reading(wal.slice(0, 32)))).toMatchObject({ transactions: 0, damagedAt: null });
  });

  it('reads the same in any portions, and as a stream', async () => {
    const log = logOf(wal);
    const { size, read, stream } = together(log);
    const whole = read(0, size);
    expect(whole.length).toBe(size);
    expect([...whole.subarray(18, 20)]).toEqual([1, 1]);
    for (const portion of [1, 100, 512, 700]) {
      const flowing = stream(portion);
      for (let at = portion; at < size; at += portion) {
        expect(read(at, at + portion)).toEqual(whole.subarray(at, at + portion));
        expect(flowing.position).toBe(at);
        expect(await flowing.next(portion)).toEqual(whole.subarray(at, at + portion));
      }
    }
  });

  it('grows a database beyond its file', () => {
    const log = { pageSize: 512, pages: 12, places: new Map([[12, 32 + 24]]), transactions: 1, damagedAt: null };
    const { size, read } = together(log);
    expect(size).toBe(12 * 512);
    expect(read(11 * 512, 13 * 512)).toEqual(wal.slice(32 + 24, 32 + FRAME));
    expect(read(10 * 512, 11 * 512)).toEqual(new Uint8Array(512));
  });
});
