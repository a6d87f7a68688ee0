import { expect, it } from 'vitest';
import { pairTracks } from './track_pairs.ts';

const track = (id: number, name: string, parent = -1, kind: 'thread' | 'process' | 'counter' = 'thread') => ({
  id,
  name,
  parent,
  kind,
});

it('pairs tracks by name, and the others that differ in numbers by their order, below paired parents', () => {
  const first = [
    track(1, 'process 10', -1, 'process'),
    track(2, 'main thread 10', 1),
    track(3, 'thread 11', 1),
    track(4, 'thread 12', 1),
    track(5, 'memory', -1, 'counter'),
  ];
  const second = [
    track(7, 'memory', -1, 'counter'),
    track(1, 'process 20', -1, 'process'),
    track(2, 'thread 12', 1),
    track(3, 'main thread 20', 1),
    track(4, 'thread 29', 1),
    track(5, 'thread 30', 1),
  ];
  expect([...pairTracks(first, second)].sort(([a], [b]) => a - b)).toEqual([
    [1, 1],
    [2, 3],
    [3, 4],
    [4, 2],
    [5, 7],
  ]);
});

it('leaves a track alone that has no counterpart', () => {
  expect(pairTracks([track(1, 'a'), track(2, 'b')], [track(1, 'b')])).toEqual(new Map([[2, 1]]));
});
