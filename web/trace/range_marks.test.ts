import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import { createRangeMarks } from './range_marks.ts';

/** A picture of 100 positions in cells of `step` twice as wide, and an overview in ten buckets. */
function onScreen(step: bigint) {
  return {
    picture: signal({ from: 0n, to: 100n, step }),
    overview: signal({ from: 0n, to: 99n, buckets: 10, rows: [] }),
  } as never;
}

test('each cell that a stretch touches has a mark, once', () => {
  const marks = createRangeMarks(onScreen(20n));
  expect([marks.rows.value, marks.whole.value]).toEqual([null, null]);
  const stretches = new Map([[4, Float64Array.of(5, 5, 7, 7, 18, 41, 99, 300)]]);
  marks.set([{ about: 5, stretches }]);
  for (const found of [marks.rows.value, marks.whole.value]) {
    const [{ about, marks: of }] = found as never as [NonNullable<typeof found>[number]];
    expect([about, [...of.cell]]).toEqual([5, [0, 1, 2, 3, 4, 9]]);
    expect([of.row(4, 0), of.row(5, 0)]).toEqual([
      { first: 0, end: 6 },
      { first: 0, end: 0 },
    ]);
  }
  marks.set(null);
  expect([marks.rows.value, marks.whole.value]).toEqual([null, null]);
  marks.dispose();
});

test('what is before the picture is left out, and cells are as many as there is room for', () => {
  const screen = { picture: signal({ from: 50n, to: 60n, step: 1n }), overview: signal(null) } as never;
  const marks = createRangeMarks(screen);
  const many = Float64Array.from({ length: 200_000 }, (_, i) => i >> 1);
  marks.set([{ about: 6, stretches: new Map([[1, many]]) }]);
  expect([...(marks.rows.value?.[0]?.marks.cell ?? [])]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  marks.dispose();
});
