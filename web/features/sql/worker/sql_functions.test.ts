import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, expect, it, test } from 'vitest';
import { type Library, startSqlJs } from '../../../trace/worker/sqlite.ts';
import { addSqlFunctions, mentionsRegexp } from './sql_functions.ts';

const CASES = JSON.parse(
  readFileSync(new URL('../../../../tests/sql_functions.json', import.meta.url), 'utf8'),
) as readonly (readonly [expression: string, expected: number | null])[];

/** As the module of the filter language, which is another one. */
const compile = (source: string) => {
  const insensitive = source.startsWith('(?i)');
  const regex = new RegExp(insensitive ? source.slice(4) : source, insensitive ? 'i' : '');
  return { place: (text: string) => (regex.test(text) ? [0, 0] : undefined), free: () => undefined };
};

let library: Library;

beforeAll(async () => {
  const require = createRequire(import.meta.url);
  library = await startSqlJs(readFileSync(require.resolve('sql.js/dist/sql-wasm.wasm')));
});

function resultOf(expression: string): unknown {
  const database = new library.sql.Database(new Uint8Array());
  addSqlFunctions(database, compile);
  const statement = database.prepare(`select ${expression}`);
  statement.step();
  const [value] = statement.get(null, { useBigInt: false });
  statement.free();
  database.close();
  return value;
}

it.each(CASES)('%s', (expression, expected) => {
  const found = resultOf(expression);
  if (expected === null) expect(found).toBeNull();
  else expect(found).toBeCloseTo(expected, 12);
});

test('what is wrong with an argument is the error of the query', () => {
  expect(() => resultOf('percentile(1, 101)')).toThrow('not a number from 0 to 100');
  expect(() => resultOf("'a' regexp '('")).toThrow();
});

test('a query may need regular expressions', () => {
  expect([mentionsRegexp("select name REGEXP 'a'"), mentionsRegexp('select name')]).toEqual([true, false]);
});
