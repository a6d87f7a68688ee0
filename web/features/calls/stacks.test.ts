import { describe, expect, it } from 'vitest';
import { NO_PARENT, type TreeRows } from '../../base/calls_protocol.ts';
import { stackLines, stacksOf } from './stacks.ts';

/** Rows of name, index of the row above, total, self, count, and whether they are listed. */
function rows(...all: readonly (readonly [number, number, number, number, number, 0 | 1])[]): TreeRows {
  const column = (i: number) => all.map((row) => row[i]!);
  return {
    length: all.length,
    cut: 3,
    whole: 100,
    name: Uint32Array.from(column(0)),
    parent: Uint32Array.from(column(1)),
    total: Float64Array.from(column(2)),
    self: Float64Array.from(column(3)),
    count: Float64Array.from(column(4)),
    state: Uint8Array.from(column(5)),
  };
}

describe('stacks', () => {
  const given = rows([7, NO_PARENT, 100, 10, 1, 0], [8, 0, 90, 20, 5, 1], [7, 1, 70, 70, 2, 1]);
  it('are the listed rows with the names of their callers, the heaviest first', () => {
    const { stacks, cut, whole, self, count } = stacksOf(given, 'self');
    expect(stacks).toEqual([
      { key: '7 8 7', path: [7, 8, 7], total: 70, self: 70, count: 2 },
      { key: '7 8', path: [7, 8], total: 90, self: 20, count: 5 },
    ]);
    expect([cut, whole, self, count]).toEqual([3, 100, 90, 7]);
  });
  it('can be in the order of totals and of counts', () => {
    for (const order of ['total', 'count'] as const)
      expect(stacksOf(given, order).stacks.map(({ key }) => key)).toEqual(['7 8', '7 8 7']);
  });
});

describe('the lines of a stack', () => {
  it('are all of a short one, innermost first', () => {
    expect(stackLines([3, 4, 5], 3)).toEqual([
      { depth: 2, name: 5 },
      { depth: 1, name: 4 },
      { depth: 0, name: 3 },
    ]);
  });
  it('leave out the middle of a deep one', () => {
    const deep = Array.from({ length: 100 }, (_, i) => i);
    const lines = stackLines(deep, 7);
    expect(lines.map((line) => ('name' in line ? line.name : -line.leftOut))).toEqual([99, 98, 97, 96, -94, 1, 0]);
  });
});
