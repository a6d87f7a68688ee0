import { formatCount, formatCounted, shortened } from '../base/format.ts';
import { inTurns } from '../base/portions.ts';
import type { Ticks } from '../base/protocol.ts';
import { MAX_TICKS, ticks } from '../base/ticks.ts';
import { type Aligned, alignmentOf } from '../timeline/alignment.ts';
import { type NoteText, notesFromJson, notesToJson } from '../timeline/notes/notes_file.ts';
import { goToNote, noteHere } from '../timeline/notes/places.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { NO_CHOICES, readChoices, type TrackChoices } from '../timeline/track_choices.ts';
import { applyCallPaths } from '../trace/apply_paths.ts';
import { type CallPathTexts, callPathTexts, readChanges, readFlame } from '../trace/call_paths.ts';
import type { FileIdentity } from '../trace/file_memory.ts';
import { expressionOf } from '../trace/values_expression.ts';
import { type Extent, toTick } from '../trace/view.ts';
import { differencesOf } from './differences.ts';
import { bringToFront, type Dock, frontOf } from './dock.ts';

/** Characters of the file's hash that a link has. */
const HASH = 16;
/** The version of links, which is the value of their first key. */
const VERSION = '1';
const KEY = 'unspool';
/** The key of the second trace, whose value is a link of its own. */
const OTHER = 'with';
/** Characters of a text in a link, such as the choices about tracks, or notes. */
const LONGEST_PART = 6000;

/** Milliseconds after which a search ends that the user has not asked for: links come from anywhere. */
const LONGEST_SEARCH_MS = 10_000;

/** A view of a trace, as a link has it in its fragment. */
export interface Link {
  /** The file that it is about. `size` is null and `head` empty if the link does not say. */
  readonly file: { readonly name: string; readonly size: number | null; readonly head: string };
  readonly view: Extent | null;
  /** How far the tracks are scrolled, in CSS pixels of their layout; null if the link does not say. */
  readonly top: number | null;
  /** The range of the panels. */
  readonly range: Extent | null;
  /** What is selected. */
  readonly place: { readonly from: Ticks; readonly track: number; readonly depth: number | null } | null;
  /** The track that the panels are about; null for all. */
  readonly thread: number | null;
  /** The id of the panel in front, and the view of the Functions panel. */
  readonly tab: string;
  readonly calls: string;
  /** The expression that is searched for. */
  readonly find: string;
  /** What was chosen about tracks; null for nothing. */
  readonly tracks: TrackChoices | null;
  /** The filter of tracks. */
  readonly filter: string;
  /** The filter of the table of functions, and that of the list of records. */
  readonly functions: string;
  readonly events: string;
  /** The query about values that narrows the list of records in place of its filter; null unless values do. */
  readonly values: string | null;
  /** Changes of the call paths, and what is in focus of the flame graph. */
  readonly callPaths: CallPathTexts;
  /** The name of the highlighted function, or ''. */
  readonly highlight: string;
  /** Names of the files that added to the trace, such as the program that gave it names. */
  readonly companions: readonly string[];
  /** The notes of who made the link. */
  readonly notes: readonly NoteText[];
  /** What the trace is compared with; null for nothing. */
  readonly other: OtherLink | null;
}

/** The second trace of a link, and how both stand to each other. */
export interface OtherLink {
  readonly link: Link;
  /** Positions that stand below each other; null for the starts of both. */
  readonly aligned: Aligned | null;
  readonly isLinked: boolean;
  /** Rules for what does not count when records are compared, which may be anything. */
  readonly ignored: readonly string[];
  /** Whether panels are about the second one. */
  readonly isInFront: boolean;
}

/**
 * The fragment of a link to what an open trace shows, and what it is compared with, without its #. null until the file's beginning was read.
 * `withNotes` puts the notes of the user into it.
 */
export function linkOf(open: OpenTrace, dock: Dock, withNotes = true): string | null {
  const pair = open.pair.peek();
  if (!pair) return linkToOne(open, dock, withNotes);
  const [first, second] = [linkToOne(pair.a, dock, withNotes), linkToOne(pair.b, dock, withNotes)];
  if (first === null || second === null) return first;
  const { chosen, isLinked } = alignmentOf(pair);
  const both = new URLSearchParams({ [OTHER]: second });
  const aligned = chosen.peek();
  if (aligned) both.set('aligned', `${aligned.a},${aligned.b}`);
  if (!isLinked.peek()) both.set('free', '');
  const ignored = differencesOf(pair).ignored.peek();
  for (const rule of ignored) both.append('ignore', rule);
  if (open === pair.b) both.set('front', 'b');
  return `${first}&${both}`;
}

/** The same for one trace. */
function linkToOne(open: OpenTrace, dock: Dock, withNotes = true): string | null {
  const file = open.memory.identity.peek();
  if (!file) return null;
  const { timeline, statistics, selection, trace, find, events, callPaths } = open;
  const link = new URLSearchParams([[KEY, VERSION]]);
  link.set('name', file.name);
  link.set('size', String(file.size));
  if (file.head) link.set('head', file.head.slice(0, HASH));
  const view = timeline.view.peek();
  if (view && timeline.isMoved()) {
    link.set('view', `${at(toTick(view, 0))}..${at(toTick(view, timeline.size.peek().width))}`);
  }
  const top = Math.round(timeline.scrollTop.peek());
  if (top > 0) link.set('top', String(top));
  const range = statistics.range.peek();
  if (range) link.set('range', `${range.from}..${range.to}`);
  const hasSelection = selection.selected.peek() ?? selection.record.peek();
  const here = hasSelection && noteHere(open, null);
  if (here?.place) {
    const { track, depth } = here.place;
    link.set('at', [here.from, track, ...(depth === null ? [] : [depth])].join(','));
  }
  const whose = statistics.whose.peek();
  if (whose !== 'all') link.set('thread', String(whose));
  const { choices, filter } = timeline.arrangement;
  const format = trace.info.peek()?.format;
  const front = format === undefined || !dock.open.peek() ? '' : dock.front.peek()[format];
  const notes = withNotes ? open.notes.list.peek() : [];
  const { changes, flame } = callPathTexts(callPaths, trace.names);
  const values = events.valuesText.peek();
  const nameId = statistics.highlighted.peek();
  const texts = {
    tab: front,
    highlight: nameId < 0 ? '' : trace.names.of(nameId),
    calls: front && dock.calls.peek()[format!],
    find: find.asked.peek(),
    tracks: choices.peek() === NO_CHOICES ? '' : JSON.stringify(choices.peek()),
    filter: filter.peek(),
    functions: statistics.functionFilter.peek(),
    events: events.filter.text.peek(),
    paths: changes.length === 0 ? '' : JSON.stringify(changes),
    flame: flame ? JSON.stringify([flame.mode, ...flame.path]) : '',
    notes: notes.length === 0 ? '' : JSON.stringify(notesToJson(notes)),
  };
  for (const [key, text = ''] of Object.entries(texts)) {
    // Mail programs and chats would cut a longer address.
    if (text !== '' && text.length <= LONGEST_PART) link.set(key, text);
  }
  for (const { name } of trace.companions.peek()) link.append('added', name);
  // A query that is not asked narrows nothing.
  if (events.isByValues.peek()) link.set('values', link.get('find') === expressionOf(values) ? values : '');
  return link.toString();
}

function at(tick: bigint): bigint {
  return ticks(tick);
}

/** Reads the fragment of an address. null if it is not a link to a view. `isSecond`: a third trace in it is ignored. */
export function parseLink(fragment: string, isSecond = false): Link | null {
  const link = new URLSearchParams(fragment.replace(/^#/, ''));
  const name = link.get('name');
  if (link.get(KEY) !== VERSION || name === null) return null;
  const thread = /^\d{1,9}$/.exec(link.get('thread') ?? '')?.[0];
  const top = /^\d{1,9}$/.exec(link.get('top') ?? '')?.[0];
  const place = /^(\d{1,20}),(\d{1,9})(?:,(-?\d{1,9}))?$/.exec(link.get('at') ?? '');
  const from = tickOf(place?.[1]);
  // Links come from anywhere: what is not a number says nothing.
  const size = /^\d{1,15}$/.exec(link.get('size') ?? '')?.[0];
  return {
    file: { name, size: size === undefined ? null : Number(size), head: link.get('head') ?? '' },
    view: extentOf(link.get('view')),
    top: top === undefined ? null : Number(top),
    range: extentOf(link.get('range')),
    place:
      place && from !== null
        ? { from, track: Number(place[2]), depth: place[3] === undefined ? null : Number(place[3]) }
        : null,
    thread: thread === undefined ? null : Number(thread),
    tab: link.get('tab') ?? '',
    calls: link.get('calls') ?? '',
    find: link.get('find') ?? '',
    tracks: link.has('tracks') ? readChoices(json(link.get('tracks'))) : null,
    filter: link.get('filter') ?? '',
    functions: link.get('functions') ?? '',
    events: link.get('events') ?? '',
    values: link.get('values'),
    callPaths: { changes: readChanges(json(link.get('paths'))), flame: readFlame(json(link.get('flame'))) },
    highlight: link.get('highlight') ?? '',
    companions: link.getAll('added'),
    notes: link.has('notes') ? notesFromJson(json(link.get('notes'))).notes : [],
    other: isSecond ? null : otherIn(link),
  };
}

function otherIn(both: URLSearchParams): OtherLink | null {
  const link = parseLink(both.get(OTHER) ?? '', true);
  if (!link) return null;
  const aligned = /^(\d{1,20}),(\d{1,20})$/.exec(both.get('aligned') ?? '');
  const [a, b] = [tickOf(aligned?.[1]), tickOf(aligned?.[2])];
  return {
    link,
    aligned: a === null || b === null ? null : { a, b },
    isLinked: !both.has('free'),
    ignored: both.getAll('ignore'),
    isInFront: both.get('front') === 'b',
  };
}

function json(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function extentOf(text: string | null): Extent | null {
  const found = /^(\d{1,20})\.\.(\d{1,20})$/.exec(text ?? '');
  const [from, to] = [tickOf(found?.[1]), tickOf(found?.[2])];
  return from !== null && to !== null && from < to ? { from, to } : null;
}

/** A position in digits. null without one, or if there is none as large as that. */
function tickOf(digits: string | undefined): Ticks | null {
  const tick = digits === undefined ? null : BigInt(digits);
  return tick !== null && tick <= MAX_TICKS ? ticks(tick) : null;
}

/** Why a link is not about a file, in words; '' if it is. A file may have been renamed. */
export function differs({ file }: Link, identity: FileIdentity): string {
  if (file.size !== null && file.size !== identity.size) {
    return `it has ${formatCounted(file.size, 'byte')}, and this one ${formatCount(identity.size)}`;
  }
  if (file.head && identity.head) return identity.head.startsWith(file.head) ? '' : 'its first bytes differ';
  return file.name === identity.name ? '' : `this one is ${shortened(identity.name)}`;
}

/** Shows the view of a link. The trace has been read. */
export async function follow(link: Link, open: OpenTrace, dock: Dock): Promise<void> {
  const { timeline, statistics, trace, find, events } = open;
  const format = trace.info.peek()?.format;
  const { panel, view } = frontOf(link.tab, link.calls);
  if (panel) bringToFront(dock, format, panel);
  if (view && format !== undefined) dock.calls.value = { ...dock.calls.peek(), [format]: view };
  if (statistics.choices.peek().some(({ id }) => id === link.thread)) statistics.whose.value = link.thread!;
  if (link.functions) statistics.functionFilter.value = link.functions;
  if (link.events) events.filter.text.value = link.events;
  const values = trace.info.peek()?.offers.includes('values') ? link.values : null;
  if (link.events || values !== null) events.isByValues.value = values !== null;
  if (values !== null) events.valuesText.value = values;
  // After the thread, which takes the focus away.
  inTurns(applyCallPaths(open.callPaths, link.callPaths, trace.names), () => undefined);
  if (link.tracks) timeline.arrangement.choices.value = link.tracks;
  if (link.filter) timeline.arrangement.filter.value = link.filter;
  if (link.notes.length > 0) open.notes.take({ about: {}, notes: link.notes, wrong: 0 });
  // Without the program that gave it, there is no such name.
  const nameId = link.highlight === '' ? -1 : trace.names.text.indexOf(link.highlight);
  if (nameId >= 0) statistics.highlighted.value = nameId;
  if (link.range) statistics.range.value = link.range;
  if (link.find) {
    find.ask(link.find);
    setTimeout(() => {
      if (find.asked.peek() === link.find) find.stop();
    }, LONGEST_SEARCH_MS);
  }
  if (link.view) timeline.show(link.view, 'at once', 0);
  if (link.place) {
    const { from, track, depth } = link.place;
    await goToNote({ from, to: null, text: '', colour: 'blue', place: { track, depth } }, open, false);
    // What is selected comes into view, but the link says what is seen.
    if (link.view) timeline.show(link.view, 'at once', 0);
  }
}
