import { describe, expect, it } from 'vitest';
import type { TimeOrder } from '../base/calls_protocol.ts';
import { MANY } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { callAt, extentOfRect, layOutTime, rectAtTime, rowOfRect, timeStep } from './time_order.ts';

const rects = [
  // Row, start, end, index.
  [0, 0, 100, 5],
  [1, 10, 20, 0],
  [1, 30, 60, MANY],
  [2, 40, 45, 1],
  [3, 5, 95, 2],
] as const;
const picture = (tracks: readonly number[], rows: readonly number[]): TimeOrder => ({
  from: ticks(1000n),
  width: 100,
  partial: false,
  tracks: Uint32Array.from(tracks),
  rows: Uint32Array.from(rows),
  length: rects.length,
  row: Uint32Array.from(rects, ([row]) => row),
  start: Float64Array.from(rects, ([, start]) => start),
  end: Float64Array.from(rects, ([, , end]) => end),
  name: Uint32Array.from(rects, (_, i) => i),
  fill: new Uint8Array(rects.length).fill(255),
  track: Uint32Array.from(rects, ([row]) => (row < 3 ? 7 : 8)),
  depth: Int32Array.from(rects, ([row]) => row),
  index: Uint32Array.from(rects, ([, , , index]) => index),
});
const laid = layOutTime(picture([7, 8], [3, 1]));

describe('calls in the order of time', () => {
  it('have a heading for each of several tracks', () => {
    expect(laid.rows).toEqual([
      { track: 7 },
      { track: null, first: 0, end: 1 },
      { track: null, first: 1, end: 3 },
      { track: null, first: 3, end: 4 },
      { track: 8 },
      { track: null, first: 4, end: 5 },
    ]);
    expect(layOutTime(picture([7], [4])).rows).toHaveLength(4);
  });
  it('are found by their place', () => {
    const at = (row: number, x: number) => rectAtTime(laid, row, x, 0.01);
    expect([at(1, 0.5), at(2, 0.15), at(2, 0.25), at(2, 0.205), at(2, 0.295), at(0, 0.5), at(9, 0)]).toEqual([
      0, 1, -1, 1, 2, -1, -1,
    ]);
    expect([0, 2, 4].map((i) => rowOfRect(laid, i))).toEqual([1, 2, 5]);
  });
  it('can be visited step by step', () => {
    const to = (from: number, step: Parameters<typeof timeStep>[2]) => timeStep(laid, from, step);
    expect([to(0, 'callee'), to(2, 'callee'), to(3, 'callee'), to(1, 'callee')]).toEqual([2, 3, 3, 1]);
    expect([to(3, 'caller'), to(1, 'caller'), to(0, 'caller'), to(4, 'caller')]).toEqual([2, 0, 0, 4]);
    expect([to(1, 'next'), to(2, 'next'), to(2, 'previous'), to(1, 'previous')]).toEqual([2, 2, 1, 1]);
  });
  it('lead to their slices, unless they are several', () => {
    expect(callAt(laid, 1)).toEqual({ kind: 'slice', track: 7, depth: 1, index: 0 });
    expect([callAt(laid, 2), callAt(laid, -1)]).toEqual([null, null]);
    expect(extentOfRect(laid.columns, 2)).toEqual({ from: 1030n, to: 1060n });
  });
});
