import { expect, it } from 'vitest';
import type { CallList } from '../../base/calls_protocol.ts';
import { edgeFigures, pathOfEdge } from './edge_calls.ts';

function listOf(...buckets: readonly (readonly [low: number, above: number, count: number])[]): CallList {
  const column = (at: 0 | 1 | 2) => Float64Array.from(buckets, (bucket) => bucket[at]);
  const all = buckets.reduce((sum, [, , count]) => sum + count, 0);
  return { all, low: column(0), above: column(1), count: column(2) } as CallList;
}

it('the figures of an edge are those of its calls', () => {
  expect(edgeFigures(listOf())).toBeNull();
  const exactly = (ticks: number) => ({ ticks, isExact: true });
  const about = (ticks: number) => ({ ticks, isExact: false });
  const seven = exactly(7);
  expect(edgeFigures(listOf([7, 8, 1]))).toEqual({ count: 1, min: 7, median: seven, p90: seven, p99: seven, max: 7 });
  // 50 of 10, 40 of 64 to 65, 9 of 500 to 507 and one of 9000.
  const list = listOf([10, 11, 50], [64, 66, 40], [500, 508, 9], [9000, 9001, 1]);
  expect(edgeFigures(list)).toEqual({
    count: 100,
    min: 10,
    median: exactly(10),
    p90: about(65),
    p99: about(504),
    max: 9000,
  });
});

it('the calls of an edge are those from its caller, wherever that was called', () => {
  expect(pathOfEdge({ caller: 4, callee: 5 })).toEqual([0xffff_ffff, 4, 5]);
  expect(pathOfEdge({ caller: -1, callee: 5 })).toEqual([5]);
});
