import { describe, expect, it } from 'vitest';
import type { Functions } from '../base/protocol.ts';
import { functionRows, idleColumns, type Sort, sortedBy } from './functions.ts';
import { createNames } from './names.ts';

const names = createNames();
names.add(0, ['read', 'f 10', 'f 9', 'Write'], null);
const columns = (total: readonly number[]): Functions => {
  const column = Float64Array.from(total);
  return {
    length: total.length,
    name: Uint32Array.from(total.keys()),
    count: column.map((value) => -value),
    total: column,
    self: column,
    min: column,
    median: column,
    p90: column,
    p99: column,
    max: column,
  };
};
const rows = (sort: Sort, filter = '') => [...functionRows(columns([5, 7, 7, 1]), names, sort, filter)];

describe('the table of functions', () => {
  it('sorts by numbers, ties in the order of ids', () => {
    expect(rows({ by: 'total', descending: true })).toEqual([1, 2, 0, 3]);
    expect(rows({ by: 'total', descending: false })).toEqual([3, 0, 1, 2]);
    expect(rows({ by: 'count', descending: true })).toEqual([3, 0, 1, 2]);
  });
  it('sorts numbers in names numerically', () => {
    expect(rows({ by: 'name', descending: false })).toEqual([2, 1, 0, 3]);
    expect(rows({ by: 'name', descending: true })).toEqual([3, 0, 1, 2]);
  });
  it('filters by text, ignoring case', () => {
    expect(rows({ by: 'total', descending: true }, ' R')).toEqual([0, 3]);
    expect(rows({ by: 'total', descending: true }, 'nothing')).toEqual([]);
  });
  it('reverses the order at a second click on a head', () => {
    const first = sortedBy({ by: 'total', descending: true }, 'name');
    expect(first).toEqual({ by: 'name', descending: false });
    expect(sortedBy(first, 'name')).toEqual({ by: 'name', descending: true });
    expect(sortedBy(first, 'p99')).toEqual({ by: 'p99', descending: true });
  });
});

it('finds the columns that are 1 in every row', () => {
  const some = columns([1, 2]);
  const ones = Float64Array.of(1, 1);
  expect([...idleColumns({ ...some, min: ones, p90: ones })]).toEqual(['min', 'p90']);
  // The table always has names and totals.
  const all = idleColumns({ ...columns([1, 1]), count: ones });
  expect([...all].sort()).toEqual(['count', 'max', 'median', 'min', 'p90', 'p99', 'self']);
  expect(idleColumns(columns([])).size).toBe(0);
});
