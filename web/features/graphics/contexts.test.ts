import { expect, test } from 'vitest';
import type { Contexts } from '../../base/survey_protocol.ts';
import { areSeveral, contextLanes, sharing, switchAt } from './contexts.ts';

/** Thread 0 has context 0, then none, then 2; thread 1 has context 1, which shares with 0. */
const CONTEXTS: Contexts = {
  handle: ['0x10', '0x20', '0x30'],
  created: Float64Array.of(1, 2, -1),
  group: Float64Array.of(0, 0, 2),
  call: Float64Array.of(3, 4, 20, 30),
  thread: Float64Array.of(0, 1, 0, 0),
  context: Float64Array.of(0, 1, -1, 2),
  isFull: false,
};

test('finds the context of a call by its thread', () => {
  const at = (thread: number, call: number) => CONTEXTS.context[switchAt(CONTEXTS, thread, call)];
  expect([at(0, 2), at(0, 3), at(1, 3), at(1, 10), at(0, 25), at(0, 99)]).toEqual([undefined, 0, undefined, 1, -1, 2]);
  expect(sharing(CONTEXTS, 0)).toEqual([1]);
  expect(sharing(CONTEXTS, 2)).toEqual([]);
  expect(areSeveral(CONTEXTS)).toBe(true);
});

test('makes a lane of each context, with the intervals in which it was current', () => {
  const { lanes, found } = contextLanes(CONTEXTS, 50);
  const intervals = lanes.map(({ label, rows, names }) => [
    label,
    ...rows.map((row, i) => `${names![i]} ${found.time[row]}-${found.until[row]}`),
  ]);
  expect(intervals).toEqual([
    ['context 1', 'thread 0 3-19'],
    ['context 2', 'thread 1 4-50'],
    ['context 3', 'thread 0 30-50'],
  ]);
  expect(lanes[1]!.detail).toBe('0x20, created by call 2, shares objects with context 1. Current on 1\u00a0thread');
  expect(lanes[2]!.detail).toContain('created before the trace began');
});
