import { mentions, type NamedTable, tablesNamed } from '../../base/sql.ts';
import { TABLES } from './sql_tables.ts';

/** Tables that are made when a query names them. */
const DETAIL_TABLES = ['records', 'fields'];

/** Which traces a query is about: the one that it is asked of, the one that is compared with it, or both. */
export type About = 'own' | 'other' | 'both';

/** What a query needs of a trace: its tables, and perhaps its records. Side 1 is the one that is compared. */
export interface Need {
  readonly side: 0 | 1;
  readonly records: boolean;
}

/** What a query needs. `own` and `other` are the schemas of the traces; `other` is null if there is one trace. */
export function needsOf(
  sql: string,
  own: string,
  other: string | null,
): { readonly needs: readonly Need[]; readonly about: About } {
  const isDetailed = mentions(sql, DETAIL_TABLES);
  if (other === null) return { needs: [{ side: 0, records: isDetailed }], about: 'own' };
  const named = tablesNamed(sql).filter(({ table }) => table in TABLES || table.startsWith('sqlite_'));
  const of = (...schemas: string[]) => named.filter(({ schema }) => schemas.includes(schema));
  const withRecords = (tables: readonly NamedTable[]) =>
    isDetailed && tables.some(({ table }) => DETAIL_TABLES.includes(table));
  const [mine, others] = [of('', own), of(other)];
  // The tables of the trace itself are those that queries are run on.
  const first: Need = { side: 0, records: withRecords(mine) };
  if (others.length === 0) return { needs: [first], about: 'own' };
  const needs: readonly Need[] = [first, { side: 1, records: withRecords(others) }];
  return { needs, about: mine.length === 0 ? 'other' : 'both' };
}
