import { describe, expect, it } from 'vitest';
import { NBSP } from '../base/format.ts';
import type { ProblemCount, Track } from '../base/protocol.ts';
import { aTrack } from '../base/track.fixture.ts';
import { createTracks, formatReading, problemsLabel, shortLine, slicesByNoun, trackLines } from './tracks.ts';

const INFO = { sliceNoun: 'call' };
const plain = (text: string) => text.replaceAll(NBSP, ' ');

function track(more: Partial<Track>): Track {
  return aTrack({ name: 'thread 0', ...more });
}

const frames = track({ kind: 'lane', name: 'frames', detail: 'over all threads', slices: 449 });

describe('the lines of a track', () => {
  it('are the identity of a thread, then its size', () => {
    const lines = trackLines(track({ detail: 'first call 0', slices: 1, instants: 1200 }), INFO);
    expect(lines.map(plain)).toEqual(['first call 0', '1 call · 1,200 events']);
  });
  it('start with the size of a lane, in its own noun', () => {
    expect(trackLines(frames, INFO).map(plain)).toEqual(['449 frames', 'over all threads']);
    expect(plain(trackLines({ ...frames, slices: 1 }, INFO)[0]!)).toBe('1 frame');
  });
  it('are the highest value of a counter, alone where room is short', () => {
    const counter = track({ kind: 'counter', samples: 4, highest: 2_490_368 });
    expect(trackLines(counter, INFO)).toEqual(['highest 2,490,368']);
    expect(shortLine(counter)).toBe('2,490,368');
    expect(shortLine(frames)).toBeNull();
  });
});

it('counts slices by noun', () => {
  expect(slicesByNoun([frames, track({ slices: 2 }), track({ slices: 3 })], INFO)).toEqual([
    ['call', 5],
    ['frame', 449],
  ]);
});

it('adds and replaces tracks, and returns a new object for each change', () => {
  const add = createTracks();
  const first = add([aTrack({ id: 0 }), aTrack({ id: 1 })]);
  const second = add([aTrack({ id: 1, slices: 7 }), aTrack({ id: 2 })]);
  expect(second).not.toBe(first);
  expect([second.size, second.get(1)?.slices, second.get(3)]).toEqual([3, 7, undefined]);
  expect([...second.values()].map(({ id }) => id)).toEqual([0, 1, 2]);
});

it('formats values with at most six digits', () => {
  expect([0, 12_345, -3, 0.1 + 0.2, 1e300].map(formatReading)).toEqual(['0', '12,345', '−3', '0.3', '1e+300']);
});

describe('the problems of a file', () => {
  const kind = (serious: boolean, count: number): ProblemCount => ({
    kind: `${serious}`,
    count,
    serious,
    canGoOn: false,
    summary: '',
    first: { offset: 0n, kind: '', sentence: '' },
  });
  it('are problems or remarks', () => {
    expect(plain(problemsLabel([kind(false, 2)], false))).toBe('2 remarks');
    expect(plain(problemsLabel([kind(true, 1), kind(false, 2)], false))).toBe('1 problem · 2 remarks');
    expect(plain(problemsLabel([kind(true, 1)], true))).toBe('2 problems');
    expect(problemsLabel([], false)).toBe('');
  });
});
