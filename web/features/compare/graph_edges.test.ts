import { expect, it } from 'vitest';
import { NO_PARENT, type TreeRows } from '../../base/calls_protocol.ts';
import type { Compared } from './comparison.ts';
import { bothGraph, changeOf, joinedEdges } from './graph_edges.ts';

/** Edges from name ids of callers and callees, counts and total times, which are self times, too. */
function edges(...of: readonly (readonly [caller: number, callee: number, count: number, total: number])[]): TreeRows {
  const total = Float64Array.from(of, ([, , , total]) => total);
  return {
    length: of.length,
    cut: 0,
    whole: 0,
    parent: Uint32Array.from(of, ([caller]) => caller),
    name: Uint32Array.from(of, ([, callee]) => callee),
    count: Float64Array.from(of, ([, , count]) => count),
    total,
    self: total,
    state: new Uint8Array(of.length),
  };
}

// Rows main, f, gone; in A the names 5, 6, 7, in B 9 and 8.
const figures = (...total: readonly number[]) => ({ count: total, total, self: total });
const COMPARED = {
  rows: {
    length: 3,
    a: Int32Array.of(0, 1, 2),
    b: Int32Array.of(1, 0, -1),
  },
  a: { functions: { name: Uint32Array.of(5, 6, 7), ...figures(100, 40, 60) } },
  b: { functions: { name: Uint32Array.of(8, 9), ...figures(35, 35) } },
} as unknown as Compared;
const A = edges([NO_PARENT, 5, 1, 100], [5, 6, 4, 40], [5, 7, 2, 60]);
const B = edges([NO_PARENT, 9, 1, 35], [9, 8, 5, 35], [8, 8, 1, 2]);

it('joins edges by the names of caller and callee, with times of B in ticks of A', () => {
  const joined = joinedEdges(COMPARED, A, B, 2);
  expect(joined.map(({ caller, callee, a, b }) => [caller, callee, a?.total, b?.total])).toEqual([
    [-1, 0, 100, 70],
    [0, 1, 40, 70],
    [0, 2, 60, undefined],
    [1, 1, undefined, 4],
  ]);
  expect(joined.map(changeOf)).toEqual([-30, 30, -60, 4]);
  // Widths are those of the larger one.
  expect(joined.map(({ count, total }) => [count, total])).toEqual([
    [1, 100],
    [5, 70],
    [2, 60],
    [1, 4],
  ]);
});

it('has what changed most first, or what is heaviest', () => {
  const joined = joinedEdges(COMPARED, A, B, 2);
  const order = (by: 'change' | 'total') =>
    bothGraph(COMPARED, joined, by, 2).edges.map(({ caller, callee }) => `${caller} ${callee}`);
  expect(order('change')).toEqual(['0 2', '0 1', '-1 0', '1 1']);
  expect(order('total')).toEqual(['-1 0', '0 1', '0 2', '1 1']);
  const { nodes, whole } = bothGraph(COMPARED, joined, 'change', 2);
  expect([...nodes.values()].map(({ total }) => total)).toEqual([100, 70, 60]);
  expect(whole).toBe(100);
});
