import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Track } from '../base/protocol.ts';
import { aTrack } from '../base/track.fixture.ts';
import type { KeyedTrack } from '../trace/track_keys.ts';
import { createTracks, NO_TRACKS } from '../trace/tracks.ts';
import { type Arrangement, createArrangement } from './arrangement.ts';
import { layOut } from './layout.ts';
import { NO_CHOICES, readChoices } from './track_choices.ts';

const PROCESS = aTrack({ id: 0, kind: 'process', thread: 9, name: 'prog', rows: 0 });
const thread = (id: number, name: string, more: Partial<Track> = {}) =>
  aTrack({ id, parent: 0, thread: 100 + id, name, rows: 4, slices: 9, ...more });
const THREADS = [thread(1, 'main'), thread(2, 'worker one'), thread(3, 'worker two'), thread(4, 'idle')];
const COUNTER = aTrack({ id: 5, parent: 3, kind: 'counter', name: 'queue', rows: 0, samples: 3 });
const ALL = [PROCESS, ...THREADS, COUNTER];

let add: (changed: readonly Track[]) => void;
let derived = signal<readonly KeyedTrack[]>([]);
let arrangement: Arrangement;

/** An arrangement of `tracks`, as after a file was opened. */
function opened(tracks: readonly Track[]): Arrangement {
  const grow = createTracks();
  const known = signal(NO_TRACKS);
  derived = signal<readonly KeyedTrack[]>([]);
  add = (changed) => {
    known.value = grow(changed);
  };
  add(tracks);
  return createArrangement(known, derived);
}

function shown(of = arrangement): number[] {
  const { ordered, folded, compact, pinned, visibility } = of;
  return layOut(ordered.value, {
    folded: folded.value,
    compact: compact.value,
    pinned: pinned.value,
    visibility: visibility.value,
  }).tracks.map(({ track }) => track.id);
}

beforeEach(() => {
  arrangement = opened(ALL);
});

it('opens a deep track, and again when the file is opened again', () => {
  arrangement.toggleOpened(2);
  expect([...arrangement.opened.value]).toEqual([2]);
  const again = opened(ALL);
  again.choices.value = readChoices(JSON.parse(JSON.stringify(arrangement.choices.value)));
  expect([...again.opened.value]).toEqual([2]);
  again.toggleOpened(2);
  expect(again.choices.value).toEqual(NO_CHOICES);
});

describe('a filter', () => {
  it('leaves tracks with all its words, what is above them and what is below them', () => {
    arrangement.filter.value = 'TWO work';
    expect(shown()).toEqual([0, 3, 5]);
    expect(arrangement.visibility.value?.matching).toBe(1);
    arrangement.filter.value = 'queue';
    expect(shown()).toEqual([0, 3, 5]);
    arrangement.filter.value = 'prog';
    expect(shown()).toEqual([0, 1, 2, 3, 5, 4]);
    arrangement.filter.value = 'nothing';
    expect(shown()).toEqual([]);
  });
  it('holds open what leads to a match, and then lets go of it', () => {
    arrangement.toggleFolded(0);
    expect(shown()).toEqual([0]);
    arrangement.filter.value = 'idle';
    expect(shown()).toEqual([0, 4]);
    arrangement.filter.value = '';
    expect(shown()).toEqual([0]);
  });
  it('keeps pinned tracks', () => {
    arrangement.togglePinned(3);
    arrangement.filter.value = 'idle';
    expect(shown()).toEqual([3, 5, 0, 4]);
  });
  it('applies to tracks that come later', () => {
    arrangement.filter.value = 'late';
    add([thread(6, 'latecomer')]);
    expect(shown()).toEqual([0, 6]);
  });
});

describe('hidden tracks', () => {
  it('are left out with what is below them, counted, and come back', () => {
    arrangement.hide(3);
    arrangement.hide(1);
    expect(shown()).toEqual([0, 2, 4]);
    expect(arrangement.visibility.value?.hidden).toBe(3);
    arrangement.showAll();
    expect(arrangement.visibility.value).toBeNull();
    expect(shown()).toHaveLength(6);
  });
  it('hand over to the next track what commands act on', () => {
    arrangement.current.value = 3;
    for (const next of [4, 2, 1, 0]) {
      arrangement.hide(arrangement.current.value);
      expect(arrangement.current.value).toBe(next);
    }
  });
  it('are all others if only one is to be shown, also those that come later', () => {
    arrangement.showOnly(3);
    add([thread(6, 'latecomer')]);
    expect(shown()).toEqual([0, 3, 5]);
    expect(arrangement.visibility.value?.hidden).toBe(4);
    arrangement.hide(3);
    expect(shown()).toEqual([0, 1, 2, 4, 6]);
  });
  it('are uncovered if something on them is to be seen', () => {
    arrangement.hide(3);
    arrangement.toggleFolded(0);
    arrangement.toggleFolded(3);
    arrangement.filter.value = 'main';
    arrangement.uncover(5);
    expect(shown()).toContain(5);
    expect(arrangement.filter.value).toBe('');
    arrangement.showOnly(1);
    arrangement.uncover(2);
    expect(shown()).toContain(2);
  });
});

describe('pinned tracks', () => {
  it('come first with what is below them, in the order in which they were pinned', () => {
    arrangement.togglePinned(3);
    arrangement.togglePinned(1);
    expect(shown()).toEqual([3, 5, 1, 0, 2, 4]);
    arrangement.move(1, -1);
    expect(shown()).toEqual([1, 3, 5, 0, 2, 4]);
    arrangement.move(1, -1);
    expect(shown()).toEqual([1, 3, 5, 0, 2, 4]);
    arrangement.moveBefore(1, null);
    expect(shown()).toEqual([3, 5, 1, 0, 2, 4]);
    arrangement.togglePinned(3);
    expect(shown()).toEqual([1, 0, 2, 3, 5, 4]);
  });
  it('are not shown while hidden', () => {
    arrangement.togglePinned(3);
    arrangement.hide(3);
    expect(shown()).toEqual([0, 1, 2, 4]);
    arrangement.showAll();
    expect(shown()).toEqual([3, 5, 0, 1, 2, 4]);
  });
});

describe('moving', () => {
  it('leads past the next sibling that is shown', () => {
    arrangement.hide(2);
    arrangement.move(3, -1);
    expect(shown()).toEqual([0, 3, 5, 1, 4]);
    arrangement.move(3, 1);
    arrangement.move(3, 1);
    expect(shown()).toEqual([0, 1, 4, 3, 5]);
    arrangement.move(3, 1);
    expect(shown()).toEqual([0, 1, 4, 3, 5]);
    arrangement.showAll();
    expect(shown().filter((id) => id !== 2)).toEqual([0, 1, 4, 3, 5]);
  });
  it('follows what was shown when later moves change places that earlier ones referred to', () => {
    arrangement.moveBefore(2, 1);
    arrangement.moveBefore(3, 2);
    arrangement.moveBefore(2, null);
    expect(shown()).toEqual([0, 3, 5, 1, 4, 2]);
  });
  it('leaves tracks that come later in their places', () => {
    arrangement.moveBefore(4, 1);
    add([thread(6, 'latecomer')]);
    expect(shown()).toEqual([0, 4, 1, 2, 3, 5, 6]);
  });
  it('keeps one of several moves of a track in a row', () => {
    for (let i = 0; i < 5; i += 1) arrangement.move(1, 1);
    expect(arrangement.choices.value.moves).toHaveLength(1);
  });
});

describe('folding and heights', () => {
  it('folds all but headings, except for some, and those that come later too', () => {
    arrangement.foldAll(true);
    add([thread(6, 'latecomer')]);
    expect(shown()).toEqual([0, 1, 2, 3, 4, 6]);
    expect([0, 3, 6].map(arrangement.isFolded)).toEqual([false, true, true]);
    arrangement.toggleFolded(3);
    expect(shown()).toEqual([0, 1, 2, 3, 5, 4, 6]);
    arrangement.foldAll(false);
    expect([0, 1, 3].map(arrangement.isFolded)).toEqual([false, false, false]);
  });
  it('makes rows of one or of all tracks compact', () => {
    const heights = () =>
      layOut(arrangement.ordered.value, { compact: arrangement.compact.value }).tracks.map(
        ({ rowHeight }) => rowHeight,
      );
    arrangement.toggleCompact(2);
    expect(heights()).toEqual([17, 17, 7, 17, 17, 17]);
    arrangement.setCompact(true);
    arrangement.toggleCompact(2);
    expect(heights()).toEqual([17, 7, 17, 7, 17, 7]);
  });
});

describe('what the person has chosen', () => {
  it('is a plain object, and the same when a file is opened again with other ids', () => {
    const order = ['worker two', 'main', 'prog', 'idle'];
    arrangement.togglePinned(3);
    arrangement.togglePinned(1);
    arrangement.hide(2);
    arrangement.foldAll(true);
    arrangement.moveBefore(4, null);
    const names = (of: Arrangement) => shown(of).map((id) => of.find(id)?.name);
    expect(names(arrangement)).toEqual(order);
    const stored = JSON.stringify(arrangement.choices.value);

    const other = opened([]);
    other.choices.value = readChoices(JSON.parse(stored));
    expect(shown(other)).toEqual([]);
    add([
      { ...PROCESS, id: 7 },
      { ...thread(4, 'idle'), id: 8, parent: 7 },
      { ...thread(3, 'worker two'), id: 9, parent: 7 },
    ]);
    expect(names(other)).toEqual(['worker two', 'prog', 'idle']);
    add([
      { ...thread(2, 'worker one'), id: 10, parent: 7 },
      { ...COUNTER, id: 11, parent: 9 },
      { ...thread(1, 'main'), id: 12, parent: 7 },
    ]);
    expect(names(other)).toEqual(order);
    expect(JSON.stringify(other.choices.value)).toBe(stored);
    other.choices.value = NO_CHOICES;
    expect(shown(other)).toHaveLength(6);
  });
  it('is read from damaged storage as far as it is there', () => {
    for (const damaged of [null, 5, 'x', [], {}]) expect(readChoices(damaged)).toEqual(NO_CHOICES);
    const stored = {
      folded: { all: 'yes', except: ['a', 'a', 7] },
      compact: 3,
      pinned: 'a',
      hidden: ['b', null],
      only: 5,
      moves: [['a', 'b'], ['a'], 7, [1, 2], ['a', null]],
    };
    expect(readChoices(stored)).toEqual({
      ...NO_CHOICES,
      folded: { all: false, except: ['a'] },
      hidden: ['b'],
      moves: [
        ['a', 'b'],
        ['a', null],
      ],
    });
  });
  it('tells tracks of one name apart', () => {
    const twins = [1, 2, 3].map((id) => aTrack({ id, kind: 'lane', name: 'frames' }));
    arrangement = opened(twins);
    arrangement.hide(2);
    expect(shown()).toEqual([1, 3]);
    expect(new Set(arrangement.choices.value.hidden)).toEqual(new Set(['lane frames #2']));
  });
  it('includes derived tracks, by what they were made from', () => {
    const kept = (id: number): KeyedTrack => ({ ...aTrack({ id, name: 'draw' }), madeFrom: 'function 3' });
    derived.value = [kept(0x8000_0001)];
    arrangement.hide(0x8000_0001);
    expect(shown()).not.toContain(0x8000_0001);
    derived.value = [];
    expect(shown()).toHaveLength(6);
    derived.value = [kept(0x8000_0002)];
    expect(shown()).not.toContain(0x8000_0002);
    arrangement.showAll();
    arrangement.moveBefore(0x8000_0002, null);
    expect(shown().at(-1)).toBe(0x8000_0002);
  });
});
