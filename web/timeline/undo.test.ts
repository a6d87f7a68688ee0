import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import type { Parts } from '../trace/file_memory.ts';
import type { Change } from '../trace/transforms.ts';
import type { Extent } from '../trace/view.ts';
import { type Arrangement, createArrangement } from './arrangement.ts';
import { createNotes, type Notes } from './notes/notes.ts';
import { notesToJson } from './notes/notes_file.ts';
import { rememberTracks } from './track_memory.ts';
import { createUndo, type Undo, type Undoable } from './undo.ts';

const TRACKS = [5, 6, 7].map((id) => aTrack({ id, rows: 3, name: `thread ${id}`, thread: id }));
const parts = signal<Parts | null>(null);
const range = signal<Extent | null>(null);
const highlighted = signal(-1);
const functionFilter = signal('');
let arrangement: Arrangement;
let notes: Notes;
let undo: Undo;
let now: number;

/** Lets the acts until now be recorded. */
const recorded = () => Promise.resolve();
const extent = (from: number, to: number): Extent => ({ from: ticks(BigInt(from)), to: ticks(BigInt(to)) });

beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  parts.value = {};
  range.value = null;
  highlighted.value = -1;
  functionFilter.value = '';
  const memory = {
    parts,
    identity: signal(null),
    put: (part: 'notes' | 'tracks' | 'events', value: unknown) => {
      parts.value = { ...parts.peek(), [part]: value };
    },
  };
  arrangement = createArrangement(signal(new Map(TRACKS.map((track) => [track.id, track]))), signal([]));
  rememberTracks(memory, arrangement.choices);
  notes = createNotes(memory);
  undo = createUndo({
    memory,
    notes,
    timeline: { arrangement },
    statistics: { range, highlighted, functionFilter, whose: signal('all'), choices: signal([]) },
    events: { filter: { text: signal('') }, isByValues: signal(false), valuesText: signal('') },
    callPaths: { changes: signal<readonly Change[]>([]) },
    trace: { names: { of: (id: number) => `f${id}` } },
  } as unknown as Undoable);
  return recorded();
});

afterEach(() => {
  undo.dispose();
  vi.restoreAllMocks();
});

describe('undo', () => {
  it('takes back what was done about tracks, with words, and does it again', async () => {
    const acts: readonly (readonly [() => void, string])[] = [
      [() => arrangement.hide(7), 'hide thread 7'],
      [() => arrangement.toggleFolded(5), 'fold thread 5'],
      [() => arrangement.toggleFolded(5), 'unfold thread 5'],
      [() => arrangement.toggleCompact(6), 'make thread 6 compact'],
      [() => arrangement.setCompact(true), 'make all tracks compact'],
      [() => arrangement.toggleCompact(6), 'show thread 6 in full height'],
      [() => arrangement.togglePinned(5), 'pin thread 5'],
      [() => arrangement.togglePinned(5), 'unpin thread 5'],
      [() => arrangement.move(5, 1), 'move thread 5'],
      [() => arrangement.showOnly(6), 'hide all tracks but thread 6'],
      [() => arrangement.showAll(), 'show hidden tracks'],
      [() => arrangement.foldAll(true), 'fold all tracks'],
      [() => arrangement.toggleOpened(6), 'show all rows of thread 6'],
      [() => arrangement.toggleOpened(6), 'show fewer rows of thread 6'],
      [() => arrangement.setLook(5, { log: true }), 'change the graph of thread 5'],
    ];
    const states = [arrangement.choices.value];
    for (const [act, words] of acts) {
      act();
      await recorded();
      expect(undo.undoable.value).toBe(words);
      states.push(arrangement.choices.value);
    }
    for (let i = acts.length - 1; i >= 0; i -= 1) {
      expect(undo.undoable.value).toBe(acts[i]![1]);
      undo.undo();
      await recorded();
      expect(arrangement.choices.value).toEqual(states[i]);
      expect(undo.redoable.value).toBe(acts[i]![1]);
    }
    expect(undo.undoable.value).toBe('');
    undo.undo();
    for (let i = 1; i <= acts.length; i += 1) {
      undo.redo();
      await recorded();
      expect(arrangement.choices.value).toEqual(states[i]);
    }
    expect(undo.redoable.value).toBe('');
  });

  it('takes back ranges, highlights and filters', async () => {
    range.value = extent(1, 5);
    await recorded();
    range.value = extent(2, 3);
    await recorded();
    expect(undo.undoable.value).toBe('change range');
    for (const name of [4, 8, 3]) {
      highlighted.value = name;
      await recorded();
      now += 60_000;
    }
    expect(undo.undoable.value).toBe('highlight f3');
    for (const text of ['m', 'ma', 'mai']) {
      functionFilter.value = text;
      await recorded();
      now += 500;
    }
    now += 60_000;
    functionFilter.value = '';
    await recorded();
    undo.undo();
    expect(functionFilter.value).toBe('mai');
    undo.undo();
    expect(functionFilter.value).toBe('');
    undo.undo();
    expect(highlighted.value).toBe(-1);
    undo.undo();
    expect(range.value).toEqual(extent(1, 5));
    undo.undo();
    expect([range.value, undo.undoable.value]).toEqual([null, '']);
  });

  it('takes back notes: made, changed and deleted', async () => {
    const place = { to: null, place: null };
    const note = notes.add({ from: ticks(5n), text: '', ...place })!;
    await recorded();
    for (const text of ['w', 'wh', 'why']) {
      now += 5000;
      notes.change(note.id, { text });
      await recorded();
    }
    notes.edited.value = null;
    now += 5000;
    expect(undo.undoable.value).toBe('add note');
    notes.change(note.id, { colour: 'red' });
    await recorded();
    expect(undo.undoable.value).toBe('change note');
    notes.remove(note.id);
    await recorded();
    expect(undo.undoable.value).toBe('delete note');
    undo.undo();
    expect(notes.list.value).toMatchObject([{ text: 'why', colour: 'red' }]);
    undo.undo();
    expect(notes.list.value).toMatchObject([{ text: 'why' }]);
    expect(notes.list.value[0]!.colour).not.toBe('red');
    undo.undo();
    expect([notes.list.value, undo.undoable.value]).toEqual([[], '']);
    undo.redo();
    expect(notes.list.value).toMatchObject([{ text: 'why' }]);
    // As the store has it.
    expect(parts.value?.notes).toMatchObject([{ text: 'why' }]);
  });

  it('forgets a note that was cancelled', async () => {
    const note = notes.add({ from: ticks(5n), text: 'f', to: null, place: null })!;
    await recorded();
    notes.remove(note.id);
    await recorded();
    expect(undo.undoable.value).toBe('');
  });

  it('does not take back what comes from the store, or from a link', async () => {
    const other = [{ from: ticks(9n), to: null, text: 'of another tab', colour: 'red', place: null }] as const;
    arrangement.hide(7);
    await recorded();
    parts.value = { ...parts.peek(), notes: notesToJson(other), tracks: undefined };
    await recorded();
    expect(notes.list.value.length).toBe(1);
    expect(undo.undoable.value).toBe('hide thread 7');
    range.value = extent(1, 2);
    undo.forget();
    await recorded();
    expect(undo.undoable.value).toBe('');
  });

  it('joins what changes at once, and a new act ends what could be done again', async () => {
    range.value = extent(1, 2);
    highlighted.value = 3;
    await recorded();
    expect(undo.undoable.value).toBe('set range and highlight f3');
    undo.undo();
    expect([range.value, highlighted.value]).toEqual([null, -1]);
    arrangement.hide(7);
    await recorded();
    expect([undo.undoable.value, undo.redoable.value]).toEqual(['hide thread 7', '']);
  });
});
