import { expect, it } from 'vitest';
import { aTrack } from '../../base/track.fixture.ts';
import { valueTrackOf } from './variables.ts';

it('a variable leads to its one track, by name and type', () => {
  const tracks = new Map(
    [
      aTrack({ id: 1, kind: 'lane', name: 'i' }),
      aTrack({ id: 2, kind: 'counter', name: 'i', detail: 'long' }),
      aTrack({ id: 3, kind: 'counter', name: 'i', detail: 'int' }),
      aTrack({ id: 4, kind: 'counter', name: '(no name)', detail: 'int' }),
    ].map((track) => [track.id, track]),
  );
  const track = (name: string, type: string) => valueTrackOf(tracks, { name, type });
  expect([track('i', 'int'), track('i', 'long'), track('', 'int'), track('j', 'int')]).toEqual([3, 2, 4, undefined]);
});
