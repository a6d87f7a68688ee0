import { describe, expect, it } from 'vitest';
import { type Flame, NO_NAME, NO_NODE } from '../base/protocol.ts';
import { canFocus, flameStep, layOutFlame, nodeAt } from './flame.ts';

const flame = (
  focus: number,
  nodes: readonly (readonly [node: number, name: number, parent: number, total: number])[],
): Flame => ({
  length: nodes.length,
  focus,
  node: Uint32Array.from(nodes, ([node]) => node),
  name: Uint32Array.from(nodes, ([, name]) => name),
  parent: Uint32Array.from(nodes, ([, , parent]) => parent),
  total: Float64Array.from(nodes, ([, , , total]) => total),
  self: Float64Array.from(nodes, () => 1),
  count: Float64Array.from(nodes, () => 1),
});
// The root; a with the callees b, c and a merged group; d, a sibling of a.
const whole = layOutFlame(
  flame(0, [
    [0, NO_NAME, 0, 100],
    [1, 11, 0, 70],
    [2, 12, 1, 30],
    [5, 15, 2, 10],
    [3, 13, 1, 20],
    [NO_NODE, NO_NAME, 1, 5],
    [4, 14, 0, 30],
  ]),
);

describe('a flame graph', () => {
  it('puts callees side by side below their caller', () => {
    expect([...whole.row]).toEqual([0, 1, 2, 3, 2, 2, 1]);
    expect([...whole.start]).toEqual([0, 0, 0, 0, 30, 50, 70]);
    expect([...whole.end]).toEqual([100, 70, 30, 10, 50, 55, 100]);
    expect(whole.rows.map((row) => [[...row.index], row.nameless])).toEqual([
      [[], [0]],
      [[1, 6], []],
      [[2, 4], [5]],
      [[3], []],
    ]);
  });
  it('gives the focus and its callers the full width', () => {
    const laid = layOutFlame(
      flame(2, [
        [0, NO_NAME, 0, 100],
        [1, 11, 0, 70],
        [3, 13, 1, 20],
        [4, 14, 2, 15],
      ]),
    );
    expect([...laid.end]).toEqual([20, 20, 20, 15]);
    expect(laid.width).toBe(20);
    expect(laid.rows[1]!.fill[0]).toBeLessThan(255);
    expect(laid.rows[2]!.fill[0]).toBe(255);
  });
  it('finds the node at a place', () => {
    const at = (row: number, x: number) => nodeAt(whole, row, x, 0.01);
    expect([at(0, 0.5), at(1, 0.69), at(1, 0.71), at(2, 0.4), at(2, 0.52), at(2, 0.6), at(9, 0)]).toEqual([
      0, 1, 6, 4, 5, -1, -1,
    ]);
    expect(at(3, 0.105)).toBe(3);
  });
  it('moves the keyboard cursor step by step', () => {
    const to = (from: number, step: Parameters<typeof flameStep>[2]) => flameStep(whole, from, step);
    expect([to(0, 'callee'), to(1, 'callee'), to(3, 'callee'), to(6, 'callee')]).toEqual([1, 2, 3, 6]);
    expect([to(0, 'caller'), to(5, 'caller')]).toEqual([0, 1]);
    expect([to(1, 'next'), to(2, 'next'), to(6, 'next'), to(4, 'previous'), to(2, 'previous')]).toEqual([
      6, 4, 6, 2, 2,
    ]);
  });
  it('has merged nodes that are not in the call tree', () => {
    expect([canFocus(whole.flame, 5), canFocus(whole.flame, 4), canFocus(whole.flame, -1)]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
