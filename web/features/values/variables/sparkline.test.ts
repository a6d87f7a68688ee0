import { expect, it } from 'vitest';
import { barsOf, marksOf } from './sparkline.tsx';

const { POSITIVE_INFINITY: INF, NaN: NAN, MAX_VALUE: MOST } = Number;
const bars = (...cells: number[]) => barsOf(Float64Array.from(cells)).map(({ x, y, height }) => [x, y, height]);

it('has a bar for each part with values, from the lowest to the highest', () => {
  expect(bars(0, 4, NAN, NAN, 2, 2)).toEqual([
    [0, 0, 16],
    [2, 8, 2],
  ]);
  expect(bars(3, 3, 3, 3)).toEqual([
    [0, 8, 2],
    [1, 8, 2],
  ]);
  expect(bars(NAN, NAN)).toEqual([]);
});

it('shows infinities at the ends of the scale of the others', () => {
  expect(bars(0, 4, 2, INF, -INF, 1, INF, INF)).toEqual([
    [0, 0, 16],
    [1, 0, 8],
    [2, 12, 4],
    [3, 0, 2],
  ]);
  expect(bars(-INF, INF)).toEqual([[0, 0, 16]]);
  // Their difference is infinite.
  expect(bars(-MOST, MOST)).toEqual([[0, 0, 16]]);
});

it('marks the parts that have a value that is not a number', () => {
  expect(marksOf(0n, 64)).toEqual([]);
  expect(marksOf((1n << 63n) | 5n, 64)).toEqual([0, 2, 63]);
});
