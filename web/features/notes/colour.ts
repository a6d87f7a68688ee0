import type { NoteColour } from '../../timeline/notes/notes_file.ts';

/** The CSS colour of a note in the theme of the page. */
export function noteColour(colour: NoteColour): string {
  return `var(--note-${colour})`;
}
