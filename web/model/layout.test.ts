import { describe, expect, it } from 'vitest';
import type { Track } from '../base/protocol.ts';
import { aTrack } from '../base/track.fixture.ts';
import { LOW, layOut, rowsWithin, SLICE_ROW, trackAt, tracksWithin } from './layout.ts';

const track = (id: number, parent: number, more: Partial<Track> = {}): Track =>
  aTrack({ id, parent, rows: 3, slices: 1, ...more });
const process = (id: number): Track => track(id, -1, { kind: 'process', rows: 0, slices: 0 });
const ids = (tracks: readonly { track: Track }[]) => tracks.map((laid) => laid.track.id);

describe('layout', () => {
  it('places children below their parent in any order of arrival', () => {
    const layout = layOut([process(0), process(1), track(2, 1), track(3, 0), track(4, 1)], new Set());
    expect(ids(layout.tracks)).toEqual([0, 3, 1, 2, 4]);
    expect(layout.tracks.map((laid) => laid.level)).toEqual([0, 1, 0, 1, 1]);
    let top = 0;
    for (const laid of layout.tracks) {
      expect(laid.top).toBe(top);
      top += laid.height;
    }
    expect(layout.height).toBe(top);
  });
  it('hides the children of a folded process, and all but one row of a folded thread', () => {
    const tracks = [process(0), track(1, 0, { rows: 50, instants: 3 })];
    expect(ids(layOut(tracks, new Set([0])).tracks)).toEqual([0]);
    const folded = layOut(tracks, new Set([1])).tracks[1]!;
    expect([folded.height, folded.rows, folded.instants]).toEqual([LOW, 1, -1]);
  });
  it('gives a counter a graph, lower when folded', () => {
    const counter = track(0, -1, { kind: 'counter', rows: 0, slices: 0, samples: 5 });
    const [open] = layOut([counter], new Set()).tracks;
    expect([open!.graphHeight, open!.rows, open!.foldable]).toEqual([40, 0, true]);
    expect(open!.height).toBeGreaterThan(40);
    const [folded] = layOut([counter], new Set([0])).tracks;
    expect(folded!.height).toBe(LOW);
    expect(folded!.graph + folded!.graphHeight).toBeLessThan(LOW);
  });
  it('keeps a lane low', () => {
    const [lane] = layOut([track(0, -1, { kind: 'lane', rows: 1 })], new Set()).tracks;
    expect([lane!.height, lane!.foldable]).toEqual([46, true]);
  });
  it('leaves room for lines below the name, less among many tracks', () => {
    expect(layOut([track(0, -1, { rows: 1 })], new Set()).tracks[0]!.height).toBeGreaterThan(50);
    const many = Array.from({ length: 100 }, (_, id) => track(id, -1, { rows: 1 }));
    expect(layOut(many, new Set()).tracks[0]!.height).toBe(LOW);
  });
});

describe('finding', () => {
  const many = Array.from({ length: 10_000 }, (_, id) => track(id, -1));
  const layout = layOut(many, new Set());
  const { height } = layout.tracks[0]!;
  it('returns the tracks of a window', () => {
    expect(tracksWithin(layout, 0, height)).toEqual({ first: 0, end: 1 });
    expect(tracksWithin(layout, height, height + 1)).toEqual({ first: 1, end: 2 });
    expect(tracksWithin(layout, 5000.5 * height, 5002.5 * height)).toEqual({ first: 5000, end: 5003 });
    expect(tracksWithin(layout, -100, 1e9)).toEqual({ first: 0, end: 10_000 });
  });
  it('returns the track at a place', () => {
    expect(trackAt(layout, 0)!.track.id).toBe(0);
    expect(trackAt(layout, layout.height - 1)!.track.id).toBe(9_999);
    expect(trackAt(layout, layout.height)).toBeUndefined();
    expect(trackAt(layout, -1)).toBeUndefined();
  });
  it('returns only the visible rows of a deep stack', () => {
    const deep = layOut([track(0, -1, { rows: 5000 })], new Set()).tracks[0]!;
    const rows = rowsWithin(deep, 1000 * SLICE_ROW, 1000 * SLICE_ROW + 900);
    expect(rows.end - rows.first).toBeLessThan(56);
    expect(rows.first).toBeGreaterThan(990);
  });
});
