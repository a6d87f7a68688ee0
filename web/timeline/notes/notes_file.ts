import type { Ticks } from '../../base/protocol.ts';
import { MAX_TICKS } from '../../base/ticks.ts';
import type { FileIdentity } from '../../trace/file_memory.ts';

/** The colours of notes, in the order in which they are given. */
export const NOTE_COLOURS = ['yellow', 'blue', 'green', 'red', 'purple', 'grey'] as const;

/** The colour of a note. Each theme has its own shade of it. */
export type NoteColour = (typeof NOTE_COLOURS)[number];

/** What a note is about, besides its position. */
export interface NotePlace {
  /** Id of the track. */
  readonly track: number;
  /** Signed depth of the slice; null for an instant or a record. */
  readonly depth: number | null;
}

/** What a person has written about a position or a range of a trace. */
export interface NoteText {
  readonly from: Ticks;
  /** End of the range, exclusive and above `from`; null for a position. */
  readonly to: Ticks | null;
  readonly text: string;
  readonly colour: NoteColour;
  readonly place: NotePlace | null;
}

/** The notes in a file of notes. */
export interface NotesFile {
  /** The trace that they are about, as far as the file says. */
  readonly about: Partial<FileIdentity>;
  readonly notes: readonly NoteText[];
  /** Number of entries that are not notes. */
  readonly wrong: number;
}

/** Most notes of a trace. */
export const MOST_NOTES = 2000;
/** Most characters of a note. */
export const LONGEST_NOTE = 1000;
/** Bytes of the largest file in which notes are looked for. */
const LARGEST = 8_000_000;

/** Notes as JSON values, as they are stored and exported. */
export function notesToJson(notes: readonly NoteText[]): readonly object[] {
  return notes.map(({ from, to, text, colour, place }) => ({
    // Positions have 64 bits, which JSON numbers do not hold.
    ...(to === null ? { at: from.toString() } : { from: from.toString(), to: to.toString() }),
    text,
    colour,
    ...(place && { track: place.track, ...(place.depth === null ? {} : { depth: place.depth }) }),
  }));
}

/** The notes in JSON values of any origin, and the number of values that are not notes. */
export function notesFromJson(values: unknown): { readonly notes: readonly NoteText[]; readonly wrong: number } {
  if (!Array.isArray(values)) return { notes: [], wrong: values === undefined ? 0 : 1 };
  const found = values.map(noteFromJson);
  const notes = found.filter((note) => note !== null).slice(0, MOST_NOTES);
  return { notes, wrong: values.length - notes.length };
}

/** The text of a file of notes. */
export function notesFile(notes: readonly NoteText[], about: FileIdentity): string {
  return `${JSON.stringify({ unspool: 'notes', version: 1, file: about, notes: notesToJson(notes) }, null, 2)}\n`;
}

/** Reads the text of a file of notes. Returns null if it is something else. */
export function readNotesFile(text: string): NotesFile | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { unspool, version, file, notes } = value as Record<string, unknown>;
  if (unspool !== 'notes' || version !== 1) return null;
  return { about: identityIn(file), ...notesFromJson(notes) };
}

/** Files that were chosen together, with the files of notes among them read. */
export interface Sorted {
  readonly notes: readonly NotesFile[];
  readonly others: readonly File[];
}

/** Whether a file may hold notes, by its name and size. */
export function mayBeNotes({ name, size }: File): boolean {
  return /\.json$/i.test(name) && size <= LARGEST;
}

/** Reads the files of notes among `files`. */
export async function sortOutNotes(files: readonly File[]): Promise<Sorted> {
  const read = await Promise.all(
    files.map(async (file) => {
      if (!mayBeNotes(file)) return null;
      return readNotesFile(await file.text().catch(() => ''));
    }),
  );
  return { notes: read.filter((it) => it !== null), others: files.filter((_, i) => read[i] === null) };
}

function noteFromJson(value: unknown): NoteText | null {
  if (typeof value !== 'object' || value === null) return null;
  const { at, from, to, text, colour, track, depth } = value as Record<string, unknown>;
  const first = positionIn(at ?? from);
  const last = at === undefined ? positionIn(to) : null;
  if (first === null || (at === undefined && (last === null || last <= first))) return null;
  return {
    from: first,
    to: last,
    text: typeof text === 'string' ? text.slice(0, LONGEST_NOTE) : '',
    colour: NOTE_COLOURS.find((known) => known === colour) ?? NOTE_COLOURS[0],
    place: isWhole(track) && track >= 0 ? { track, depth: isWhole(depth) ? depth : null } : null,
  };
}

function positionIn(value: unknown): Ticks | null {
  const digits = isWhole(value) ? String(value) : value;
  if (typeof digits !== 'string' || !/^\d{1,20}$/.test(digits)) return null;
  const at = BigInt(digits);
  return at <= MAX_TICKS ? (at as Ticks) : null;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function identityIn(file: unknown): Partial<FileIdentity> {
  if (typeof file !== 'object' || file === null) return {};
  const { name, size, head } = file as Record<string, unknown>;
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof size === 'number' ? { size } : {}),
    ...(typeof head === 'string' ? { head } : {}),
  };
}
