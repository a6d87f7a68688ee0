import { expect, test } from 'vitest';
import type { Hunk, Thread } from './records.ts';
import { stretchesOf } from './shown.ts';

test('a timeline has marks of what each side has alone, and of what only its own trace executed', () => {
  const positions = { every: BigUint64Array.from({ length: 10 }, (_, i) => BigInt(100 + 10 * i)), shift: 0 };
  const thread: Thread = {
    tracks: [3, 7],
    lengths: [10, 10],
    leftOut: [new Uint32Array(), new Uint32Array()],
    first: 0,
    end: 2,
    alike: new Uint32Array(),
    alone: [Uint32Array.of(1, 2, 4, 6), new Uint32Array()],
    positions: [positions, positions],
  };
  const hunk = { tracks: thread.tracks, counts: [0, 0], kind: 'other', loop: null, around: null } as const;
  const hunks: readonly Hunk[] = [
    { ...hunk, a: [1, 3], b: [1, 1] },
    { ...hunk, a: [5, 5], b: [3, 4] },
  ];
  const [a, b] = [stretchesOf([thread], hunks, 0), stretchesOf([thread], hunks, 1)];
  const of = (stretches: typeof a) => stretches.map((it) => [it.about, ...(it.stretches.values().next().value ?? [])]);
  expect(of(a)).toEqual([
    [5, 110, 120],
    [6, 150, 150],
    [1, 110, 110, 140, 150],
  ]);
  expect(of(b)).toEqual([
    [5, 110, 110],
    [6, 130, 130],
  ]);
});
