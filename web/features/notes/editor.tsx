import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note } from '../../timeline/notes/notes.ts';
import { LONGEST_NOTE, NOTE_COLOURS, type NoteText } from '../../timeline/notes/notes_file.ts';
import { noteColour } from './colour.ts';
import './notes.css';

interface Props {
  readonly note: Note;
  /** The note was just made: Escape removes it. */
  readonly isNew: boolean;
  /** The text takes the focus. */
  readonly writes: boolean;
  readonly change: (change: Partial<Pick<NoteText, 'text' | 'colour'>>) => void;
  readonly remove: () => void;
  readonly close: () => void;
}

/** The text and the colour of a note. Changes apply at once; Escape takes them back. */
export function NoteEditor({ note, isNew, writes, change, remove, close }: Props) {
  const first = useRef(note);
  const input = useRef<HTMLInputElement>(null);
  // Before the next key, which belongs to the text.
  useLayoutEffect(() => {
    if (!writes) return;
    input.current?.focus();
    input.current?.select();
  }, [writes]);
  const cancel = () => {
    const { text, colour } = first.current;
    if (isNew) remove();
    else change({ text, colour });
    close();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is for all of the controls in it.
    <div
      class="note-editor"
      onKeyDown={(event) => {
        if (event.key === 'Escape') cancel();
        else if (event.key === 'Enter' && event.target === input.current) close();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <input
        ref={input}
        type="text"
        class="note-text"
        aria-label="Text of the note"
        placeholder="Note"
        maxLength={LONGEST_NOTE}
        value={note.text}
        onInput={(event) => change({ text: event.currentTarget.value })}
      />
      <div class="note-colours row" role="radiogroup" aria-label="Colour">
        {NOTE_COLOURS.map((colour) => (
          <input
            key={colour}
            type="radio"
            name={`note-colour-${note.id}`}
            aria-label={colour}
            title={colour}
            checked={note.colour === colour}
            style={{ '--note': noteColour(colour) }}
            onChange={() => change({ colour })}
          />
        ))}
        <button
          type="button"
          class="plain"
          onClick={() => {
            remove();
            close();
          }}
        >
          Delete
        </button>
      </div>
    </div>
  );
}
