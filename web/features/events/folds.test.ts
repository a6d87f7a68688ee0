import { expect, test } from 'vitest';
import type { Loops } from '../../base/steps_protocol.ts';
import { type FoldedCall, foldedRows, loopAt } from './folds.ts';

/** Loops, each with its start, the length and the number of its iterations. */
function loopsOf(all: readonly (readonly [start: number, length: number, count: number, shared?: number])[]): Loops {
  const column = (of: (one: (typeof all)[number]) => number) => Float64Array.from(all, of);
  return {
    start: column(([start]) => start),
    firstEnd: column(([start, length]) => start + length),
    lastStart: column(([start, length, count]) => start + length * (count - 1)),
    end: column(([start, length, count]) => start + length * count),
    count: column(([, , count]) => count),
    length: column(([, length]) => length),
    address: BigUint64Array.from(all, () => 0n),
    shared: Uint8Array.from(all, ([, , , shared]) => shared ?? 0),
    unlisted: 0,
    leftOut: 0,
  };
}

/** The rows of a list as text: steps, and runs of hidden ones. */
function rowsOf(base: number, count: number, loops: Loops | null, open: readonly number[], calls: FoldedCall[] = []) {
  const folded = foldedRows(base, count, loops, (loop) => open.includes(loop), calls);
  const all = Array.from({ length: folded.count }, (_, row) => {
    const fold = folded.foldAt(row);
    const step = base + folded.stepAt(row);
    expect(folded.rowOf(step - base)).toBe(row);
    if (!fold) return String(step);
    for (let hidden = fold.from; hidden < fold.to; hidden += 1) expect(folded.rowOf(hidden - base)).toBe(row);
    expect(step).toBe(fold.from);
    return `${fold.from}-${fold.to - 1}`;
  });
  return all.join(' ');
}

test('the first and the last iteration are shown', () => {
  const loops = loopsOf([[2, 3, 5]]);
  expect(rowsOf(0, 20, loops, [])).toBe('0 1 2 3 4 5-13 14 15 16 17 18 19');
  expect(rowsOf(0, 20, loops, [0])).toBe(Array.from({ length: 20 }, (_, step) => step).join(' '));
  // A range that begins and ends in hidden iterations.
  expect(rowsOf(7, 5, loops, [])).toBe('7-11');
});

test('loops in the first and the last iteration are folded, those between only once the outer one is open', () => {
  // Three iterations of ten steps, each with four times two steps from its third one on.
  const loops = loopsOf([
    [0, 10, 3],
    [2, 2, 4],
    [12, 2, 4],
    [22, 2, 4],
  ]);
  expect(rowsOf(0, 31, loops, [])).toBe('0 1 2 3 4-7 8 9 10-19 20 21 22 23 24-27 28 29 30');
  expect(rowsOf(0, 31, loops, [0])).toBe('0 1 2 3 4-7 8 9 10 11 12 13 14-17 18 19 20 21 22 23 24-27 28 29 30');
});

test('two iterations are shown, and loops across the steps of other threads', () => {
  const loops = loopsOf([
    [0, 3, 2],
    [6, 1, 5, 1],
  ]);
  expect(rowsOf(0, 12, loops, [])).toBe('0 1 2 3 4 5 6 7 8 9 10 11');
  expect(loopAt(loops, 0)).toBe(-1);
  expect(loopAt(loops, 6)).toBe(-1);
});

test('calls are hidden, in loops, around them and across their edges', () => {
  const loops = loopsOf([[2, 3, 5]]);
  const call = (from: number, to: number): FoldedCall => ({ from, to, name: 0 });
  expect(rowsOf(0, 20, loops, [], [call(3, 5)])).toBe('0 1 2 3-4 5-13 14 15 16 17 18 19');
  expect(rowsOf(0, 20, loops, [], [call(1, 18)])).toBe('0 1-17 18 19');
  expect(rowsOf(0, 20, loops, [], [call(4, 8), call(12, 16)])).toBe('0 1 2 3 4-7 8-13 14-15 16 17 18 19');
  expect(rowsOf(0, 20, null, [], [call(4, 8), call(18, 30)])).toBe('0 1 2 3 4-7 8 9 10 11 12 13 14 15 16 17 18-19');
  expect(loopAt(loops, 2)).toBe(0);
});

test('a million loops', () => {
  const loops = loopsOf(Array.from({ length: 1_000_000 }, (_, i) => [10 * i, 2, 4]));
  const folded = foldedRows(0, 10_000_000, loops, () => false, []);
  // Of ten steps, four are one row.
  expect([folded.count, folded.folds]).toEqual([7_000_000, 1_000_000]);
  expect(folded.stepAt(6_999_999)).toBe(9_999_999);
  expect(folded.rowOf(9_999_994)).toBe(6_999_995);
});
