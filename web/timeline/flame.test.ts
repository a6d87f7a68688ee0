import { describe, expect, it } from 'vitest';
import { type Flame, NO_NAME } from '../base/protocol.ts';
import { canFocus, flameIndex, flamePath, flameStep, layOutFlame, nodeAt } from './flame.ts';

const flame = (focus: number, nodes: readonly (readonly [name: number, parent: number, total: number])[]): Flame => ({
  length: nodes.length,
  focus,
  partial: false,
  name: Uint32Array.from(nodes, ([name]) => name),
  parent: Uint32Array.from(nodes, ([, parent]) => parent),
  total: Float64Array.from(nodes, ([, , total]) => total),
  self: Float64Array.from(nodes, () => 1),
  count: Float64Array.from(nodes, () => 1),
});
// The root; a with the callees b, c and a merged group; d, a sibling of a.
const whole = layOutFlame(
  flame(0, [
    [NO_NAME, 0, 100],
    [11, 0, 70],
    [12, 1, 30],
    [15, 2, 10],
    [13, 1, 20],
    [NO_NAME, 1, 5],
    [14, 0, 30],
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
        [NO_NAME, 0, 100],
        [11, 0, 70],
        [13, 1, 20],
        [14, 2, 15],
      ]),
    );
    expect([...laid.end]).toEqual([20, 20, 20, 15]);
    expect(laid.width).toBe(20);
    expect(laid.rows[1]!.fill[0]).toBeLessThan(255);
    expect(laid.rows[2]!.fill[0]).toBe(255);
  });
  it('leaves out the first rows', () => {
    const laid = layOutFlame(whole.flame, 1);
    expect([...laid.row]).toEqual([-1, 0, 1, 2, 1, 1, 0]);
    expect(laid.rows.map((row) => [[...row.index], row.nameless])).toEqual([
      [[1, 6], []],
      [[2, 4], [5]],
      [[3], []],
    ]);
    expect([flameStep(laid, 1, 'caller'), flameStep(laid, 0, 'callee'), nodeAt(laid, 0, 0.9, 0)]).toEqual([1, 1, 6]);
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
  it('has merged nodes that cannot be in focus', () => {
    expect([5, 4, 0, -1, 7].map((i) => canFocus(whole.flame, i))).toEqual([false, true, true, false, false]);
  });
  it('finds nodes by their names from the root', () => {
    expect([0, 1, 3, 4, 6].map((i) => flamePath(whole.flame, i))).toEqual([[], [11], [11, 12, 15], [11, 13], [14]]);
    for (const i of [0, 1, 3, 4, 6]) expect(flameIndex(whole.flame, flamePath(whole.flame, i))).toBe(i);
    expect(flameIndex(whole.flame, [11, 15])).toBe(-1);
  });
});
