import type { Scope } from '../base/scope.ts';
import type { AccessMarks } from '../trace/access_marks.ts';
import type { CallPaths } from '../trace/call_paths.ts';
import type { DerivedTracks } from '../trace/derived.ts';
import type { EventTypeChoices } from '../trace/event_types.ts';
import type { FileMemory } from '../trace/file_memory.ts';
import type { Find } from '../trace/find.ts';
import type { HighlightMarks } from '../trace/marks.ts';
import type { Selection } from '../trace/selection.ts';
import type { Statistics } from '../trace/statistics.ts';
import type { Trace } from '../trace/trace.ts';
import type { Events } from './events.ts';
import type { Notes } from './notes/notes.ts';
import type { Preview } from './preview.ts';
import type { Timeline } from './timeline.ts';

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
  /** Opens the trace again; with the callees of tail calls under the functions that left by them, or beside these. */
  nestTailCalls(nested: boolean): void;
  /** Owns all of the above, and what is made on demand: see {@link perTrace}. Disposed when the trace leaves the screen. */
  readonly scope: Scope;
}
