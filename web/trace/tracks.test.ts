import { describe, expect, it } from 'vitest';
import { NBSP } from '../base/format.ts';
import type { ProblemCount, Track } from '../base/protocol.ts';
import { aTrack } from '../base/track.fixture.ts';
import {
  countedSlices,
  createTracks,
  formatReading,
  inOrder,
  problemsLabel,
  readingOf,
  shortLine,
  slicesByNoun,
  trackLines,
} from './tracks.ts';

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
  it('say that a counter has infinities', () => {
    const counter = track({ kind: 'counter', samples: 9, values: 'float', lowestValue: -2.25, highest: 1e30 });
    expect(trackLines(counter, INFO)).toEqual(['−2.25 … 1e30']);
    expect(trackLines({ ...counter, infinite: [false, true] }, INFO)).toEqual(['−2.25 … inf']);
    expect(trackLines({ ...counter, lowestValue: 0, infinite: [true, false] }, INFO)).toEqual(['−inf … 1e30']);
    expect(shortLine({ ...counter, lowestValue: 0, infinite: [false, true] })).toBe('inf');
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

describe('a value of a counter', () => {
  const texts = (values: readonly (number | bigint)[], kind: Track['values']) =>
    values.map((value) => formatReading(value, { values: kind }));
  it('is exact if it is an integer', () => {
    expect(texts([0, 12_345, -3, 2n ** 64n - 1n, -(2n ** 63n)], 'signed')).toEqual([
      '0',
      '12,345',
      '−3',
      '18,446,744,073,709,551,615',
      '−9,223,372,036,854,775,808',
    ]);
    expect(readingOf(2n ** 64n - 1n, 'unsigned')).toBe(2n ** 64n - 1n);
    expect(readingOf(2n ** 64n - 1n, 'signed')).toBe(-1n);
  });
  it('has the format that the person has chosen', () => {
    const text = (value: bigint, values: Track['values'], format: 'decimal' | 'hex' | 'characters') =>
      formatReading(value, { values, look: { format } });
    expect(text(4096n, 'address', 'decimal')).toBe('4,096');
    expect([text(255n, 'unsigned', 'hex'), text(-16n, 'signed', 'hex')]).toEqual(['0xff', '−0x10']);
    expect([104n, 10n, 0x1f600n, -1n].map((value) => text(value, 'signed', 'characters'))).toEqual([
      "'h'",
      "'\\x0a'",
      "'😀'",
      '−1',
    ]);
  });
  it('has at most six digits if it is not', () => {
    expect(texts([0.1 + 0.2, 1e300, -1.5e18, 2 ** 64], 'float')).toEqual(['0.3', '1e300', '−1.5e18', '1.84467e19']);
    expect(readingOf(0x3ff8_0000_0000_0000n, 'float')).toBe(1.5);
  });
  it('is hexadecimal if it is an address', () => {
    expect(texts([0, 0xffff_8000_0000_1234n], 'address')).toEqual(['0x0', '0xffff800000001234']);
    const pointer = track({ kind: 'counter', samples: 2, lowestValue: 0x7f00, highest: 0x7f10, values: 'address' });
    expect(trackLines(pointer, INFO)).toEqual(['0x7f00 … 0x7f10']);
  });
  it('is exact in the range of a track', () => {
    const exactRange = [0n, 2n ** 64n - 1n] as const;
    const counter = track({ kind: 'counter', samples: 2, highest: 2 ** 64, exactRange });
    expect(trackLines(counter, INFO)).toEqual(['highest 18,446,744,073,709,551,615']);
    expect(shortLine(counter)).toBe('18,446,744,073,709,551,615');
  });
});

it('does not count time without records as calls', () => {
  expect(trackLines(track({ slices: 9, gapSlices: 2 }), INFO).map(plain)[0]).toBe('7 calls');
  expect(slicesByNoun([track({ slices: 9, gapSlices: 2 })], INFO)).toEqual([['call', 7]]);
});

describe('groups', () => {
  const grouped = track({ slices: 337, groups: 6 });
  it('are no calls', () => {
    expect(trackLines(grouped, INFO).map(plain)).toEqual(['331 calls · 6 groups']);
    expect(slicesByNoun([grouped, frames], INFO)).toEqual([
      ['call', 331],
      ['group', 6],
      ['frame', 449],
    ]);
  });
});

it('slices are counted in the noun of their tracks', () => {
  const counted = (slices: number, tracks: readonly Track[]) => plain(countedSlices(slices, tracks, INFO));
  expect(counted(1, [track({})])).toBe('1 call');
  expect(counted(337, [track({ groups: 6 }), track({})])).toBe('337 calls and groups');
  expect(counted(449, [frames])).toBe('449 frames');
  expect(counted(450, [frames, track({})])).toBe('450 calls');
});

describe('the order of tracks', () => {
  const ids = (tracks: readonly Track[]) => inOrder(tracks).map(({ id }) => id);
  const process = track({ id: 0, kind: 'process', thread: 40n });
  it('begins with the main thread, then goes by thread id', () => {
    const threads = [44n, 41n, 40n].map((thread, i) => track({ id: 1 + i, parent: 0, thread }));
    expect(ids([process, ...threads])).toEqual([0, 3, 2, 1]);
  });
  it('keeps the place of everything else', () => {
    const lane = track({ id: 2, kind: 'lane' });
    expect(ids([track({ id: 1, thread: 9n }), lane, track({ id: 3 }), track({ id: 4, thread: 5n })])).toEqual([
      4, 2, 3, 1,
    ]);
  });
  it('is that of each process for itself', () => {
    const other = track({ id: 5, kind: 'process', thread: 7n });
    const all = [process, other, track({ id: 6, parent: 5, thread: 9n }), track({ id: 7, parent: 0, thread: 9n })];
    expect(ids([...all, track({ id: 8, parent: 5, thread: 7n }), track({ id: 9, parent: 0, thread: 8n })])).toEqual([
      0, 5, 8, 9, 6, 7,
    ]);
  });
});

describe('the problems of a file', () => {
  const kind = (serious: boolean, count: number): ProblemCount => ({
    kind: `${serious}`,
    count,
    serious,
    canGoOn: false,
    isLimit: false,
    summary: '',
    first: { offset: 0n, kind: '', sentence: '' },
  });
  it('are problems, of which some are minor', () => {
    expect(plain(problemsLabel([kind(false, 2)], false))).toBe('2 minor problems');
    expect(plain(problemsLabel([kind(true, 1), kind(false, 2)], false))).toBe('1 problem · 2 minor');
    expect(plain(problemsLabel([kind(true, 1)], true))).toBe('2 problems');
    expect(problemsLabel([], false)).toBe('');
  });
});
