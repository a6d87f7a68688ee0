import { describe, expect, it } from 'vitest';
import { MANY } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import type { Picture } from '../trace/picture.ts';
import { layOut } from './layout.ts';
import { rangeOf, snappedEdge } from './snap.ts';

/** A row with slices from 100 to 200 and 300 to 300, and a rectangle of many from 400 to 450. One pixel is two ticks. */
const picture = {
  origin: 1000n,
  rects: {
    count: 3,
    start: Float64Array.of(100, 300, 400),
    end: Float64Array.of(200, 300, 450),
    index: Uint32Array.of(0, 1, MANY),
  },
  instants: { count: 2, time: Float64Array.of(150, 158) },
  row: (_: number, depth: number) => (depth === 0 ? { first: 0, end: 3 } : { first: 0, end: 0 }),
  lane: () => ({ first: 0, end: 2 }),
} as unknown as Picture;
const layout = layOut([aTrack({ id: 1, kind: 'thread', rows: 2, instants: 2 })], {});
const laid = layout.tracks[0]!;
const ROW = laid.slices + 5;
const view = { anchor: 1000n, fraction: 0, perPixel: 2 };

const at = (x: number, y = ROW) => snappedEdge(picture, layout, view, x, y);

describe('an edge of a range', () => {
  it('snaps to the nearer edge of a slice within a few pixels', () => {
    expect(at(53)).toEqual({ at: 1100n, snapped: true });
    expect(at(45)).toEqual({ at: 1100n, snapped: true });
    expect(at(104)).toEqual({ at: 1200n, snapped: true });
    expect(at(152)).toEqual({ at: 1300n, snapped: true });
  });
  it('does not snap farther away, to rectangles of many, or in rows without slices', () => {
    expect(at(60)).toEqual({ at: 1120n, snapped: false });
    expect(at(200)).toEqual({ at: 1400n, snapped: false });
    expect(at(50, ROW + 17)).toEqual({ at: 1100n, snapped: false });
    expect(at(50, 10_000)).toEqual({ at: 1100n, snapped: false });
  });
  it('snaps to instants in their lane', () => {
    expect(at(78, laid.instants + 4)).toEqual({ at: 1158n, snapped: true });
    expect(at(74, laid.instants + 4)).toEqual({ at: 1150n, snapped: true });
  });
});

describe('a range between edges', () => {
  const extent = { from: ticks(0n), to: ticks(1000n) };
  const snapped = (position: number) => ({ at: BigInt(position), snapped: true });
  const free = (position: number) => ({ at: BigInt(position), snapped: false });
  it('ends at an edge of a slice, and includes the tick of another', () => {
    expect(rangeOf(snapped(100), snapped(200), extent)).toEqual({ from: 100n, to: 200n });
    expect(rangeOf(snapped(200), free(100), extent)).toEqual({ from: 100n, to: 200n });
    expect(rangeOf(free(200), snapped(100), extent)).toEqual({ from: 100n, to: 201n });
  });
  it('is clipped to the trace, and null if it is empty', () => {
    expect(rangeOf(free(-50), free(2000), extent)).toEqual({ from: 0n, to: 1000n });
    expect(rangeOf(snapped(100), snapped(100), extent)).toBeNull();
    expect(rangeOf(free(-50), free(-20), extent)).toBeNull();
    expect(rangeOf(free(100), free(100), extent)).toEqual({ from: 100n, to: 101n });
  });
});
