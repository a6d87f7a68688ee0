import { NotesButton } from '../header/notes_button.tsx';
import type { Feature } from '../page.ts';
import { NOTE_COMMANDS } from './commands.ts';

/** Notes on places and ranges of a trace. */
export const NOTES: Feature = {
  button: NotesButton,
  commands: NOTE_COMMANDS,
  sheet: [{ title: 'Notes', place: 7 }],
};
