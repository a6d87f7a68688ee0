import { type Signal, signal } from '@preact/signals';
import { beforeEach, describe, expect, it } from 'vitest';
import { ticks } from '../../base/ticks.ts';
import type { FileIdentity, Parts } from '../../trace/file_memory.ts';
import { createNotes, type Notes } from './notes.ts';
import { MOST_NOTES, type NoteText, notesFile, readNotesFile, sortOutNotes } from './notes_file.ts';

const IDENTITY: FileIdentity = { name: 'a.xray', size: 7, head: 'ed70' };
let parts: Signal<Parts | null>;
let notes: Notes;

beforeEach(() => {
  parts = signal<Parts | null>({});
  notes = notesOn();
});

const notesOn = () =>
  createNotes({
    parts,
    identity: signal(IDENTITY),
    put: (part, value) => {
      parts.value = { ...parts.peek(), [part]: value };
    },
  });
const at = (from: number, text = ''): Omit<NoteText, 'colour'> => ({
  from: ticks(BigInt(from)),
  to: null,
  text,
  place: null,
});
const range = (from: number, to: number, text = '') => ({ ...at(from, text), to: ticks(BigInt(to)) });
const texts = (of = notes) => of.list.value.map(({ text }) => text);

describe('notes', () => {
  it('are listed by position, ranges after positions', () => {
    notes.add(range(5, 9, 'range'));
    notes.add(at(7, 'last'));
    notes.add(at(5, 'first'));
    expect(texts()).toEqual(['first', 'range', 'last']);
  });
  it('are edited once they are added, also the second time at a place', () => {
    const first = notes.add(at(5))!;
    expect(notes.edited.value).toEqual({ id: first.id, isNew: true, writes: true });
    notes.add(range(5, 6));
    expect(notes.add(at(5, 'again'))?.id).toBe(first.id);
    expect(notes.edited.value).toEqual({ id: first.id, isNew: false, writes: true });
    expect(notes.list.value.length).toBe(2);
    notes.remove(first.id);
    expect(notes.edited.value).toBeNull();
  });
  it('have colours of their own', () => {
    for (let i = 0; i < 4; i += 1) notes.add(at(i));
    expect(new Set(notes.list.value.map(({ colour }) => colour)).size).toBe(4);
  });
  it('are remembered, and forgotten with the last one', () => {
    const { id } = notes.add(at(5))!;
    notes.change(id, { text: 'a text', colour: 'red' });
    notes.add({ ...range(8, 20, 'r'), place: { track: 3, depth: -1 } });
    const again = notesOn();
    const plain = (of: Notes) => of.list.value.map(({ id: _, ...note }) => note);
    expect(plain(again)).toEqual(plain(notes));
    expect(texts(again)).toEqual(['a text', 'r']);
    for (const note of notes.list.value) notes.remove(note.id);
    expect(parts.value?.notes).toBeUndefined();
    // The other tab, so to speak.
    expect(again.list.value).toEqual([]);
  });
  it('join what is remembered if they were made before it was known', () => {
    notes.add(at(9, 'stored'));
    const stored = parts.value;
    parts.value = null;
    const late = notesOn();
    late.add(at(1, 'early'));
    expect(parts.value).toBeNull();
    parts.value = stored;
    expect(texts(late)).toEqual(['early', 'stored']);
    expect(texts(notesOn())).toEqual(['early', 'stored']);
    expect(late.edited.value).not.toBeNull();
  });
  it('are not doubled by one that was made before the stored one was known', () => {
    notes.add(at(9, 'stored'));
    const stored = parts.value;
    parts.value = null;
    const late = notesOn();
    late.add(at(9, 'early'));
    parts.value = stored;
    expect(texts(late)).toEqual(['stored']);
    expect(late.edited.value).toEqual({ id: late.list.value[0]!.id, isNew: false, writes: true });
  });
  it('keep being edited when another part changes', () => {
    notes.add(at(9));
    parts.value = { tracks: 1, notes: JSON.parse(JSON.stringify(parts.value?.notes)) };
    expect(notes.edited.value).not.toBeNull();
  });
  it('have a limit', () => {
    const many = Array.from({ length: MOST_NOTES + 5 }, (_, i) => ({ ...at(i), colour: 'red' as const }));
    expect(notes.take({ about: {}, notes: many, wrong: 0 })).toContain('5 omitted');
    expect(notes.list.value.length).toBe(MOST_NOTES);
    expect(notes.add(at(99_999))).toBeNull();
  });
});

describe('a file of notes', () => {
  it('has all that notes are', () => {
    notes.add({ ...at(5, 'ä\n"'), from: ticks(0xffff_ffff_ffff_ffffn), place: { track: 2, depth: null } });
    notes.add(range(2 ** 53 - 1, 2 ** 53 - 1 + 7));
    const text = notes.exported()!;
    const read = readNotesFile(text)!;
    expect(read.about).toEqual(IDENTITY);
    expect(read.notes).toEqual(notes.list.value.map(({ id: _, ...note }) => note));
    expect(notesFile(read.notes, IDENTITY)).toBe(text);
  });
  it('adds notes that do not exist yet', () => {
    notes.add(at(5, 'one'));
    const file = readNotesFile(notes.exported()!)!;
    expect(notes.take(file)).toBe('0\u00a0notes added. 1\u00a0note already existed.');
    notes.remove(notes.list.value[0]!.id);
    expect(notes.take({ ...file, notes: [...file.notes, ...file.notes] })).toContain('1\u00a0note added.');
    expect(texts()).toEqual(['one']);
  });
  it('may be about another file, which is said', () => {
    const file = { about: { ...IDENTITY, size: 8, name: 'b.xray' }, notes: [], wrong: 0 };
    expect(notes.take(file)).toContain('another file, b.xray');
    expect(notes.take({ ...file, about: { ...IDENTITY, name: 'renamed.xray' } })).not.toContain('another file');
  });
  it('may hold entries that are no notes', () => {
    const wrong = [
      null,
      5,
      {},
      { at: '-1' },
      { at: 1.5 },
      { from: '5', to: '5' },
      { from: '5' },
      { at: '9'.repeat(20) },
    ];
    const right = [{ at: '5' }, { at: 6, colour: 'none', track: -1 }, { from: 1, to: '2', text: 3 }];
    const text = JSON.stringify({ unspool: 'notes', version: 1, notes: [...wrong, ...right] });
    const read = readNotesFile(text)!;
    expect(read.wrong).toBe(wrong.length);
    expect(read.notes.map(({ from, to }) => [from, to])).toEqual([
      [5n, null],
      [6n, null],
      [1n, 2n],
    ]);
    expect(read.notes.every(({ text, place }) => text === '' && place === null)).toBe(true);
    expect(notes.take(read)).toContain('8\u00a0entries of the file could not be read.');
  });
  it('is told apart from other files', async () => {
    for (const other of ['', '[]', 'null', '{"unspool":"notes","version":2,"notes":[]}', '{"version":1,"notes":[]}']) {
      expect(readNotesFile(other)).toBeNull();
    }
    const own = new File([notes.exported()!], 'a.JSON');
    const others = [new File(['{}'], 'b.json'), new File([notes.exported()!], 'c.txt')];
    const sorted = await sortOutNotes([own, ...others]);
    expect(sorted.notes.length).toBe(1);
    expect(sorted.others).toEqual(others);
  });
});
