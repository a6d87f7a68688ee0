import { expect, it } from 'vitest';
import { ticks } from '../../base/ticks.ts';
import { aTrack } from '../../base/track.fixture.ts';
import type { PointerCandidate } from '../../base/values_protocol.ts';
import { valueTrackOf } from '../../trace/value_tracks.ts';
import { candidateIn } from './variables.ts';

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

it('a candidate has its points in a range, or says that there may be some', () => {
  const it = { points: Float64Array.of(3, 5, 8), count: 9, first: { point: 3 } } as unknown as PointerCandidate;
  const within = (from: number, to: number, count = 9) =>
    candidateIn({ ...it, count }, { from: ticks(BigInt(from)), to: ticks(BigInt(to)) }).map(
      ({ first, count: found, isMore }) => [first, found, isMore],
    );
  expect(within(4, 9)).toEqual([[5, 2, false]]);
  expect(within(8, 20)).toEqual([[8, 1, true]]);
  expect(within(9, 20)).toEqual([[null, 0, true]]);
  expect([within(0, 3), within(9, 20, 3)]).toEqual([[], []]);
  expect(candidateIn(it, null).map(({ first, count, isMore }) => [first, count, isMore])).toEqual([[3, 9, false]]);
});
