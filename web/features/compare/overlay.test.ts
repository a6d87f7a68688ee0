import { expect, it } from 'vitest';
import type { Counters } from '../../base/protocol.ts';
import { overlay, overlayRows, pathOf } from './overlay.ts';
import type { Hunk, Positions, Thread } from './records.ts';

const at = (...every: number[]): Positions => ({ every: BigUint64Array.from(every, BigInt), shift: 0 });
const thread = (a: Positions | null, b: Positions | null, lengths: [number, number], first = 0, end = 0): Thread => ({
  tracks: [a && 1, b && 2],
  lengths,
  first,
  end,
  alike: new Uint32Array(),
  alone: [new Uint32Array(), new Uint32Array()],
  leftOut: [new Uint32Array(), new Uint32Array()],
  positions: [a, b],
});
const hunk = (a: [number, number], b: [number, number]): Hunk => ({
  tracks: [1, 2],
  a,
  b,
  kind: 'other',
  counts: [0, 0],
  loop: null,
  around: null,
});

/** Values at points. */
const samples = (values: Readonly<Record<number, number>>): Counters => {
  const points = Object.keys(values).map(Number);
  const last = Float64Array.from(points, (point) => values[point]!);
  const bits = BigUint64Array.from([...last].flatMap((value) => [0n, 0n, BigInt(value)]));
  return {
    count: points.length,
    time: Float64Array.from(points),
    last,
    min: last,
    max: last,
    bits,
  } as unknown as Counters;
};

it('has points that belong together in one row, and what only one side has in a row of its own', () => {
  const rows = overlayRows([thread(at(0, 1, 2), at(0, 1, 2, 3), [3, 4], 0, 1)], [hunk([1, 1], [1, 2])])!;
  expect([[...rows.a], [...rows.b]]).toEqual([
    [0, -1, 1, 2],
    [0, 1, 2, 3],
  ]);
});

it('puts threads together in the order of A', () => {
  const threads = [
    thread(at(0, 3), at(1, 2), [2, 2]),
    thread(at(1, 2), at(0, 3), [2, 2]),
    thread(null, at(4), [0, 1], 0, 0),
  ];
  const rows = overlayRows(threads.slice(0, 2), [])!;
  expect([[...rows.a], [...rows.b], [...rows.thread]]).toEqual([
    [0, 1, 2, 3],
    [1, 0, 3, 2],
    [0, 1, 1, 0],
  ]);
});

it('goes without rows where positions are not known, or are too many', () => {
  const some: Positions = { every: BigUint64Array.of(0n, 2n, 4n), shift: 1 };
  expect(overlayRows([thread(some, some, [6, 6])], [])?.count).toBe(6);
  expect(overlayRows([thread(some, some, [6, 6]), thread(at(1), at(1), [1, 1])], [])).toBeNull();
  expect(overlayRows([thread(at(0), at(0), [1 << 22, 1 << 22])], [])).toBeNull();
});

it('finds the first point of both whose values differ, or that only one has a value at', () => {
  const rows = overlayRows([thread(at(0, 1, 2), at(0, 1, 2, 3), [3, 4], 0, 1)], [hunk([1, 1], [1, 2])])!;
  // Point 1 of B has no counterpart.
  const found = overlay(rows, [samples({ 0: 5, 1: 6, 2: 7 }), samples({ 0: 5, 1: 9, 2: 6, 3: 8 })], false);
  expect([found.first, found.low, found.high]).toEqual([3, 5, 9]);
  expect(overlay(rows, [samples({ 0: 5, 2: 7 }), samples({ 0: 5, 2: 6, 3: 7 })], false).first).toBe(2);
  expect(overlay(rows, [samples({ 0: 5 }), samples({ 0: 5 })], false).first).toBe(-1);
  expect(overlay(rows, [null, samples({ 0: 5 })], false).first).toBe(0);
  // Addresses are others in each run, but null is null.
  expect(overlay(rows, [samples({ 0: 4096, 1: 0 }), samples({ 0: 8192, 2: 0 })], true).first).toBe(-1);
  expect(overlay(rows, [samples({ 0: 4096, 1: 0 }), samples({ 0: 8192, 2: 4 })], true).first).toBe(2);
});

it('draws steps, and all values of a column as a stroke', () => {
  const values = { low: 0, high: 10, at: [Int32Array.of(0, 1, -1, 2), Int32Array.of(-1, -1, -1, -1)] } as const;
  const last = Float64Array.of(0, 10, 5);
  expect(pathOf(values as never, { last }, 0, 4, 100)).toBe('M0 100V100H1V0V0H3V50V50H4');
  expect(pathOf(values as never, { last }, 0, 2, 100)).toBe('M0 100V0V0H1V50V50H2');
  expect(pathOf(values as never, { last }, 1, 4, 100)).toBe('');
});
