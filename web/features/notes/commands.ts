import { onTrace } from '../../page/commands.ts';
import type { Command, Surface } from '../../page/page.ts';
import { noteHere, rangeHere } from '../../timeline/notes/places.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

const sheet = { group: 'Notes' };

/** What adds notes. */
export const NOTE_COMMANDS: readonly Command[] = [
  onTrace('add-note', 'Add a note at the selection or the pointer', ['m'], addNote, {
    inMenu: 'Add a note',
    part: 'note',
    sheet,
  }),
  onTrace('keep-range', 'Keep the range as a note', ['shift m'], ({ open }) => keepRange(open), {
    needs: ({ open }) => rangeHere(open) !== null,
    part: 'keep range',
    sheet,
  }),
];

/** Adds a note at the selection, or else at the pointer or in the middle of the screen. */
export function addNote({ open, pointer }: Surface): void {
  const note = noteHere(open, pointer.peek()?.x ?? null);
  if (note) open.notes.add(note);
}

/** Adds a note on the range, or else on that of the selection. */
export function keepRange(open: OpenTrace): void {
  const note = rangeHere(open);
  if (note) open.notes.add(note);
}
