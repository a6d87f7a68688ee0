import { describe, expect, it } from 'vitest';
import { ticks } from '../../base/ticks.ts';
import type { Marks } from '../../trace/marks.ts';
import { placeMarks, withinShapes } from './marks.ts';

/** The marks of cells with counts, a CSS pixel a cell, as `x+width:level`. */
function placed(cells: readonly (readonly [cell: number, count: number])[], cell = 1, offset = 0): string[] {
  const marks: Marks = {
    name: 0,
    from: ticks(0n),
    step: 1n,
    cell: Uint32Array.from(cells, ([at]) => at),
    count: Uint32Array.from(cells, ([, count]) => count),
    row: () => ({ first: 0, end: cells.length }),
  };
  const found: string[] = [];
  placeMarks(marks, { first: 0, end: cells.length }, offset, cell, 100, (x, width, level) =>
    found.push(`${x}+${width}:${level}`),
  );
  return found;
}

describe('the places of marks', () => {
  it('are two pixels wide, of a level by count', () => {
    const counts = [
      [2, 1],
      [10, 2],
      [20, 5],
      [30, 1000],
    ] as const;
    expect(placed(counts)).toEqual(['2+2:0', '10+2:1', '20+2:2', '30+2:3']);
  });
  it('join where they touch', () => {
    const run = Array.from({ length: 40 }, (_, i) => [i, 1] as const);
    expect(placed(run)).toEqual(['0+41:0']);
    expect(placed(run, 0.25)).toEqual(['0+11:0']);
  });
  it('leave room for the denser one', () => {
    expect(
      placed([
        [5, 9],
        [6, 1],
      ]),
    ).toEqual(['5+2:2', '7+1:0']);
    expect(
      placed([
        [5, 1],
        [6, 9],
      ]),
    ).toEqual(['5+1:0', '6+2:2']);
  });
  it('outside of the window are left out', () => {
    const everywhere = Array.from({ length: 4000 }, (_, i) => [i, 1] as const);
    expect(placed(everywhere, 1, -2000)).toEqual(['-2+104:0']);
  });
});

describe('marks within shapes', () => {
  /** Marks of shapes, a CSS pixel a tick. */
  const cut = (shapes: readonly (readonly [start: number, end: number])[], x: number, width: number): string[] => {
    const columns = {
      start: Float64Array.from(shapes, ([start]) => start),
      end: Float64Array.from(shapes, ([, end]) => end),
      name: new Uint32Array(shapes.length),
      index: new Uint32Array(shapes.length),
      fill: new Uint8Array(shapes.length),
    };
    const found: string[] = [];
    const put = withinShapes(columns, { first: 0, end: shapes.length }, { offset: 0, scale: 1 }, (at, wide) =>
      found.push(`${at}+${wide}`),
    );
    put(x, width, 0);
    return found;
  };
  it('leave out what is between two slices', () => {
    expect(
      cut(
        [
          [0, 10],
          [20, 40],
          [40, 60],
        ],
        5,
        45,
      ),
    ).toEqual(['5+4', '20+19', '40+10']);
  });
  it('join where slices are too narrow for a gap', () => {
    expect(
      cut(
        [
          [10, 11],
          [11, 12],
          [12, 13],
          [50, 51],
        ],
        10,
        50,
      ),
    ).toEqual(['10+5', '50+3']);
  });
  it('stay to be seen without a slice below them', () => {
    expect(cut([[0, 10]], 20, 30)).toEqual(['20+3']);
    expect(cut([], 20, 2)).toEqual(['20+2']);
  });
});
