import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import type { FoundRecords } from '../base/find_protocol.ts';
import type { Timeline } from '../timeline/timeline.ts';
import { createAccessMarks } from './access_marks.ts';

/** Hits at some steps of a track; `branches` are bits. */
function found(x: readonly number[], track: number, branches: readonly number[]): FoundRecords {
  const none = new Uint32Array(x.length).fill(2 ** 32 - 1);
  return {
    x: BigUint64Array.from(x, BigInt),
    track: Uint32Array.from(x, () => track),
    locator: new BigUint64Array(x.length),
    branches: BigUint64Array.from(branches, BigInt),
    name: none,
    matched: none,
    texts: [],
  };
}

/** Marks over the steps from 100 to 199, in cells of 10. */
function create() {
  const picture = signal({ from: 100n, to: 200n, step: 20n });
  const overview = signal({ from: 0n, to: 999n, buckets: 10 });
  return createAccessMarks({ picture, overview } as unknown as Timeline);
}

const cells = (marks: ReturnType<typeof create>, track: number) =>
  marks.rows.value?.map(({ about, marks: { row, cell, count } }) => {
    const { first, end } = row(track, 0);
    return [about, [...cell.subarray(first, end)], [...count.subarray(first, end)]];
  });

test('marks are of a kind, by cells', () => {
  const marks = create();
  expect(marks.rows.value).toBe(null);
  marks.begin(Uint8Array.of(3, 4));
  expect(marks.rows.value).toEqual([]);
  marks.add(found([5, 99, 100, 109, 111, 199, 200], 2, [1, 1, 1, 3, 2, 1, 1]));
  marks.add(found([150], 7, [2]));
  expect(cells(marks, 2)).toEqual([
    [3, [0, 9], [2, 1]],
    [4, [0, 1], [1, 1]],
  ]);
  expect(cells(marks, 7)).toEqual([
    [3, [], []],
    [4, [5], [1]],
  ]);
  expect(cells(marks, 1)).toEqual([
    [3, [], []],
    [4, [], []],
  ]);
  expect(marks.whole.value?.map(({ marks: { step, cell } }) => [step, ...cell])).toEqual([
    [100n, 0, 1, 2],
    [100n, 1, 1],
  ]);
});

test('positions may come in any order, and beyond 32 bits', () => {
  const marks = create();
  marks.begin(Uint8Array.of(1));
  marks.add(found([180, 2 ** 40, 120], 0, [1, 1, 1]));
  expect(cells(marks, 0)).toEqual([[1, [2, 8], [1, 1]]]);
});

test('a search that is partly about something else has none', () => {
  const marks = create();
  marks.begin(Uint8Array.of(3, 0));
  marks.add(found([120], 0, [1]));
  expect(marks.rows.value).toBe(null);
  marks.begin(Uint8Array.of(3));
  marks.add(found([120], 0, [1]));
  expect(cells(marks, 0)).toEqual([[3, [2], [1]]]);
  marks.begin(null);
  expect(marks.whole.value).toBe(null);
});
