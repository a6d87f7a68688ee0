import { describe, expect, it } from 'vitest';
import { byTurns } from '../../base/portions.fixture.ts';
import { inTurns, PORTION } from '../../base/portions.ts';
import type { Functions } from '../../base/protocol.ts';
import { createNames } from '../../trace/names.ts';
import { functionRows, partWords, type Sort, sortedBy, tellingColumns, wholeOf } from './functions.ts';

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
    rounded: new Uint8Array(total.length),
    bytes: column,
  };
};
const rows = (sort: Sort, holds = (_: number) => true): number[] => {
  let listed: number[] = [];
  inTurns(functionRows(columns([5, 7, 7, 1]), names, sort, holds), (all) => {
    listed = [...all];
  });
  return listed;
};

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
  it('lists the functions that a filter leaves', () => {
    expect(rows({ by: 'total', descending: true }, (name) => name % 3 === 0)).toEqual([0, 3]);
    expect(rows({ by: 'total', descending: true }, () => false)).toEqual([]);
  });
  it('compares a portion of many names in a turn', () => {
    const total = Array.from({ length: 3 * PORTION }, (_, i) => i);
    let reads = 0;
    const shown = (name: number) => {
      reads += 1;
      return `f ${name % 1000}`;
    };
    const work = functionRows(columns(total), { ...names, shown }, { by: 'name', descending: false }, () => true);
    const { result, most } = byTurns(work, () => reads);
    expect([...result.subarray(0, 4)]).toEqual([0, 1000, 2000, 3000]);
    // A comparison reads two.
    expect(most).toBeLessThan(3 * PORTION);
  });
  it('counts all functions that a filter leaves, also those without a row', () => {
    const first = ', the first 100,000 shown';
    expect(partWords(300_000, 300_000, '_x')).toEqual({ of: '', cut: first });
    expect(partWords(274_946, 300_000, 'self>1us')).toEqual({ of: '274,946 of ', cut: first });
    expect(partWords(100_000, 300_000, 'x')).toEqual({ of: '100,000 of ', cut: '' });
    expect(partWords(4, 4, '')).toEqual({ of: '', cut: '' });
  });
  it('reverses the order at a second click on a head', () => {
    const first = sortedBy({ by: 'total', descending: true }, 'name');
    expect(first).toEqual({ by: 'name', descending: false });
    expect(sortedBy(first, 'name')).toEqual({ by: 'name', descending: true });
    expect(sortedBy(first, 'p99')).toEqual({ by: 'p99', descending: true });
  });
  it('leaves out columns that repeat others', () => {
    const of = (more: Partial<Record<keyof Functions, readonly number[]>>): Functions => {
      const columns = { count: [2, 3], total: [9, 9], self: [5, 9], min: [1, 3], max: [4, 3], bytes: [0, 0], ...more };
      const column = (values: readonly number[]) => Float64Array.from(values);
      const [count, total, self] = [column(columns.count), column(columns.total), column(columns.self)];
      const [min, max] = [column(columns.min), column(columns.max)];
      const [median, p90, p99, bytes] = [min, max, max, column(columns.bytes)];
      const rounded = new Uint8Array(2);
      return { length: 2, name: Uint32Array.of(0, 1), count, total, self, min, median, p90, p99, max, rounded, bytes };
    };
    const DURATIONS = ['min', 'median', 'p90', 'p99', 'max'];
    expect(tellingColumns(of({}))).toEqual(['name', 'count', 'total', 'share', 'self', ...DURATIONS]);
    expect(tellingColumns(of({ self: [9, 9] }))).toEqual(['name', 'count', 'total', 'share', ...DURATIONS]);
    // Each call takes as long as any other of its function.
    expect(tellingColumns(of({ min: [1, 3], max: [1, 3] }))).toEqual(['name', 'count', 'total', 'share', 'self']);
    // Each call of a trace that counts calls is one long.
    const ones = { total: [2, 3], self: [2, 3], min: [1, 1], max: [1, 1] };
    expect(tellingColumns(of(ones))).toEqual(['name', 'count', 'share']);
    expect(tellingColumns(of({ ...ones, bytes: [0, 7] }))).toEqual(['name', 'count', 'share', 'bytes']);
    // Nothing takes any time.
    const zeros = { total: [0, 0], self: [0, 0], min: [0, 0], max: [0, 0] };
    expect(tellingColumns(of(zeros))).toEqual(['name', 'count']);
    // Each name is that of one slice.
    expect(tellingColumns(of({ ...ones, count: [1, 1] }))).toEqual(['name', 'total', 'share']);
    expect(wholeOf(of({}))).toBe(14);
  });
});
