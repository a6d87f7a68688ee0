import { expect, it } from 'vitest';
import type { RecordColumn } from '../../base/protocol.ts';
import { canSort, nextSort, sortQuery } from './sorting.tsx';

const column = (label: string, shows: RecordColumn['shows'], key?: string) =>
  ({ label, shows, ...(key === undefined ? {} : { key }) }) as RecordColumn;
const [position, name, value] = [
  column('Step', 'position'),
  column('Function', 'name'),
  column('It’s', 'field', "a'b"),
];

it('a click on a head sorts upwards, then downwards, then as the trace has it', () => {
  const up = nextSort(null, name);
  expect([up?.column.label, up?.descending]).toEqual(['Function', false]);
  const down = nextSort(up, name);
  expect([down?.column.label, down?.descending]).toEqual(['Function', true]);
  expect(nextSort(down, name)).toBe(null);
  expect(nextSort(down, value)?.descending).toBe(false);
  // The list begins in the order of positions.
  const last = nextSort(null, position);
  expect([last?.column.label, last?.descending]).toEqual(['Step', true]);
  expect(nextSort(last, position)).toBe(null);
  expect([canSort(position), canSort(column('Other', 'rest'))]).toEqual([true, false]);
});

it('a list that is too long is sorted by a query', () => {
  expect(sortQuery({ column: name, descending: true })).toBe(
    'select id as record, time, track, name from records order by name desc limit 1000',
  );
  expect(sortQuery({ column: value, descending: false })).toContain("f.key = 'a''b'\norder by f.value limit 1000");
});
