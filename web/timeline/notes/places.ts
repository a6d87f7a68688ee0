import { shortened } from '../../base/format.ts';
import { DERIVED } from '../../base/protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { pointedOf } from '../../trace/pointed.ts';
import type { Selection } from '../../trace/selection.ts';
import type { Statistics } from '../../trace/statistics.ts';
import type { Trace } from '../../trace/trace.ts';
import { toPixel, toTick } from '../../trace/view.ts';
import type { Timeline } from '../timeline.ts';
import type { NoteText } from './notes_file.ts';

/** Characters of a name that becomes the text of a note. */
const LONGEST_NAME = 80;

/** What notes need of an open trace. */
export interface NotedTrace {
  readonly trace: Pick<Trace, 'find' | 'progress' | 'names'> & {
    readonly records: Pick<Trace['records'], 'recordAt'>;
  };
  readonly timeline: Pick<Timeline, 'view' | 'size' | 'glideBy' | 'show'>;
  readonly selection: Pick<Selection, 'selected' | 'record' | 'selectRecord' | 'reveal' | 'revealRecord'>;
  readonly statistics: Pick<Statistics, 'range'>;
}

/**
 * A note on the selection, or without one at `x` (CSS pixels from the left edge of the timeline), or with null in the middle of
 * it. Returns null outside of the trace.
 */
export function noteHere(
  { trace, timeline, selection }: NotedTrace,
  x: number | null,
): Omit<NoteText, 'colour'> | null {
  const selected = selection.selected.peek();
  if (selected) {
    const { item, track, start } = selected;
    const place = item && track < DERIVED ? { track, depth: item.kind === 'slice' ? item.depth : null } : null;
    return { from: start, to: null, text: shortened(trace.names.of(selected.name), LONGEST_NAME), place };
  }
  const record = selection.record.peek();
  if (record) {
    const place = { track: record.track, depth: null };
    return { from: record.x, to: null, text: shortened(record.name, LONGEST_NAME), place };
  }
  const view = timeline.view.peek();
  const extent = trace.progress.peek().extent;
  if (!view || !extent) return null;
  const at = toTick(view, x ?? timeline.size.peek().width / 2);
  if (at < extent.from || at > extent.to) return null;
  return { from: ticks(at), to: null, text: '', place: null };
}

/** A note on the range of the panels, or else on that of the selected slice; null without either. Subscribes. */
export function rangeHere({ trace, selection, statistics }: NotedTrace): Omit<NoteText, 'colour'> | null {
  const range = statistics.range.value;
  if (range) return { from: range.from, to: range.to, text: '', place: null };
  const selected = selection.selected.value;
  if (!selected || selected.end === null || selected.end <= selected.start) return null;
  const text = shortened(trace.names.of(selected.name), LONGEST_NAME);
  return { from: selected.start, to: selected.end, text, place: null };
}

/**
 * Goes to a note: makes its range the range of the panels, or selects what it is about and brings that into view. With `zoom` all
 * of a range is shown.
 */
export async function goToNote(note: NoteText, open: NotedTrace, zoom: boolean): Promise<void> {
  const { trace, timeline, selection, statistics } = open;
  const { from, to, place } = note;
  if (to !== null) {
    statistics.range.value = { from, to };
    if (zoom) timeline.show({ from, to });
    return;
  }
  const found = place && (await trace.find({ to: 'row', time: from, ...place }));
  if (found && found.start === from) return selection.reveal(pointedOf(found));
  const record = place && place.depth === null ? await trace.records.recordAt(from, place.track) : null;
  if (record && record.x === from) return selection.revealRecord(record);
  const view = timeline.view.peek();
  const { width } = timeline.size.peek();
  const x = view && toPixel(view, from);
  if (x !== null && (x < 0 || x > width)) timeline.glideBy(x - width / 2);
}
