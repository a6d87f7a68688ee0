import type { Note } from '../../model/notes.ts';
import { toPixel } from '../../model/view.ts';
import type { OpenTrace } from '../../model/workbench.ts';

/** The place of a note on the timeline. */
export interface Placed {
  readonly note: Note;
  /** CSS pixels from the left edge of the timeline, which may lie outside of it; equal for a position. */
  readonly left: number;
  readonly right: number;
}

/** The notes on the screen, in their order. */
export function placedNotes({ notes, timeline }: OpenTrace): readonly Placed[] {
  const view = timeline.view.value;
  const { width } = timeline.size.value;
  if (!view || width === 0) return [];
  return notes.list.value
    .map((note) => {
      const left = toPixel(view, note.from);
      return { note, left, right: note.to === null ? left : toPixel(view, note.to) };
    })
    .filter(({ left, right }) => right >= 0 && left <= width);
}
