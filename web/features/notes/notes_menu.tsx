import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { formatCounted, formatLength, formatPosition, shortened } from '../../base/format.ts';
import type { Page } from '../../page/page.ts';
import { Popover } from '../../parts/popover.tsx';
import type { Note } from '../../timeline/notes/notes.ts';
import { goToNote, rangeHere } from '../../timeline/notes/places.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { saveBlob } from '../../trace/save_blob.ts';
import { noteColour } from './colour.ts';
import { addNote, keepRange } from './commands.ts';
import { NoteEditor } from './editor.tsx';
import './notes_menu.css';

interface Props {
  readonly open: OpenTrace;
  readonly page: Page;
}

interface MenuProps extends Props {
  /** Closes the menu. */
  readonly close: () => void;
}

/** The menu of notes: their list, files of notes, and what is stored. */
export function NotesMenu({ open, page, close }: MenuProps) {
  const { notes } = open;
  const input = useRef<HTMLInputElement>(null);
  const edited = useSignal<number | null>(null);
  const list = notes.list.value;
  const surface = page.surface.value;
  /** Makes a note, which is written on the timeline. */
  const make = (act: () => void) => {
    close();
    act();
  };
  return (
    <Popover class="notes-popover popover-end" label="Notes">
      <div class="notes-actions row">
        <button
          type="button"
          title="At the selection, or in the middle of the screen (M)"
          onClick={() => make(() => surface && addNote(surface))}
        >
          Add note
        </button>
        <button
          type="button"
          disabled={!surface || rangeHere(open) === null}
          title="Keep the range, or that of the selection, as a note (Shift+M)"
          onClick={() => make(() => keepRange(open))}
        >
          Keep range
        </button>
        <span class="notes-files">
          <button
            type="button"
            class="plain"
            disabled={list.length === 0 || !open.memory.identity.value}
            title="Save all notes as a file"
            onClick={() => save(open)}
          >
            Export
          </button>
          <button type="button" class="plain" title="Add the notes of a file" onClick={() => input.current?.click()}>
            Import…
          </button>
          <input
            ref={input}
            hidden
            type="file"
            accept=".json"
            onChange={(event) => {
              void page.workbench.openFiles([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = '';
            }}
          />
        </span>
      </div>
      {list.length === 0 ? (
        <p class="muted notes-empty">
          <kbd>M</kbd> adds a note at the selection or the pointer. <kbd>Shift</kbd> <kbd>M</kbd> keeps a range.
        </p>
      ) : (
        <ul class="notes-list">
          {list.map((note) => (
            <li key={note.id} class={edited.value === note.id ? 'notes-edit' : undefined}>
              {edited.value === note.id ? (
                <NoteEditor
                  note={note}
                  isNew={false}
                  writes
                  change={(change) => notes.change(note.id, change)}
                  remove={() => notes.remove(note.id)}
                  close={() => (edited.value = null)}
                />
              ) : (
                <Row open={open} note={note} edited={edited} />
              )}
            </li>
          ))}
        </ul>
      )}
      <Stored open={open} page={page} />
    </Popover>
  );
}

function Row({ open, note, edited }: { open: OpenTrace; note: Note; edited: Signal<number | null> }) {
  const info = open.trace.info.value;
  const extent = open.trace.progress.value.extent;
  const { from, to, text, colour } = note;
  const position = info && extent ? formatPosition(from, extent.from, info.clock) : '';
  const length = to !== null && info ? formatLength(to - from, info.clock) : '';
  return (
    <div class="notes-row">
      <button
        type="button"
        class="plain notes-go row grow"
        title="Go there"
        onClick={() => void goToNote(note, open, true)}
      >
        <span
          class={to === null ? 'notes-dot rigid' : 'notes-dot rigid wide'}
          style={{ background: noteColour(colour) }}
        />
        <span class="notes-text ellipsis grow">{shortened(text) || (to === null ? 'Note' : 'Range')}</span>
        <span class="muted">{length === '' ? position : `${length} from ${position}`}</span>
      </button>
      <button
        type="button"
        class="plain icon"
        aria-label={`Edit ${shortened(text) || 'note'}`}
        title="Edit"
        onClick={() => (edited.value = note.id)}
      >
        <svg width="13" height="13" viewBox="0 0 13 13" aria-hidden="true">
          <path d="M1.5 11.5l.6-2.8 7-7 2.2 2.2-7 7z" />
        </svg>
      </button>
      <button
        type="button"
        class="plain icon"
        aria-label={`Delete ${shortened(text) || 'note'}`}
        title="Delete"
        onClick={() => open.notes.remove(note.id)}
      >
        ×
      </button>
    </div>
  );
}

/** Where notes are kept, and how they are deleted. */
function Stored({ open, page }: Props) {
  const { memory } = open;
  const parts = memory.parts.value;
  const files = page.memory.count();
  const hasOwn = parts !== null && Object.values(parts).some((part) => part !== undefined);
  return (
    <div class="notes-stored row wrap small">
      <p class="muted">
        {memory.isStored.value
          ? 'Stored in this browser only, for this file.'
          : 'This browser denies storage, or has no room left, so notes last until the page is closed. Export them to keep them.'}
      </p>
      {hasOwn && <Confirmed text="Delete all for this file" act={memory.forget} />}
      {(files > 1 || (files === 1 && !hasOwn)) && (
        <Confirmed text={`Delete all for ${formatCounted(files, 'file')}`} act={page.memory.forgetAll} />
      )}
    </div>
  );
}

/** A button that acts at the second click. */
function Confirmed({ text, act }: { text: string; act: () => void }) {
  const asked = useSignal(false);
  return (
    <button
      type="button"
      class={asked.value ? 'warning-text' : 'plain'}
      onBlur={() => (asked.value = false)}
      onClick={() => {
        if (asked.peek()) act();
        asked.value = !asked.peek();
      }}
    >
      {asked.value ? 'Really delete?' : text}
    </button>
  );
}

function save({ notes, trace }: OpenTrace): void {
  const text = notes.exported();
  if (text !== null) saveBlob(new Blob([text], { type: 'application/json' }), `${trace.name}.notes.json`);
}
