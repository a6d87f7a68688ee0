import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { aTrack } from '../../base/track.fixture.ts';
import { type Layout, layOut } from '../layout.ts';
import { dropAt } from './reorder.ts';

const TRACKS = [
  aTrack({ id: 0, kind: 'process', rows: 0 }),
  aTrack({ id: 1, parent: 0, rows: 4 }),
  aTrack({ id: 2, parent: 0, rows: 4 }),
  aTrack({ id: 3, parent: 2, kind: 'counter', rows: 0, samples: 2 }),
  aTrack({ id: 4, parent: 0, rows: 4 }),
  aTrack({ id: 5, kind: 'lane', rows: 1 }),
];
const HEIGHT = 2000;

function places(layout: Layout) {
  const timeline = { layout: signal(layout), window: signal({ scrollTop: 0, pinnedTop: 0, height: HEIGHT }) };
  const topOf = (id: number) => layout.tracks.find(({ track }) => track.id === id)!.top;
  return { topOf, drop: (track: number, y: number) => dropAt(timeline, track, y) };
}

it('a track is dropped between its siblings, with what is below them', () => {
  const { topOf, drop } = places(layOut(TRACKS));
  expect(drop(4, topOf(1) + 2)).toMatchObject({ before: 1, y: topOf(1) });
  expect(drop(1, topOf(3) + 2)).toMatchObject({ before: 4, y: topOf(4) });
  expect(drop(1, topOf(5) + 5)).toMatchObject({ before: null, y: topOf(5) });
  // Not into another parent.
  expect(drop(4, 0)).toMatchObject({ before: 1 });
  expect(drop(5, 3)).toMatchObject({ before: 0, y: 0 });
});

it('a track that is dropped where it is does not move', () => {
  const { topOf, drop } = places(layOut(TRACKS));
  expect(drop(2, topOf(2) + 30)).toBeNull();
  expect(drop(2, topOf(3) + 1)).toBeNull();
  expect(drop(4, topOf(5) + 5)).toBeNull();
  expect(drop(9, 5)).toBeNull();
});

it('pinned tracks are moved among themselves', () => {
  const { topOf, drop } = places(layOut(TRACKS, { pinned: [4, 1, 5] }));
  expect(drop(5, topOf(4) + 2)).toEqual({ before: 4, y: 0, isPinned: true });
  expect(drop(4, HEIGHT - 1)).toMatchObject({ before: null, y: topOf(0) });
});
