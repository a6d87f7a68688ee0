import { expect, it } from 'vitest';
import { needsOf } from './sql_needs.ts';

/** The sides that a query asked of B needs, those with records marked, and which traces it is about. */
const of = (sql: string, other: string | null = 'a') => {
  const { needs, about } = needsOf(sql, 'b', other);
  return [needs.map(({ side, records }) => `${side}${records ? ' records' : ''}`).join(), about];
};

it('queries need the other trace only if they name its tables', () => {
  expect(of('select 1')).toEqual(['0', 'own']);
  expect(of('select * from slices a, slices b where a.depth = b.depth')).toEqual(['0', 'own']);
  expect(of('select * from b.slices')).toEqual(['0', 'own']);
  expect(of('select * from A.Slices')).toEqual(['0,1', 'other']);
  expect(of('select * from "a"."slices" x join [b].names y')).toEqual(['0,1', 'both']);
  expect(of("select 'from a.slices' -- join a.names")).toEqual(['0', 'own']);
  expect(of('select name from a.sqlite_schema')).toEqual(['0,1', 'other']);
  expect(of('select * from (select 1 from a . slices) join slices')).toEqual(['0,1', 'both']);
});

it('records are those of the traces whose tables are named', () => {
  expect(of('select * from records')).toEqual(['0 records', 'own']);
  expect(of('select * from a.records join a.fields')).toEqual(['0,1 records', 'other']);
  expect(of('select * from b.fields, a.records')).toEqual(['0 records,1 records', 'both']);
  expect(of('select * from a.slices join records')).toEqual(['0 records,1', 'both']);
  // Alone, there are no schemas.
  expect(of('select count(*) from records', null)).toEqual(['0 records', 'own']);
});
