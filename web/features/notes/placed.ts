import type { Note } from '../../timeline/notes/notes.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { toPixel } from '../../trace/view.ts';

/** CSS pixels between positions below which one stands for both. It bounds the work of a frame. */
const APART = 5;

/** The place of a note on the timeline. */
export interface Placed {
  readonly note: Note;
  /** CSS pixels from the left edge of the timeline, which may lie outside of it; equal for a position. */
  readonly left: number;
  readonly right: number;
  /** Number of further notes at this place, which have no flags of their own. */
  readonly more: number;
}

/** The notes on the screen, in their order. Of positions that are too close to be told apart, the first or the edited one. */
export function placedNotes({ notes, timeline }: OpenTrace): readonly Placed[] {
  const view = timeline.view.value;
  const { width } = timeline.size.value;
  if (!view || width === 0) return [];
  const edited = notes.edited.value?.id;
  const placed: Placed[] = [];
  /** Index of the last position. */
  let last = -1;
  for (const note of notes.list.value) {
    const left = toPixel(view, note.from);
    const right = note.to === null ? left : toPixel(view, note.to);
    if (right < 0 || left > width) continue;
    const before = note.to === null ? placed[last] : undefined;
    if (before && left - before.left < APART) {
      const shown = note.id === edited ? { ...before, note } : before;
      placed[last] = { ...shown, more: before.more + 1 };
      continue;
    }
    if (note.to === null) last = placed.length;
    placed.push({ note, left, right, more: 0 });
  }
  return placed;
}
