import type { Feature } from '../../page/page.ts';
import { NOTE_COMMANDS } from './commands.ts';
import { NotesButton } from './notes_button.tsx';

/** Notes on places and ranges of a trace. */
export const NOTES: Feature = {
  button: NotesButton,
  commands: NOTE_COMMANDS,
  sheet: [{ title: 'Notes', place: 7 }],
};
