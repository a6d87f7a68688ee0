import type { OpenTrace } from '../../timeline/open_trace.ts';
import { fitted, toPixel } from '../../trace/view.ts';
import { noteColour } from './colour.ts';
import { placedNotes } from './placed.ts';
import './notes.css';

/** Lines through the timeline at the notes, and bands for ranges. */
export function NoteLines({ open }: { open: OpenTrace }) {
  const { width } = open.timeline.size.value;
  return (
    <>
      {placedNotes(open).map(({ note, left, right }) => {
        // Browsers lose precision far outside the screen, so a band ends just beyond it.
        const from = Math.max(-2, left);
        const size = note.to === null ? 1 : Math.max(1, Math.min(width + 2, right) - from);
        return (
          <div
            key={note.id}
            class={note.to === null ? 'note-pole' : 'note-band'}
            style={{ '--note': noteColour(note.colour), left: `${from}px`, width: `${size}px` }}
          />
        );
      })}
    </>
  );
}

/** Marks of all notes on the overview. */
export function NoteMarks({ open }: { open: OpenTrace }) {
  const { notes, timeline } = open;
  const whole = timeline.whole.value;
  const width = timeline.buckets.value;
  if (!whole || width === 0) return null;
  const strip = fitted(whole, width, timeline.margin.value);
  return (
    <>
      {notes.list.value.map(({ id, from, to, colour }) => {
        const left = toPixel(strip, from);
        const size = to === null ? 3 : Math.max(3, toPixel(strip, to) - left);
        return (
          <div
            key={id}
            class="note-mark"
            style={{ '--note': noteColour(colour), left: `${to === null ? left - 1 : left}px`, width: `${size}px` }}
          />
        );
      })}
    </>
  );
}
