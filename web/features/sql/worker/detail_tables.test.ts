import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Library, SqlFile, startSqlJs } from '../../../trace/worker/sqlite.ts';
import { DetailTables } from './detail_tables.ts';

/** Rows as `TableBytes` writes them. */
function writer() {
  const bytes: number[] = [];
  const long = (number: bigint) => {
    for (let i = 0n; i < 64n; i += 8n) bytes.push(Number((number >> i) & 255n));
  };
  const int = (number: number) => bytes.push(...new Uint8Array(new Uint32Array([number]).buffer));
  const text = (value: string | Uint8Array | null) => {
    const content = value === null ? null : typeof value === 'string' ? new TextEncoder().encode(value) : value;
    int(content?.length ?? 2 ** 32 - 1);
    if (content) bytes.push(...content);
  };
  return {
    bytes,
    record: (x: bigint, track: number, name: string | null) => {
      bytes.push(1);
      long(x);
      int(track);
      text(name);
    },
    field: (key: string, symbol: string | null, value: bigint | number | string | Uint8Array | null) => {
      bytes.push(2);
      text(key);
      text(symbol);
      if (value === null) bytes.push(0);
      else if (typeof value === 'bigint') {
        bytes.push(1);
        long(BigInt.asUintN(64, value));
      } else if (typeof value === 'number') {
        bytes.push(2, ...new Uint8Array(new Float64Array([value]).buffer));
      } else {
        bytes.push(typeof value === 'string' ? 3 : 4);
        text(value);
      }
    },
  };
}

/** A database that is read as the worker reads those of the store. */
function tablesIn(library: Library): SqlFile {
  const bytes = new Uint8Array(readFileSync('tests/fixtures/rvn/blocks.sqlite'));
  const read = (from: number, to: number) => bytes.slice(from, to);
  return SqlFile.open(library, bytes.length, read, () => null);
}

it('rows are those that the record worker made, beside the tables of the store', async () => {
  const library = await startSqlJs(readFileSync('node_modules/sql.js/dist/sql-wasm-browser.wasm'));
  const file = tablesIn(library);
  const tables = new DetailTables(file);
  const first = writer();
  first.record(2n ** 40n, 2, 'naïve');
  first.field('a.0', null, -3n);
  first.field('b', 'GL_ONE', 2n ** 63n + 5n);
  const second = writer();
  second.field('c', null, 0.25);
  second.field('d', null, 'x');
  second.record(7n, 0, null);
  second.field('e', null, new Uint8Array([1, 0, 2]));
  second.field('f', null, null);
  tables.add(new Uint8Array(first.bytes));
  tables.add(new Uint8Array(second.bytes));
  tables.finish();
  file.attach(file, 'a');
  const all = (query: string) => {
    const statement = file.database.prepare(query);
    const rows: unknown[] = [];
    while (statement.step()) rows.push(statement.get(null, { useBigInt: true }));
    statement.free();
    return rows;
  };
  expect(all('select * from records')).toEqual([
    [1n, 2n ** 40n, 3n, 'naïve'],
    [2n, 7n, 1n, null],
  ]);
  expect(all('select *, typeof(value) from fields')).toEqual([
    [1n, 'a.0', -3n, null, 'integer'],
    [1n, 'b', -(2n ** 63n) + 5n, 'GL_ONE', 'integer'],
    [1n, 'c', 0.25, null, 'real'],
    [1n, 'd', 'x', null, 'text'],
    [2n, 'e', new Uint8Array([1, 0, 2]), null, 'blob'],
    [2n, 'f', null, null, 'null'],
  ]);
  expect(all('explain query plan select * from fields where record = 2').join()).toContain('fields_of_records');
  // The tables before are still there, and all have the schema's name, too.
  expect(all('select count(*) > 0 from execution')).toEqual([[1n]]);
  expect(all('select count(*), (select count(*) from a.fields) from a.records')).toEqual([[2n, 6n]]);
  expect(all('pragma integrity_check')).toEqual([['ok']]);
  expect(() => file.database.run('delete from records')).toThrow(/readonly|read-only/);
  expect(file.failure()).toBe(null);
});
