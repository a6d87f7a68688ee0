import { expect, it } from 'vitest';
import type { FrameColumns } from '../base/survey_protocol.ts';
import { FIGURES, MEASURES } from '../base/survey_protocol.ts';
import { mostUnusual } from './calls/starts.ts';
import { heaviestOf } from './graphics/starts.ts';
import { comparable } from './values/starts.ts';

it('asks about the function whose longest call exceeds its median by most, of those with several calls', () => {
  const functions = (rows: readonly (readonly [count: number, median: number, max: number])[]) => ({
    length: rows.length,
    count: Float64Array.from(rows, ([count]) => count),
    median: Float64Array.from(rows, ([, median]) => median),
    max: Float64Array.from(rows, ([, , max]) => max),
  });
  // Of two calls, neither is unusual.
  expect(
    mostUnusual(
      functions([
        [2, 10, 900],
        [9, 400, 500],
        [9, 10, 300],
      ]),
    ),
  ).toBe(2);
  expect(mostUnusual(functions([[9, 10, 10]]))).toBe(-1);
  expect(mostUnusual(functions([]))).toBe(-1);
});

it('weighs frames by the first figure in which they differ, times first', () => {
  const frames = (own: Partial<Record<keyof FrameColumns['figures'], readonly number[]>>) =>
    ({
      count: 3,
      figures: Object.fromEntries(
        [...FIGURES, ...MEASURES].map((figure) => [figure, Float64Array.from(own[figure] ?? [0, 0, 0])]),
      ),
    }) as unknown as FrameColumns;
  const found = (own: Parameters<typeof frames>[0]) => {
    const heavy = heaviestOf(frames(own));
    return heavy && [heavy.frame, heavy.title.figure];
  };
  expect(found({ draws: [3, 3, 3], vertices: [5, 9, 5] })).toEqual([1, 'vertices']);
  expect(found({ draws: [3, 4, 3], gpuTime: [1, 1, 7] })).toEqual([2, 'gpuTime']);
  expect(found({ draws: [3, 3, 3] })).toBeNull();
});

it('compares the two numbers that are seen most often', () => {
  const moment = {} as never;
  const variable = (name: string, count: number, more = {}) => ({
    name,
    count,
    pointer: false,
    lowest: moment,
    highest: moment,
    ...more,
  });
  const all = [
    variable('p', 90, { pointer: true }),
    variable('a[0]', 80),
    variable('text', 70, { lowest: null }),
    variable('n', 20),
    variable('i', 60),
    variable('i', 50),
    variable('j', 10),
  ];
  expect(comparable(all)).toEqual(['i', 'n']);
  expect(comparable([])).toEqual([]);
});
