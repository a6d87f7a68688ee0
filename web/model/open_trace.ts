import type { Scope } from '../base/scope.ts';
import type { AccessMarks } from './access_marks.ts';
import type { CallPaths } from './call_paths.ts';
import type { DerivedTracks } from './derived.ts';
import type { EventTypeChoices } from './event_types.ts';
import type { Events } from './events.ts';
import type { FileMemory } from './file_memory.ts';
import type { Find } from './find.ts';
import type { HighlightMarks } from './marks.ts';
import type { Notes } from './notes.ts';
import type { Preview } from './preview.ts';
import type { Selection } from './selection.ts';
import type { Statistics } from './statistics.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

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
