import { expect, test } from 'vitest';
import { alignRows } from './aligned_rows.ts';
import type { Thread } from './records.ts';

const thread = (
  lengths: readonly [number, number],
  alike: readonly number[] = [],
  leftOut: readonly [readonly number[], readonly number[]] = [[], []],
): Thread => ({
  tracks: [1, 1],
  lengths,
  leftOut: [Uint32Array.from(leftOut[0]), Uint32Array.from(leftOut[1])],
  first: 0,
  end: 0,
  alike: Uint32Array.from(alike),
  alone: [new Uint32Array(), new Uint32Array()],
  positions: [null, null],
});

const SIGNS = { same: ' ', alike: '~', only: '!', 'left-out': 'x' };
const rowsOf = (...of: Parameters<typeof alignRows>) => {
  const rows = alignRows(...of);
  return Array.from({ length: rows.count }, (_, number) => {
    const { a, b, how } = rows.row(number);
    return `${a ?? '-'}${SIGNS[how]}${b ?? '-'}`;
  });
};

test('a record without a counterpart has a gap beside it', () => {
  expect(
    rowsOf(thread([4, 4]), [
      { a: [1, 2], b: [1, 1] },
      { a: [3, 3], b: [2, 3] },
    ]),
  ).toEqual(['0 0', '1!-', '2 1', '-!2', '3 3']);
});

test('records that differ in arguments stand beside each other, and the others of a difference do not', () => {
  const hunk = { a: [1, 5], b: [1, 4] } as const;
  expect(rowsOf(thread([6, 5], [1, 1, 1, 3, 2, 2]), [hunk])).toEqual(['0 0', '1~1', '2!-', '3~2', '4~3', '5 4']);
});

test('records that are ignored are beside each other, or alone', () => {
  const rows = rowsOf(
    thread(
      [5, 7],
      [2, 3, 1],
      [
        [1, 4],
        [1, 2, 5],
      ],
    ),
    [{ a: [2, 3], b: [3, 5] }],
  );
  expect(rows).toEqual(['0 0', '1x1', '-x2', '2~3', '-!4', '-x5', '3 6', '4x-']);
});

test('a thread that one trace lacks is all gaps, and without differences there is none', () => {
  expect(rowsOf(thread([0, 2]), [{ a: [0, 0], b: [0, 2] }])).toEqual(['-!0', '-!1']);
  expect(rowsOf(thread([2, 2]), [])).toEqual(['0 0', '1 1']);
  expect(rowsOf(thread([0, 0]), [])).toEqual([]);
});

test('millions of rows need no memory of their own, and a difference is found among them', () => {
  const rows = alignRows(thread([10_000_001, 10_000_000]), [{ a: [7_000_000, 7_000_001], b: [7_000_000, 7_000_000] }]);
  expect(rows.count).toBe(10_000_001);
  expect(rows.row(9_999_999)).toEqual({ a: 9_999_999, b: 9_999_998, how: 'same' });
  expect([rows.rowOf(7_000_000, 7_000_000), rows.rowOf(8, 8)]).toEqual([7_000_000, 8]);
});

test('a difference begins where the first of its records is', () => {
  const rows = alignRows(thread([4, 4]), [
    { a: [1, 2], b: [1, 1] },
    { a: [3, 3], b: [2, 3] },
  ]);
  expect([rows.rowOf(1, 1), rows.rowOf(3, 2), rows.rowOf(4, 4)]).toEqual([1, 3, 5]);
});
