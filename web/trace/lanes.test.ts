import { describe, expect, it } from 'vitest';
import { NBSP } from '../base/format.ts';
import type { Collected } from '../base/record_protocol.ts';
import { aTrack } from '../base/track.fixture.ts';
import { rowsOf } from './lanes.ts';
import { cpuLanes, eventLanes, textLane, threadLane, valueLanes } from './making_lanes.ts';

/** Intervals of threads on CPUs: position, end, track and CPU. */
function intervals(...of: readonly (readonly [number, number, number, number])[]): Collected {
  const longs = (at: 0 | 1 | 3) => BigUint64Array.from(of, (one) => BigInt.asUintN(64, BigInt(one[at])));
  return {
    time: longs(0),
    track: Uint32Array.from(of, ([, , track]) => track),
    locator: longs(0),
    bits: longs(3),
    numbers: new Uint8Array(of.length),
    until: longs(1),
  };
}

describe('lanes of CPUs', () => {
  const found = intervals([1, 4, 7, 3], [5, 9, 7, 0], [10, 12, 7, 3], [2, 3, 8, 3]);
  it('have the threads that ran on each', () => {
    const lanes = cpuLanes(found, (track) => `thread ${track}`);
    expect(lanes.map(({ label, rows, names }) => [label, rows, names])).toEqual([
      ['CPU 0', [1], ['thread 7']],
      ['CPU 3', [0, 2, 3], ['thread 7', 'thread 7', 'thread 8']],
    ]);
    expect(lanes[1]!.detail).toBe(`Threads with records on CPU 3: 2${NBSP}threads, 1${NBSP}migration to it`);
  });
  it('have the CPUs on which a thread ran', () => {
    const lane = threadLane(found, 7, 'thread 7');
    expect([lane?.rows, lane?.names]).toEqual([
      [0, 1, 2],
      ['CPU 3', 'CPU 0', 'CPU 3'],
    ]);
    expect(lane?.detail).toBe(`CPUs in the records of thread 7: 2${NBSP}CPUs, 2${NBSP}migrations`);
    expect(threadLane(found, 9, 'thread 9')).toBeNull();
  });
  it('take their columns along', () => {
    const { time, until, track, bits } = rowsOf(found, [1, 3]);
    expect([[...time], [...until], [...track], [...bits]]).toEqual([
      [5n, 2n],
      [9n, 3n],
      [7, 8],
      [0n, 3n],
    ]);
  });
});

describe('lanes of events', () => {
  const found = intervals([1, 0, 7, 9], [2, 0, 7, -1], [3, 0, 8, 9], [4, 0, 7, 2]);
  it('are one per type, custom events first', () => {
    expect(eventLanes(found, null).map(({ label, rows }) => [label, rows])).toEqual([
      ['custom events', [1]],
      ['typed event 2', [3]],
      ['typed event 9', [0, 2]],
    ]);
    expect(eventLanes(found, '9').map(({ detail }) => detail)).toEqual(['All typed events of type 9']);
    expect(eventLanes(found, '3')).toEqual([]);
  });
});

describe('a lane of texts', () => {
  const laneOf = (found: Collected) => textLane(found, 'key', 's', 'S of all points');
  it('has each from where it is recorded to where another one is', () => {
    const found = intervals([1, 1, 7, 0], [2, 2, 7, 0], [8, 8, 7, 0], [3, 3, 8, 1], [5, 5, 8, -1], [6, 6, 8, 0]);
    const lane = laneOf({ ...found, texts: ['"a"', '"b"'] });
    expect([lane?.rows, lane?.ends, lane?.names]).toEqual([
      [0, 3, 5],
      [3n, 5n, 8n],
      ['"a"', '"b"', '"a"'],
    ]);
    expect(lane?.detail).toBe('S of all points');
    expect([...rowsOf(found, lane?.rows ?? [], lane?.ends).until]).toEqual([3n, 5n, 8n]);
  });
  it('says if there were too many of them', () => {
    const lane = laneOf({ ...intervals([1, 1, 7, 0], [2, 2, 7, -2], [3, 3, 7, -2]), texts: ['"a"'] });
    expect([lane?.names, lane?.ends]).toEqual([
      ['"a"', 'other texts'],
      [2n, 3n],
    ]);
    expect(lane?.detail).toBe(`S of all points · only the first 1${NBSP}text told apart`);
  });
  it('is none without texts', () => {
    expect(laneOf({ ...intervals([1, 1, 7, -1]), texts: [] })).toBeNull();
  });
});

describe('lanes of values', () => {
  it('are one for each file that the records are in', () => {
    const found = intervals([1, 1, 11, 5], [2, 2, 21, 6], [3, 3, 11, 7]);
    const tracks = new Map(
      [
        aTrack({ id: 10, kind: 'process', name: 'file 7' }),
        aTrack({ id: 11, kind: 'lane', name: 'statements', parent: 10 }),
        aTrack({ id: 21, kind: 'lane', name: 'no file' }),
      ].map((track) => [track.id, track]),
    );
    const field = { path: ['vars', 'y'], ofName: false, label: 'y' };
    const lanes = valueLanes(found, field, tracks);
    expect(lanes.map(({ key, label, rows, isOfValues }) => [key, label, rows, isOfValues])).toEqual([
      ['each vars y 11', 'y · file 7', [0, 2], true],
      ['each vars y 21', 'y · no file', [1], true],
    ]);
  });
});
