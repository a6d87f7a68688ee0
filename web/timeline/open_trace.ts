import type { ReadonlySignal } from '@preact/signals';
import { createScope, type Scope } from '../base/scope.ts';
import { type AccessMarks, createAccessMarks } from '../trace/access_marks.ts';
import { type CallPaths, createCallPaths } from '../trace/call_paths.ts';
import { createDerived, type DerivedTracks } from '../trace/derived.ts';
import { createEventTypes, type EventTypeChoices } from '../trace/event_types.ts';
import type { BrowserMemory, FileMemory } from '../trace/file_memory.ts';
import { createFind, type Find } from '../trace/find.ts';
import { createMarks, type HighlightMarks } from '../trace/marks.ts';
import { owned } from '../trace/per_trace.ts';
import { createSelection, type Selection } from '../trace/selection.ts';
import { createStatistics, type Statistics } from '../trace/statistics.ts';
import type { Trace, TraceFile } from '../trace/trace.ts';
import { createEvents, type Events } from './events.ts';
import { createNotes, type Notes } from './notes/notes.ts';
import { createPreview, type Preview } from './preview.ts';
import { createTimeline, type Timeline } from './timeline.ts';

/** An open trace with the state of its views. */
export interface OpenTrace {
  /** Counts the traces that this page has opened, from 1. */
  readonly id: number;
  readonly file: Blob;
  readonly trace: Trace;
  readonly timeline: Timeline;
  readonly selection: Selection;
  readonly preview: Preview;
  readonly statistics: Statistics;
  readonly callPaths: CallPaths;
  readonly events: Events;
  readonly derived: DerivedTracks;
  readonly marks: HighlightMarks;
  readonly find: Find;
  /** Marks of what a panel has chosen. They stay until it chooses something else. */
  readonly marked: AccessMarks;
  /** What this browser remembers of the file. */
  readonly memory: FileMemory;
  readonly eventTypes: EventTypeChoices;
  readonly notes: Notes;
  /** This trace and the one that it is compared with; null while it is alone. */
  readonly pair: ReadonlySignal<Pair | null>;
  /** Opens the trace again; with the callees of tail calls under the functions that left by them, or beside these. */
  nestTailCalls(nested: boolean): void;
  /** Owns all of the above, and what is made on demand: see {@link perTrace}. Disposed when the trace leaves the screen. */
  readonly scope: Scope;
}

/**
 * Two open traces of one format that are compared. Both are whole: each has workers, companions, and the state of its views of its own. It
 * is replaced by another object when they change places, and when one of them is opened again.
 */
export interface Pair {
  /** The base. */
  readonly a: OpenTrace;
  /** What is compared with it. */
  readonly b: OpenTrace;
  /** Owns what is made of both; see {@link perTrace}, which takes a pair, too. Disposed of with this object. */
  readonly scope: Scope;
  /** Brings one of them to the front: panels, header and keys are about that one. */
  show(open: OpenTrace): void;
  /** Makes what is compared the base, and the other way round. */
  swap(): void;
  /** Closes one of them and frees its memory. The other one stays open. */
  close(open: OpenTrace): void;
  /** Opens a file in place of one of them. */
  replace(open: OpenTrace, file: TraceFile): void;
  /** Opens a further file without showing it, such as another run. The caller ends it with {@link Pair.endFurther}. */
  openFurther(file: TraceFile): OpenTrace;
  endFurther(open: OpenTrace): void;
}

/** Which of two a trace is, as everything that shows both calls it; null if it is not compared. Subscribes. */
export function sideOf(open: OpenTrace): 'a' | 'b' | null {
  const pair = open.pair.value;
  return pair && (open === pair.b ? 'b' : 'a');
}

/** What an open trace is made of. It owns the trace. */
export interface Opened extends Pick<OpenTrace, 'id' | 'file' | 'trace' | 'pair' | 'nestTailCalls'> {
  readonly memory: BrowserMemory;
  /** Shows a notice that informs. */
  tell(sentence: string): void;
}

/** A trace with the state of its views, before any is shown. */
export function createOpenTrace({ memory, tell, ...opened }: Opened): OpenTrace {
  const { trace, file } = opened;
  const scope = createScope();
  const own = <T extends object>(part: T): T => owned(scope, part);
  own(trace);
  const selection = own(createSelection(trace));
  const statistics = own(createStatistics(trace));
  const derived = own(createDerived(trace, selection, tell));
  const timeline = own(createTimeline(trace, derived.tracks));
  const ownMemory = own(memory.of(trace, file));
  return {
    ...opened,
    timeline,
    selection,
    preview: own(createPreview(trace, selection.hovered)),
    statistics,
    callPaths: own(createCallPaths(statistics)),
    events: own(createEvents(trace, timeline, statistics, selection)),
    derived,
    marks: own(createMarks(trace, timeline, statistics.highlighted)),
    find: own(createFind(trace, timeline, selection, statistics.range)),
    marked: own(createAccessMarks(timeline)),
    memory: ownMemory,
    eventTypes: own(createEventTypes(ownMemory, trace.names)),
    notes: own(createNotes(ownMemory)),
    scope,
  };
}
