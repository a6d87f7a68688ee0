import { formatLength, formatPosition, shortened } from '../base/format.ts';
import { PORTION, type Portions, resultOf } from '../base/portions.ts';
import { parsePosition } from '../base/position.ts';
import type { Clock, Found, Ticks } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import { ticks } from '../base/ticks.ts';
import type { Names } from '../trace/names.ts';
import { pointedOf } from '../trace/pointed.ts';
import type { Selection } from '../trace/selection.ts';
import type { Trace } from '../trace/trace.ts';
import type { Extent } from '../trace/view.ts';
import type { Timeline } from './timeline.ts';

/** Lengths of the found slice that stay visible on either side of a position, and of a slice of a name. */
const AROUND = 40n;
const AROUND_NAMED = 8n;
/** The part of the window that is added on either side. */
const MARGIN = 0.02;

/** Where a text leads. */
export type Goal =
  | { readonly to: 'position'; readonly at: Ticks }
  /** To the next slice of a name. */
  | { readonly to: 'name'; readonly name: number }
  /** Why the text leads nowhere. */
  | { readonly to: 'nowhere'; readonly sentence: string };

/** What {@link goTo} needs of an open trace. */
export interface Place {
  readonly trace: Pick<Trace, 'info' | 'progress' | 'names' | 'find'> & {
    readonly records: Pick<Trace['records'], 'recordAt'>;
  };
  readonly timeline: Pick<Timeline, 'show'>;
  readonly selection: Pick<Selection, 'selected' | 'record' | 'selectRecord' | 'revealRow'>;
}

/**
 * Reads what a person typed: a position (`1.5 ms`, `transition 1,234`), the name of a function or a frame (`frame 12`), a part
 * of it, or its id or address (`#12`, `0x401000`).
 */
export function* goalOf(text: string, extent: Extent, clock: Clock, names: Names): Portions<Goal> {
  const wanted = text.trim();
  if (wanted === '')
    return { to: 'nowhere', sentence: `Type a position, such as ${example(extent, clock)}, or a name.` };
  const at = parsePosition(wanted, extent.from, clock);
  if (at !== null) {
    if (at >= extent.from && at <= extent.to) return { to: 'position', at };
    const end =
      clock.kind === 'ordinal'
        ? `goes from ${formatPosition(extent.from, extent.from, clock)} to ${formatPosition(extent.to, extent.from, clock)}`
        : `is ${formatLength(extent.to - extent.from, clock)} long`;
    return { to: 'nowhere', sentence: `The trace ${end}.` };
  }
  const name = yield* nameLike(wanted, names);
  if (name >= 0) return { to: 'name', name };
  return {
    to: 'nowhere',
    sentence: `No name contains “${shortened(wanted, 60)}”. Positions look like ${example(extent, clock)}.`,
  };
}

/** Whether a text leads to a position of the trace, and not to one of the places of a name. */
export function isPosition(text: string, { trace }: Pick<Place, 'trace'>): boolean {
  const info = trace.info.peek();
  const extent = trace.progress.peek().extent;
  const position = info && extent && parsePosition(text.trim(), extent.from, info.clock);
  return position !== null && extent !== null && position >= extent.from && position <= extent.to;
}

/**
 * Goes where a text leads: selects the record at a position, or the next slice of a name after the selected one. Resolves with
 * why it leads nowhere, or ''. On an axis of time, where few positions have a record, it selects the innermost slice around
 * the position, on the track of the selection or else on that with the most slices.
 */
export async function goTo(text: string, { trace, timeline, selection }: Place): Promise<string> {
  const info = trace.info.peek();
  const extent = trace.progress.peek().extent;
  if (!info || !extent) return 'The trace is empty so far.';
  const goal = await resultOf(goalOf(text, extent, info.clock, trace.names));
  if (goal.to === 'nowhere') return goal.sentence;
  if (goal.to === 'position') {
    await goToPosition(goal.at, { trace, timeline, selection });
    return '';
  }
  return goToName(goal.name, { trace, timeline, selection });
}

/** Goes to the next slice of a name after the selected one, as {@link goTo}. */
export async function goToName(name: number, { trace, timeline, selection }: Place): Promise<string> {
  const extent = trace.progress.peek().extent;
  if (!extent) return 'The trace is empty so far.';
  const selected = selection.selected.peek();
  const after = selected?.name === name ? ticks(selected.start + 1n) : extent.from;
  const named = (time: Ticks) => trace.find({ to: 'named', time, name });
  // After the last one comes the first.
  const found = (await named(after)) ?? (await named(extent.from));
  if (!found) return `${shortened(trace.names.of(name))} is not on the timeline.`;
  const length = found.end !== null && found.end > found.start ? found.end - found.start : 1n;
  timeline.show(around(ticks(found.start + length / 2n), AROUND_NAMED * length, extent), 'gliding', MARGIN);
  selection.selected.value = pointedOf(found);
  selection.revealRow();
  return '';
}

/** Goes to a position within the trace, as {@link goTo}. */
export async function goToPosition(at: Ticks, { trace, timeline, selection }: Place): Promise<void> {
  const info = trace.info.peek();
  const extent = trace.progress.peek().extent;
  if (!info || !extent) return;
  const selected = selection.selected.peek();
  const track = selected?.track ?? selection.record.peek()?.track ?? null;
  // Each position of a counting axis has a record, which may be one of many in a call.
  const row = info.clock.kind === 'ordinal' ? await trace.records.recordAt(at, track) : null;
  const found = row
    ? await itemOf(row, trace)
    : await trace.find({ to: 'at', time: at, track: selected?.track ?? null });
  const length = found && found.end !== null && found.end > found.start ? found.end - found.start : 1n;
  timeline.show(around(at, AROUND * length, extent), 'gliding', MARGIN);
  if (found) selection.selected.value = pointedOf(found);
  else if (row) selection.selectRecord(row);
  if (found || row) selection.revealRow();
}

/**
 * Selects what is at a position of an axis that counts, and brings it into view: the view stays where it is if it shows that. Of several
 * calls that overlap, the latest has an effect.
 */
export async function selectPosition(
  at: Ticks,
  {
    trace,
    selection,
  }: {
    readonly trace: Pick<Trace, 'find'> & { readonly records: Pick<Trace['records'], 'recordAt'> };
    readonly selection: Pick<Selection, 'place' | 'reveal' | 'revealRecord'>;
  },
): Promise<void> {
  wanted.set(selection, at);
  const row = await trace.records.recordAt(at, selection.place()?.track ?? null);
  const found = row && (await itemOf(row, trace));
  if (wanted.get(selection) !== at) return;
  if (found) selection.reveal(pointedOf(found));
  else if (row) selection.revealRecord(row);
}

/** The position that is to be selected. */
const wanted = new WeakMap<object, Ticks>();

/** The slice or instant that begins with a record, or null: a step may be the last of a call, but it is not the call. */
async function itemOf({ x, track, locator }: RecordRow, trace: Pick<Trace, 'find'>): Promise<Found | null> {
  const found = await trace.find({ to: 'record', time: x, track, locator });
  return found && found.start === x ? found : null;
}

/** The positions at most `reach` away that are within the trace. */
function around(at: Ticks, reach: bigint, extent: Extent): Extent {
  const from = at - reach;
  const to = at + reach;
  return {
    from: ticks(from > extent.from ? from : extent.from),
    to: ticks(to < extent.to ? to : extent.to),
  };
}

/** The name with this text or key, or the first that contains the text. -1 if there is none. */
function* nameLike(text: string, names: Names): Portions<number> {
  const wanted = text.toLowerCase();
  // A short text of digits is in many names by chance.
  const isNumber = /^\d+$/.test(wanted);
  let part = -1;
  for (let id = 0; id < names.text.length; id += 1) {
    if (id > 0 && id % PORTION === 0) yield;
    const [name, key] = [names.text[id]!.toLowerCase(), names.keyOf(id)];
    if (name === wanted || key === wanted) return id;
    if (part < 0 && !isNumber && (name.includes(wanted) || key.includes(wanted))) part = id;
  }
  return part;
}

function example(extent: Extent, clock: Clock): string {
  const middle = (extent.from + extent.to) / 2n;
  return clock.kind === 'seconds'
    ? formatLength(middle - extent.from, clock)
    : formatPosition(middle, extent.from, clock);
}
