import { describe, expect, it } from 'vitest';
import { NO_PARENT, type TreeRows } from '../base/calls_protocol.ts';
import { keyAbove, layRows, pathKey, treeMove, treeView, typedRow } from './call_tree.ts';

/** Rows by name id, row above, total and state. The self time is 100 less the total, the count the row's number. */
const rows = (of: readonly (readonly [name: number, parent: number, total: number, state: number])[]): TreeRows => ({
  length: of.length,
  cut: 0,
  whole: 100,
  name: Uint32Array.from(of, ([name]) => name),
  parent: Uint32Array.from(of, ([, parent]) => parent),
  total: Float64Array.from(of, ([, , total]) => total),
  self: Float64Array.from(of, ([, , total]) => 100 - total),
  count: Float64Array.from(of.keys()),
  state: Uint8Array.from(of, ([, , , state]) => state),
});
const names = { shown: (id: number) => ['main', 'read 10', 'read 9', 'Write'][id] ?? '' };
// main with read 10, which has Write, and read 9; then another Write.
const tree = rows([
  [0, NO_PARENT, 70, 2],
  [1, 0, 40, 2],
  [3, 1, 5, 0],
  [2, 0, 20, 1],
  [3, NO_PARENT, 30, 0],
]);
const figures = (by: string) => (by === 'name' ? null : tree[by as 'total' | 'self' | 'count']);
const laid = layRows(tree, figures, { by: 'total', descending: true }, names);

describe('the call tree', () => {
  it('lists each row before those below it, with its place', () => {
    expect(laid.map(({ key, level, position, siblings, state }) => [key, level, position, siblings, state])).toEqual([
      ['0', 1, 1, 2, 'open'],
      ['0 1', 2, 1, 2, 'open'],
      ['0 1 3', 3, 1, 1, 'leaf'],
      ['0 2', 2, 2, 2, 'closed'],
      ['3', 1, 2, 2, 'leaf'],
    ]);
  });
  it('sorts rows that are below the same row', () => {
    const order = (by: 'name' | 'total' | 'self' | 'count', descending: boolean) =>
      layRows(tree, figures, { by, descending }, names).map(({ key }) => key);
    expect(order('self', true)).toEqual(['3', '0', '0 2', '0 1', '0 1 3']);
    expect(order('count', true)).toEqual(['3', '0', '0 2', '0 1', '0 1 3']);
    expect(order('name', false)).toEqual(['0', '0 2', '0 1', '0 1 3', '3']);
  });
  it('asks for open rows from the outermost on, without those below closed ones', () => {
    const { parents, names: ids, everything } = treeView(true, new Set(['0 1 3', '0', '0 1', '2 3']), '0 1');
    expect([[...parents], [...ids], everything]).toEqual([[0, 1, 2], [0, 1, 3], 2]);
    expect(treeView(false, new Set(), '').everything).toBe(0);
    expect(treeView(false, new Set(), null).everything).toBeNull();
  });
  it('has paths as texts', () => {
    expect([pathKey([4, 7]), keyAbove('4 7 9'), keyAbove('4')]).toEqual(['4 7', '4 7', '']);
  });
  it('moves as a tree does', () => {
    const move = (current: number, key: string) => treeMove(laid, current, key);
    // Right opens, then goes to the first row below; left closes, then goes to the row above.
    expect(move(3, 'ArrowRight')).toEqual({ to: 'open', key: '0 2' });
    expect(move(1, 'ArrowRight')).toEqual({ to: 'row', row: 2 });
    expect(move(2, 'ArrowRight')).toBeNull();
    expect(move(1, 'ArrowLeft')).toEqual({ to: 'close', key: '0 1' });
    expect(move(3, 'ArrowLeft')).toEqual({ to: 'row', row: 0 });
    expect([move(4, 'ArrowLeft'), move(4, 'x'), treeMove([], -1, 'ArrowRight')]).toEqual([null, null, null]);
  });
  it('finds the next row by the letters of its name', () => {
    const typed = (from: number, text: string) => typedRow(laid, from, text, (i) => names.shown(tree.name[i]!));
    expect([typed(0, 're'), typed(2, 're'), typed(4, 'WR'), typed(0, 'wr'), typed(0, 'x')]).toEqual([1, 3, 4, 2, -1]);
    expect(typedRow([], 0, 'a', () => '')).toBe(-1);
  });
});
