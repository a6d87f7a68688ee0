import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Ahead } from './ahead.ts';
import { LazyFile, type ReadAt } from './lazy_file.ts';
import { type Library, SqlFile, startSqlJs } from './sqlite.ts';

const FIXTURE = new URL('../../../tests/fixtures/rvn/blocks.sqlite', import.meta.url);
const bytes = new Uint8Array(readFileSync(FIXTURE));
const never = () => {
  throw new Error('the whole file was asked for');
};

/** Reads from memory and counts the reads. */
function source(content: Uint8Array): { read: ReadAt; calls: number; bytes: number } {
  const counted = {
    calls: 0,
    bytes: 0,
    read: (from: number, to: number) => {
      counted.calls += 1;
      const part = content.subarray(from, to);
      counted.bytes += part.length;
      return part;
    },
  };
  return counted;
}

let library: Library;

beforeAll(async () => {
  const require = createRequire(import.meta.url);
  library = await startSqlJs(readFileSync(require.resolve('sql.js/dist/sql-wasm.wasm')));
});

/** All rows of a query of numbers, and the error at their end. */
function rows(file: SqlFile, sql: string, columns: number): { rows: number[][]; error: string | null } {
  const outcome = file.doubles(sql, columns);
  const values = file.values();
  const made = Array.from({ length: outcome.rows }, (_, i) => [...values.subarray(i * columns, (i + 1) * columns)]);
  return { rows: made, error: outcome.error };
}

describe('a database in a file', () => {
  it('is read lazily by sql.js, never as a whole', () => {
    // The contract with sql.js: it calls `slice` once, then `subarray` for each page.
    const counted = source(bytes);
    const file = SqlFile.open(library, bytes.length, counted.read, never);
    const answer = rows(file, 'select transition_id, block_id from execution order by 1', 2);
    expect(answer.error).toBeNull();
    expect(answer.rows.length).toBe(9);
    expect(counted.calls).toBeGreaterThan(0);
    expect(file.failure()).toBeNull();
  });

  it('is copied whole if sql.js does not accept a lazy file', () => {
    // A sql.js that copies its argument by other means than `slice` and `subarray`.
    class Other {
      constructor(data: Uint8Array) {
        if (!(data instanceof Uint8Array)) throw new TypeError('not an array');
        // biome-ignore lint/correctness/noConstructorReturn: replaces the real class in this test.
        return new library.sql.Database(data) as unknown as Other;
      }
    }
    const other = { ...library, sql: { ...library.sql, Database: Other as unknown as Library['sql']['Database'] } };
    let copies = 0;
    const file = SqlFile.open(other, bytes.length, source(bytes).read, () => {
      copies += 1;
      return bytes.slice();
    });
    expect(copies).toBe(1);
    expect(rows(file, 'select count(*) from execution', 1).rows).toEqual([[9]]);
    expect(() => SqlFile.open(other, bytes.length, source(bytes).read, () => null)).toThrow(/too large/);
  });

  it('reports a failed read without unwinding SQLite', () => {
    const read: ReadAt = () => {
      throw new Error('gone');
    };
    const file = SqlFile.open(library, bytes.length, read, never);
    expect(rows(file, 'select * from execution', 2).error).not.toBeNull();
    expect(file.failure()).toContain('gone');
    // SQLite still works for another file.
    const good = SqlFile.open(library, bytes.length, source(bytes).read, never);
    expect(rows(good, 'select 7', 1).rows).toEqual([[7]]);
  });

  it('returns bytes that bypass SQLite, unless it was copied or cannot be read', () => {
    const counted = source(bytes);
    const ahead: Ahead = { read: (from, to) => bytes.slice(from, to), arrival: () => null };
    const file = SqlFile.open(library, bytes.length, counted.read, never, ahead);
    const calls = counted.calls;
    expect(file.read(16, 32)).toEqual(bytes.slice(16, 32));
    expect(file.read(bytes.length - 4, bytes.length + 100)?.length).toBe(4);
    expect(counted.calls).toBe(calls);
    const gone: Ahead = {
      ...ahead,
      read: () => {
        throw new Error('gone');
      },
    };
    const unreadable = SqlFile.open(library, bytes.length, counted.read, never, gone);
    expect(unreadable.read(0, 16)).toBeUndefined();
    expect(unreadable.failure()).toContain('gone');
  });

  it("returns SQLite's message for a wrong query", () => {
    const file = SqlFile.open(library, bytes.length, source(bytes).read, never);
    expect(rows(file, 'select a from nowhere', 1).error).toContain('no such table');
    expect(rows(file, 'select 1 from execution', 1).error).toBeNull();
  });
});

describe('a lazy file', () => {
  const content = Uint8Array.from({ length: 5_000_000 }, (_, i) => (i * 7 + (i >> 10)) & 0xff);

  it('returns any range, clipped at its end', () => {
    const file = new LazyFile(content.length, source(content).read);
    for (const [from, to] of [
      [0, 16],
      [65_500, 65_600],
      [131_071, 262_200],
      [4_999_990, 5_000_100],
      [5_000_000, 5_000_010],
    ] as const) {
      expect(file.subarray(from, to)).toEqual(content.subarray(from, to));
    }
    expect(file.slice()).toBe(file);
  });

  it('doubles the length of sequential reads, and caches blocks', () => {
    const counted = source(content);
    const file = new LazyFile(content.length, counted.read);
    for (let at = 0; at < content.length; at += 4096) file.subarray(at, at + 4096);
    expect(counted.calls).toBeLessThan(10);
    expect(counted.bytes).toBe(content.length);
    file.subarray(0, 4096);
    expect(counted.bytes).toBe(content.length);
  });

  it('detects a file that has shrunk', () => {
    const file = new LazyFile(content.length, source(content.subarray(0, 100_000)).read);
    expect(file.subarray(0, 10).length).toBe(10);
    expect(file.failure).toBeNull();
    expect(file.subarray(99_990, 100_010).length).toBe(10);
    expect(file.failure).not.toBeNull();
  });

  it('reads one block per search', () => {
    const counted = source(content);
    const file = new LazyFile(content.length, counted.read);
    for (const at of [4_000_000, 100, 2_000_000]) file.subarray(at, at + 100);
    expect(counted.bytes).toBe(3 * 65_536);
  });
});
