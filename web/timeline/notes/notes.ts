import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { formatCounted, shortened } from '../../base/format.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { watch } from '../../base/watch.ts';
import type { FileMemory } from '../../trace/file_memory.ts';
import {
  LONGEST_NOTE,
  MOST_NOTES,
  NOTE_COLOURS,
  type NotesFile,
  type NoteText,
  notesFile,
  notesFromJson,
  notesToJson,
} from './notes_file.ts';

/** A note of an open trace. */
export interface Note extends NoteText {
  /** Unique in the trace while it is open. */
  readonly id: number;
}

/** The note whose text and colour are being edited. */
export interface Edited {
  readonly id: number;
  /** It was just made. Cancelling the edit removes it. */
  readonly isNew: boolean;
  /** The text takes the focus: the user wants to write. */
  readonly writes: boolean;
}

/** The notes of a trace: positions and ranges with a text and a colour. They are remembered for the file. */
export interface Notes {
  /** By position. A range comes after a note at its begin. */
  readonly list: ReadonlySignal<readonly Note[]>;
  /** The note that is edited on the timeline, or null. */
  readonly edited: Signal<Edited | null>;
  /** Adds a note, and edits it. One at the same place is edited instead. Returns null if there are too many. */
  add(note: Omit<NoteText, 'colour'>): Note | null;
  change(id: number, change: Partial<Pick<NoteText, 'text' | 'colour'>>): void;
  remove(id: number): void;
  /** Removes the notes with some ids, and adds others with the ids that they had. */
  replace(ids: ReadonlySet<number>, notes: readonly Note[]): void;
  /** The text of a file with all notes; null until the file's identity is known. */
  exported(): string | null;
  /** Adds the notes of a file. Those that exist are left out. Returns a sentence about it. */
  take(file: NotesFile): string;
  readonly dispose: Dispose;
}

/** The notes of a trace, kept in step with what is remembered of its file. */
export function createNotes(memory: Pick<FileMemory, 'parts' | 'identity' | 'put'>): Notes {
  const scope = createScope();
  const list = signal<readonly Note[]>([]);
  const edited = signal<Edited | null>(null);
  let last = 0;
  /** The JSON values that the list was made from, or that were made from it. */
  let known: unknown;
  let loaded = false;

  const numbered = (note: NoteText): Note => {
    last += 1;
    return { ...note, id: last };
  };
  const set = (next: readonly Note[]) => {
    list.value = [...next].sort(byPlace);
    if (!next.some(({ id }) => id === edited.peek()?.id)) edited.value = null;
    // What was made before the file was known joins what is stored.
    if (!loaded) return;
    known = next.length === 0 ? undefined : notesToJson(list.peek());
    memory.put('notes', known);
  };
  const merge = (added: readonly NoteText[]) => {
    const before = list.peek();
    const fresh = added.filter(
      (note, i) => !before.some((it) => same(it, note)) && !added.slice(0, i).some((it) => same(it, note)),
    );
    const taken = fresh.slice(0, Math.max(0, MOST_NOTES - before.length));
    if (taken.length > 0) set([...before, ...taken.map(numbered)]);
    return { taken: taken.length, doubles: added.length - fresh.length, many: fresh.length - taken.length };
  };
  scope.add(
    watch([memory.parts], () => {
      const parts = memory.parts.peek();
      if (!parts || (loaded && JSON.stringify(parts.notes) === JSON.stringify(known))) return;
      const early = loaded ? [] : list.peek();
      const stored = notesFromJson(parts.notes).notes.map((note) => {
        const twin = early.find((it) => isAtSamePlace(it, note));
        return twin ? { ...note, id: twin.id } : numbered(note);
      });
      const fresh = early.filter((it) => !stored.some(({ id }) => id === it.id));
      loaded = true;
      known = parts.notes;
      const open = edited.peek();
      list.value = [...stored, ...fresh].sort(byPlace);
      if (fresh.length > 0) set(list.peek());
      // Escape must not remove what was there before.
      if (open)
        edited.value = early.some(({ id }) => id === open.id)
          ? { ...open, isNew: fresh.some(({ id }) => id === open.id) }
          : null;
    }),
  );
  return {
    list,
    edited,
    add: (note) => {
      const there = list.peek().find((it) => isAtSamePlace(it, note));
      if (there) {
        edited.value = { id: there.id, isNew: false, writes: true };
        return there;
      }
      if (list.peek().length >= MOST_NOTES) return null;
      const colour = NOTE_COLOURS[list.peek().length % NOTE_COLOURS.length]!;
      const added = numbered({ ...note, text: note.text.slice(0, LONGEST_NOTE), colour });
      set([...list.peek(), added]);
      edited.value = { id: added.id, isNew: true, writes: true };
      return added;
    },
    change: (id, change) => {
      const text = change.text?.slice(0, LONGEST_NOTE);
      const changed = { ...change, ...(text === undefined ? {} : { text }) };
      set(list.peek().map((note) => (note.id === id ? { ...note, ...changed } : note)));
    },
    remove: (id) => set(list.peek().filter((note) => note.id !== id)),
    replace: (ids, others) => {
      const kept = list.peek().filter(({ id }) => !ids.has(id));
      // The same may have been stored by another tab.
      const added = others.filter((note) => !kept.some((it) => it.id === note.id || isAtSamePlace(it, note)));
      set([...kept, ...added].slice(0, MOST_NOTES));
    },
    exported: () => {
      const about = memory.identity.peek();
      return about && notesFile(list.peek(), about);
    },
    take: (file) => {
      const { taken, doubles, many } = merge(file.notes);
      const sentences = [`${formatCounted(taken, 'note')} added.`];
      if (doubles > 0) sentences.push(`${formatCounted(doubles, 'note')} already existed.`);
      if (many > 0) sentences.push(`A trace has at most ${formatCounted(MOST_NOTES, 'note')}; ${many} omitted.`);
      if (file.wrong > 0) sentences.push(`${formatCounted(file.wrong, 'entry')} of the file could not be read.`);
      const { name, size, head } = file.about;
      const own = memory.identity.peek();
      const other = own && ((size !== undefined && size !== own.size) || (head && own.head && head !== own.head));
      if (other) sentences.push(`They belong to another file, ${shortened(name ?? 'without a name', 80)}.`);
      return sentences.join(' ');
    },
    dispose: scope.dispose,
  };
}

function byPlace(a: NoteText, b: NoteText): number {
  if (a.from !== b.from) return a.from < b.from ? -1 : 1;
  const [from, to] = [a.to ?? a.from, b.to ?? b.from];
  return from === to ? 0 : from < to ? -1 : 1;
}

function same(a: NoteText, b: NoteText): boolean {
  return a.text === b.text && isAtSamePlace(a, b);
}

type Placed = Pick<NoteText, 'from' | 'to' | 'place'>;

function isAtSamePlace(a: Placed, b: Placed): boolean {
  const isSameItem = a.place?.track === b.place?.track && a.place?.depth === b.place?.depth;
  return a.from === b.from && a.to === b.to && isSameItem;
}
