import { expect, it } from 'vitest';
import type { StatementColumns } from '../../base/values_protocol.ts';
import { givenName, statementName } from '../../trace/statement_names.ts';
import { isStatement } from '../../trace/wanted_statement.ts';
import { heatOf, sorted, statementNamed, tellingStatement } from './statements.ts';

const columns: StatementColumns = {
  named: Uint8Array.of(1, 1, 0, 1),
  file: Int32Array.of(7, -1, -1, 7),
  place: BigUint64Array.of(2n ** 39n, 5n, 0n, 3n),
  count: Float64Array.of(4, 9, 4, 1),
  first: Float64Array.of(0, 1, 2, 3),
  last: Float64Array.of(9, 8, 7, 3),
  track: Uint32Array.of(1, 2, 2, 1),
  heat: Uint32Array.of(4, 0, 3, 6, 2, 2, 0, 1),
  cells: 2,
};

const names = { inPlaceOf: (text: string) => (text === 'statement 7:3' ? 'swap (sort.c:12)' : text) };
const nameOf = (number: number) => givenName(names, columns, number);

it('sorts by any column, equal ones in the order of the trace', () => {
  expect([...sorted(columns, 'count', true, nameOf)]).toEqual([1, 0, 2, 3]);
  expect([...sorted(columns, 'last', false, nameOf)]).toEqual([3, 2, 1, 0]);
  expect([...sorted(columns, 'statement', false, nameOf)]).toEqual([2, 1, 3, 0]);
  expect([...sorted(columns, 'name', true, nameOf)]).toEqual([3, 0, 1, 2]);
});

it('finds a statement at which something holds each time, of those that are reached most often', async () => {
  const asking = (telling: number) => {
    const asked: number[] = [];
    const values = {
      table: async (statement: number) => {
        asked.push(statement);
        return { columns: [], rows: 0, count: 0 };
      },
      invariants: async () => (asked.at(-1) === telling ? [{}] : []),
    };
    const records = { aboutValues: (ask: (of: typeof values) => unknown) => ask(values) };
    return { asked, trace: { records } as unknown as Parameters<typeof tellingStatement>[0] };
  };
  const { asked, trace } = asking(2);
  expect(await tellingStatement(trace, columns)).toBe(2);
  expect(asked).toEqual([1, 0, 2]);
  // Without any, the one that is reached most often.
  expect(await tellingStatement(asking(-1).trace, columns)).toBe(1);
});

it('names statements by file and index', () => {
  expect([0, 1, 2, 3].map((n) => statementName(columns, n))).toEqual(['7:549755813888', '5', 'no statement', '7:3']);
});

it('finds statements by their names in the file', () => {
  expect(
    ['statement 7:3', 'statement 5', 'statement 3', 'no statement'].map((own) => statementNamed(columns, own)),
  ).toEqual([3, 1, -1, -1]);
  expect(['statement 7:3', 'statement 5', 'no statement', 'statement 5 (incomplete)'].map(isStatement)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('relates heat to the darkest cell of the statement', () => {
  expect(heatOf(columns, 0)).toEqual([1, 0]);
  expect(heatOf(columns, 1)[0]).toBeCloseTo(0.15 + 0.425);
});
