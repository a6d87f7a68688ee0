import { describe, expect, it } from 'vitest';
import type { Track } from '../base/protocol.ts';
import { aTrack } from '../base/track.fixture.ts';
import {
  bandOf,
  bandsOf,
  COMPACT_ROW,
  LOW,
  layOut,
  layoutY,
  pinnedPart,
  rowsThatFit,
  rowsWithin,
  SLICE_ROW,
  scrolledAt,
  scrolledHeight,
  trackAt,
  tracksWithin,
} from './layout.ts';

const track = (id: number, parent: number, more: Partial<Track> = {}): Track =>
  aTrack({ id, parent, rows: 3, slices: 1, ...more });
const process = (id: number): Track => track(id, -1, { kind: 'process', rows: 0, slices: 0 });
const ids = (tracks: readonly { track: Track }[]) => tracks.map((laid) => laid.track.id);

describe('layout', () => {
  it('places children below their parent in any order of arrival', () => {
    const layout = layOut([process(0), process(1), track(2, 1), track(3, 0), track(4, 1)]);
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
    expect(ids(layOut(tracks, { folded: { all: false, except: new Set([0]) } }).tracks)).toEqual([0]);
    const folded = layOut(tracks, { folded: { all: false, except: new Set([1]) } }).tracks[1]!;
    expect([folded.height, folded.rows, folded.instants]).toEqual([LOW, 1, -1]);
  });
  it('gives a counter a graph, lower when folded', () => {
    const counter = track(0, -1, { kind: 'counter', rows: 0, slices: 0, samples: 5 });
    const [open] = layOut([counter]).tracks;
    expect([open!.graphHeight, open!.rows, open!.foldable]).toEqual([40, 0, true]);
    expect(open!.height).toBeGreaterThan(40);
    const [folded] = layOut([counter], { folded: { all: false, except: new Set([0]) } }).tracks;
    expect(folded!.height).toBe(LOW);
    expect(folded!.graph + folded!.graphHeight).toBeLessThan(LOW);
  });
  it('keeps a lane low', () => {
    const [lane] = layOut([track(0, -1, { kind: 'lane', rows: 1 })]).tracks;
    expect([lane!.height, lane!.foldable]).toEqual([46, true]);
  });
  it('shows the first rows of a deep track, and all of one that is opened', () => {
    const tracks = [track(0, -1, { rows: 25 }), track(1, -1, { rows: 25 }), track(2, -1, { rows: 10 })];
    const { tracks: laid } = layOut(tracks, { most: 8, opened: new Set([1, 2]) });
    expect(laid.map(({ rows, deeper, isOpened }) => [rows, deeper, isOpened])).toEqual([
      [8, 17, false],
      [25, 0, true],
      // Two rows more are not worth a button.
      [10, 0, false],
    ]);
    expect(laid[0]!.height).toBeLessThan(9 * SLICE_ROW + 10);
  });
  it('finds how many rows fit, but no fewer than the least', () => {
    const tracks = [track(0, -1, { rows: 25 }), track(1, -1, { rows: 40 }), track(2, -1, { rows: 4 })];
    const heightOf = (most: number) => layOut(tracks, { most }).height;
    const all = heightOf(Number.POSITIVE_INFINITY);
    expect(rowsThatFit(tracks, {}, all, 6)).toBe(Number.POSITIVE_INFINITY);
    for (const room of [all - 1, 700, 500]) {
      const most = rowsThatFit(tracks, {}, room, 6);
      expect(heightOf(most)).toBeLessThanOrEqual(room);
      expect(heightOf(most + 1)).toBeGreaterThan(room);
    }
    expect(rowsThatFit(tracks, {}, 100, 6)).toBe(6);
    expect(rowsThatFit(tracks, { opened: new Set([1]) }, 900, 6)).toBeLessThan(rowsThatFit(tracks, {}, 900, 6));
  });
  it('leaves room for lines below the name, less among many tracks', () => {
    expect(layOut([track(0, -1, { rows: 1 })]).tracks[0]!.height).toBeGreaterThan(50);
    const many = Array.from({ length: 100 }, (_, id) => track(id, -1, { rows: 1 }));
    expect(layOut(many).tracks[0]!.height).toBe(LOW);
  });
});

describe('pinned tracks', () => {
  const tracks = [1, 2, 3].map((id) => track(id, -1, { rows: 30 }));
  const layout = layOut(tracks, { pinned: [3] });
  const { height } = layout.tracks[0]!;
  it('come first, and take at most half of the window', () => {
    expect(ids(layout.tracks)).toEqual([3, 1, 2]);
    expect([layout.pinned, layout.pinnedHeight]).toEqual([1, height]);
    expect(pinnedPart(layout, 4 * height)).toBe(height);
    expect(pinnedPart(layout, 400)).toBe(200);
    expect(scrolledHeight(layout, 4 * height)).toBe(3 * height);
    expect(scrolledHeight(layout, 400)).toBe(2 * height + 200);
  });
  it('stay while the others scroll below them', () => {
    const window = { scrollTop: 100, pinnedTop: 40, height: 400 };
    const [pinned, others] = bandsOf(layout, window);
    expect([pinned!.top, pinned!.bottom, others!.top, others!.bottom]).toEqual([0, 200, 200, 400]);
    expect(layoutY(layout, window, 0)).toBe(40);
    expect(layoutY(layout, window, 199)).toBe(239);
    expect(layoutY(layout, window, 200)).toBe(height + 100);
    expect(trackAt(layout, layoutY(layout, window, 399))?.track.id).toBe(1);
    expect(layout.tracks.map((laid) => bandOf(layout, window, laid).isPinned)).toEqual([true, false, false]);
  });
  it('are reached to the end of the scroll bar', () => {
    const bottom = scrolledHeight(layout, 400) - 400;
    expect(layoutY(layout, { scrollTop: bottom, pinnedTop: 0, height: 400 }, 400)).toBe(layout.height);
  });
  it('are no part of a window without them', () => {
    const plain = layOut(tracks);
    expect(bandsOf(plain, { scrollTop: 7, pinnedTop: 0, height: 400 })).toEqual([
      { top: 0, bottom: 400, shift: 7, isPinned: false },
    ]);
  });
});

describe('a compact track', () => {
  it('has low rows, but room for its name and for text when folded', () => {
    const compact = { all: true, except: new Set<number>() };
    const [low] = layOut([track(0, -1, { rows: 30 })], { compact }).tracks;
    expect([low!.rowHeight, low!.height]).toEqual([COMPACT_ROW, low!.slices + 30 * COMPACT_ROW + 6]);
    expect(rowsWithin(low!, low!.slices, low!.slices + 2 * COMPACT_ROW)).toEqual({ first: 0, end: 2 });
    expect(layOut([track(0, -1, { rows: 1 })], { compact }).tracks[0]!.height).toBe(LOW);
    const folded = layOut([track(0, -1, { rows: 30 })], { compact, folded: compact }).tracks[0]!;
    expect([folded.rowHeight, folded.rows]).toEqual([SLICE_ROW, 1]);
  });
});

describe('finding', () => {
  const many = Array.from({ length: 10_000 }, (_, id) => track(id, -1));
  const layout = layOut(many);
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
    const deep = layOut([track(0, -1, { rows: 5000 })]).tracks[0]!;
    const rows = rowsWithin(deep, 1000 * SLICE_ROW, 1000 * SLICE_ROW + 900);
    expect(rows.end - rows.first).toBeLessThan(56);
    expect(rows.first).toBeGreaterThan(990);
  });
});

describe('what scrolls with the pointer', () => {
  const tracks = [track(0, -1, { rows: 30 }), track(1, -1, { rows: 30 })];
  const high = layOut(tracks).height;
  it('is nothing where all tracks fit', () => {
    expect(scrolledAt(layOut(tracks), high, 5)).toBeNull();
    expect(scrolledAt(layOut(tracks), high - 1, 5)).toBe('others');
  });
  it('is the pinned tracks over those, if they do not fit', () => {
    const layout = layOut(tracks, { pinned: [1] });
    expect(scrolledAt(layout, 200, 50)).toBe('pinned');
    expect(scrolledAt(layout, 200, 150)).toBe('others');
    const low = layOut([track(0, -1), tracks[1]!], { pinned: [0] });
    expect(scrolledAt(low, 300, 10)).toBe('others');
  });
});
