import { readFileSync } from 'node:fs';
import initSqlJs from 'sql.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { placeOfError } from './sql_place.ts';

type Prepare = { prepare(sql: string): { free(): boolean } };
let database: Prepare;

beforeAll(async () => {
  const wasm = readFileSync('node_modules/sql.js/dist/sql-wasm.wasm');
  const instantiateWasm = (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) => {
    void WebAssembly.instantiate(wasm, imports).then((it) => done(it.instance));
    return {};
  };
  const sql = await initSqlJs({ instantiateWasm });
  const opened = new sql.Database(new Uint8Array());
  opened.run('create table slices (id, name, dur); create table names (id, name)');
  database = opened;
});

function errorOf(text: string): string | null {
  try {
    database.prepare(text).free();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The query with brackets around what is marked, as SQLite has it. */
function marked(query: string): string {
  const message = errorOf(query);
  if (message === null) return 'no error';
  const place = placeOfError(query, message, errorOf);
  if (!place) return `no place: ${message}`;
  const { at, length } = place;
  return `${query.slice(0, at)}[${query.slice(at, at + length)}]${query.slice(at + length)}`;
}

describe('the place of an error', () => {
  it('is the token that fits nowhere, not an earlier one that is alike', () => {
    expect(marked('select name from slices where name = 1 from names')).toBe(
      'select name from slices where name = 1 [from] names',
    );
    expect(marked('select (dur, from slices')).toBe('select (dur, [from] slices');
    expect(marked("select 'from' form slices")).toBe("select 'from' form [slices]");
    expect(marked('select 1 @ 2')).toBe('select 1 [@] 2');
    expect(marked('select dur,\n  name,\nfrom slices')).toBe('select dur,\n  name,\n[from] slices');
  });
  it('is the end of a query that is incomplete', () => {
    expect(marked('select (1 ')).toBe('select ([1] ');
  });
  it('is the name that is unknown or ambiguous, outside of texts', () => {
    expect(marked("select 'nam', nam from slices")).toBe("select 'nam', [nam] from slices");
    expect(marked('select s.nam from slices s')).toBe('select [s.nam] from slices s');
    expect(marked('select 1 from slice')).toBe('select 1 from [slice]');
    expect(marked('select 1 from main.slice')).toBe('select 1 from [main.slice]');
    expect(marked('select name from slices, names')).toBe('select [name] from slices, names');
    expect(marked('select summ(dur) from slices')).toBe('select [summ](dur) from slices');
    expect(marked('select dur from slices where sum(dur) > 1')).toBe('select dur from slices where [sum](dur) > 1');
    expect(marked('select round() from slices')).toBe('select [round]() from slices');
  });
  it('is nowhere for other errors', () => {
    expect(marked('select 1 union select 1, 2')).toMatch(/^no place: SELECTs/);
  });
});
