import { describe, expect, it } from 'vitest';
import { barsOf, chartOf, lineOf, MOST_BARS, numberColumns, unitOf } from './sql_chart.ts';

describe('charts', () => {
  it('show a text and a number as bars, many numbers as a line', () => {
    const names = ['id', 'name', 'calls'];
    expect(chartOf(names, [[1n, 'a', 5n]])).toEqual({ x: 1, y: 2, kind: 'bars' });
    const rows = Array.from({ length: 100 }, (_, i) => [BigInt(i), 2 * i]);
    expect(chartOf(['start', 'dur'], rows)).toEqual({ x: 0, y: 1, kind: 'line' });
    expect(chartOf(['tenth', 'calls'], rows.slice(0, 10))).toEqual({ x: 0, y: 1, kind: 'bars' });
    expect(chartOf(['id', 'name', 'start', 'dur'], [[1n, 'a', 5n, 2n]])).toEqual({ x: 1, y: 3, kind: 'bars' });
    expect(chartOf(['name', 'start_s'], [['a', 0.5]])).toEqual({ x: 0, y: 1, kind: 'bars' });
    expect(chartOf(['name'], [['a']])).toBe(null);
    expect(chartOf(['a'], [])).toBe(null);
    expect(
      numberColumns(names, [
        [1n, 'a', null],
        [2n, 'b', 1.5],
      ]),
    ).toEqual([0, 2]);
  });
  it('have bars from 0 to their values, in the order of the rows', () => {
    const rows = [
      ['a', 30n],
      ['b', null],
      ['c', -10],
      ['d', 10n],
    ];
    const bars = barsOf(rows, [3, 0, 1, 2], { x: 0, y: 1, kind: 'bars' });
    expect(bars.map(({ label, from, length }) => [label, from, length])).toEqual([
      ['d', 0.25, 0.25],
      ['a', 0.25, 0.75],
      ['c', 0, 0.25],
    ]);
    const many = Array.from({ length: 500 }, (_, i) => ['x', BigInt(i)]);
    expect(
      barsOf(
        many,
        many.map((_, i) => i),
        { x: 0, y: 1, kind: 'bars' },
      ).length,
    ).toBe(MOST_BARS);
  });
  it('have lines by x, of which the extremes of each pixel remain', () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => [BigInt(9999 - i), i === 4321 ? 1000 : i % 7]);
    const line = lineOf(rows, { x: 0, y: 1, kind: 'line' }, 100)!;
    expect(line.points.length).toBeLessThanOrEqual(404);
    expect([line.x, line.y]).toEqual([
      [0, 9999],
      [0, 1000],
    ]);
    expect(line.points.filter((point) => point.y === 1).map((point) => point.row)).toEqual([4321]);
    expect(line.points.every((point, i, all) => i === 0 || all[i - 1]!.x <= point.x)).toBe(true);
    expect(lineOf([[null, 1n]], { x: 0, y: 1, kind: 'line' }, 100)).toBe(null);
    expect(lineOf([[5n, 3n]], { x: 0, y: 1, kind: 'line' }, 100)!.points).toEqual([{ row: 0, x: 0, y: 0.5 }]);
  });
});

it('say the unit of values by the name of their column', () => {
  expect(['dur', 'dur_s', 'pause_s', 'seconds', 'bytes', 'calls'].map((name) => unitOf(name, 'ticks'))).toEqual([
    ' ticks',
    ' s',
    ' s',
    ' s',
    ' bytes',
    '',
  ]);
  expect(unitOf('dur', '')).toBe('');
});
