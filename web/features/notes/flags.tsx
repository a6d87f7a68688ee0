import { useRef } from 'preact/hooks';
import { formatCounted, formatLength, formatPosition, formatRange, shortened } from '../../base/format.ts';
import type { TraceInfo } from '../../base/protocol.ts';
import { useOneTabStop } from '../../parts/one_tab_stop.ts';
import { useDismissal } from '../../parts/popover.tsx';
import type { Edited, Note } from '../../timeline/notes/notes.ts';
import { goToNote } from '../../timeline/notes/places.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { type Extent, toPixel } from '../../trace/view.ts';
import { noteColour } from './colour.ts';
import { NoteEditor } from './editor.tsx';
import { placedNotes } from './placed.ts';
import './notes.css';

/** CSS pixels of the narrowest flag, and of the narrowest with a text. */
const NARROWEST = 9;
const TEXT_FROM = 22;
/** CSS pixels of the widest flag of a position. */
const WIDEST = 180;
/** CSS pixels of the editor, as in the style sheet. */
const EDITOR = 268;

/** Flags of the notes on the screen, in a line above the timeline. */
export function NoteFlags({ open }: { open: OpenTrace }) {
  const { notes, timeline, trace } = open;
  const line = useRef<HTMLDivElement>(null);
  useOneTabStop(line);
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  if (!info || !extent || notes.list.value.length === 0) return null;
  const { width } = timeline.size.value;
  const placed = placedNotes(open);
  const edited = notes.edited.value;
  const note = edited && notes.list.value.find(({ id }) => id === edited.id);
  return (
    <div class="note-strip small">
      <div class="note-corner muted">Notes</div>
      {/* biome-ignore lint/a11y/useSemanticElements: no form has these. */}
      <div class="note-line" ref={line} role="group" aria-label="Notes">
        {placed.map(({ note, left, right, more }, i) => {
          const from = Math.max(0, left);
          const before = placed[i - 1];
          const next = placed[i + 1];
          // The flag of a position lies over the range that begins there.
          const indent = note.to !== null && before?.note.to === null && from - before.left < NARROWEST ? NARROWEST : 0;
          const room = Math.max(0, Math.min(width, next && next.left >= from ? next.left - 1 : width) - from - indent);
          const own = note.to === null ? WIDEST : Math.min(width, right) - from;
          const size = Math.max(NARROWEST, note.to === null ? Math.min(own, room) : own);
          const text = textOf(note, info);
          return (
            <button
              type="button"
              key={note.id}
              class={note.to === null ? 'note-flag' : 'note-flag wide'}
              aria-label={`${text || 'Note'}, ${placeOf(note, info, extent)}`}
              aria-expanded={edited?.id === note.id}
              title={[text, placeOf(note, info, extent), moreOf(more)].filter(Boolean).join('\n')}
              style={{
                '--note': noteColour(note.colour),
                left: `${from}px`,
                [note.to === null ? 'maxWidth' : 'width']: `${size}px`,
              }}
              onClick={() => {
                void goToNote(note, open, false);
                notes.edited.value = { id: note.id, isNew: false, writes: false };
              }}
              onDblClick={() => void goToNote(note, open, true)}
              onKeyDown={(event) => {
                if (event.key !== 'Delete') return;
                notes.remove(note.id);
              }}
            >
              {Math.min(room, size - indent) >= TEXT_FROM && (
                <span style={{ maxWidth: `${room}px`, marginLeft: `${indent}px` }}>{text}</span>
              )}
            </button>
          );
        })}
      </div>
      {note && edited && <EditorAtFlag key={note.id} open={open} note={note} edited={edited} />}
    </div>
  );
}

/** The editor of a note below its flag, or at the edge nearest to it. */
function EditorAtFlag({ open, note, edited }: { open: OpenTrace; note: Note; edited: Edited }) {
  const { notes, timeline } = open;
  const box = useRef<HTMLDivElement>(null);
  // A flag opens its own editor.
  const isInside = (target: Element) => box.current?.contains(target) || target.closest('.note-flag') !== null;
  useDismissal(true, isInside, () => {
    notes.edited.value = null;
  });
  const view = timeline.view.value;
  const { width } = timeline.size.value;
  const left = view ? Math.max(0, Math.min(width - EDITOR, toPixel(view, note.from))) : 0;
  return (
    <div class="note-popup floating" ref={box} role="dialog" aria-label="Note" style={{ '--at': `${left}px` }}>
      <NoteEditor
        note={note}
        isNew={edited.isNew}
        writes={edited.writes}
        change={(change) => notes.change(note.id, change)}
        remove={() => notes.remove(note.id)}
        close={() => {
          notes.edited.value = null;
        }}
      />
    </div>
  );
}

function textOf({ text, from, to }: Note, { clock }: TraceInfo): string {
  if (text !== '' || to === null) return shortened(text);
  return formatLength(to - from, clock);
}

function moreOf(count: number): string {
  return count === 0 ? '' : `${formatCounted(count, 'more note')} here; zoom in to tell them apart.`;
}

/** The position or the range of a note as text. */
function placeOf({ from, to }: Note, { clock }: TraceInfo, extent: Extent): string {
  return to === null ? formatPosition(from, extent.from, clock) : formatRange(from, to, extent.from, clock);
}
