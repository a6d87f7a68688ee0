/**
 * Messages between the page and a trace's worker.
 *
 * Data that grows with the trace crosses as typed-array columns, which are transferred; small structured values cross as
 * plain objects. Absolute positions on the x axis are `bigint` ticks. The columns of a reply are doubles relative to its
 * `origin`, exact below 2^53.
 */

import type { FieldOut as Field, Item, TrackOut } from '../worker/wasm/unspool_browser.js';

// What `crate/wasm/session` answers with.
export type {
  ClockOut as Clock,
  ColumnOut as RecordColumn,
  Counters,
  Described,
  FieldOut as Field,
  Flame,
  Found,
  Functions,
  Instants,
  Item,
  Origin,
  Overview,
  Percentiles,
  ProblemCount,
  ProblemOut as Problem,
  ProgressOut as Progress,
  Rects,
  TraceErrorOut as TraceError,
  TraceInfo,
  ValueOut as Value,
} from '../worker/wasm/unspool_browser.js';
export type { RecordOut as RecordDetails } from '../worker/wasm/unspool_records.js';
export type { CompanionKind } from './companions.ts';

/** A position on the trace's x axis, absolute: clock ticks, or the ordinal of a call, step, transition or point. */
export type Ticks = bigint & { readonly __unit: 'ticks' };

/** What some traces offer: tables for SQL, disassembly, call stacks, events with types, a clock of known frequency. */
export type Capability =
  | 'sql'
  | 'disassembly'
  | 'callStacks'
  | 'tailCalls'
  | 'eventTypes'
  | 'time'
  | 'values'
  | 'state'
  | 'graphics'
  | 'stretches'
  | 'openCalls';

/** A trace in an archive. */
export interface ArchiveEntry {
  /** Number in the archive. */
  readonly entry: number;
  /** Its path. */
  readonly name: string;
  /** Bytes, unpacked; null if the archive does not say. */
  readonly size: number | null;
  /** The name of its format, or of a further container. */
  readonly format: string;
}

/** What an archive holds. */
export interface Archive {
  /** `zip`, `tar`. */
  readonly container: string;
  readonly entries: readonly ArchiveEntry[];
  /** Number of files that are not traces. */
  readonly others: number;
  /** What is wrong with the archive, in sentences; empty if nothing is. */
  readonly remark: string;
}

/** A counter holds samples only; a lane holds slices that belong to no thread. */
export type TrackKind = 'process' | 'thread' | 'lane' | 'counter';

/** The ids of derived tracks begin here. */
export const DERIVED = 0x8000_0000;

/** The id of the track that a job makes. */
export function derivedTrack(job: number): number {
  return DERIVED + job;
}

/** Types of numbers that bytes can be read as, in the order of the numbers that `showValues` of the wasm module takes. */
export const VALUE_TYPES = ['unsigned', 'signed', 'float'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** The current state of a track; sent again after each change. */
export interface Track extends TrackOut {
  /** How the user wants to see a counter. */
  readonly look?: ValueLook;
}

/** How a counter is shown, where it is not as usual. */
export interface ValueLook {
  /** The digits of integers, or the characters that they stand for. Addresses are usually hexadecimal, others decimal. */
  readonly format?: 'decimal' | 'hex' | 'characters';
  /** As numbers of this type, made from the same bytes, in place of that of the file. */
  readonly type?: ValueType;
  /** A dot for each value in place of steps. */
  readonly dots?: boolean;
  /** A logarithmic scale, in both directions from 0. */
  readonly log?: boolean;
  /** The graph is higher. */
  readonly tall?: boolean;
}

/** The kinds of {@link TraceError}, from `crate/engine/src/report.rs`, `web/trace/worker/errors.ts` and the page itself. */
export type ErrorKind =
  /** No format claims the file. */
  | 'unrecognised'
  /** The file has no bytes. */
  | 'empty'
  /** The bytes contradict the format. */
  | 'malformed'
  /** The file ends within a record. */
  | 'truncated'
  /** The format is known; this variant of it has no decoder. */
  | 'unsupported'
  /** A count or length in the file exceeds a limit of the decoder. */
  | 'limit'
  /** The browser cannot read the file or the network resource. */
  | 'unreadable'
  /** The reader stopped: a wasm trap, a defect, or a module that did not load. */
  | 'crashed'
  /** The tab ran out of memory. */
  | 'memory';

/** A search for a slice or an instant by its place. */
export type Find =
  /** The innermost slice at a position, on a track or (null) on the track with the most slices. */
  | { readonly to: 'at'; readonly time: Ticks; readonly track: number | null }
  /** The neighbour of an item in its row. */
  | { readonly to: 'next' | 'previous'; readonly item: Item }
  /** The slice that contains a slice, or the longest that it directly contains. */
  | { readonly to: 'caller' | 'callee'; readonly item: Item }
  /** The slice of a row, or (null) the instant of a track, nearest to a position. `depth` is signed. */
  | { readonly to: 'row'; readonly time: Ticks; readonly track: number; readonly depth: number | null }
  /** The first slice of a name that begins at a position or after it, on any track. */
  | { readonly to: 'named'; readonly time: Ticks; readonly name: number }
  /** The slice or instant of a record, by its locator, its position and its track, or the slice that the record ends. */
  | { readonly to: 'record'; readonly time: Ticks; readonly track: number; readonly locator: bigint };

/** Bits of {@link Rects.flags}: the beginning of the slice was not recorded. */
export const FLAG_BEGAN_BEFORE = 1;
/** The slice was still running when the recording ended. */
export const FLAG_NEVER_ENDED = 2;
/** The trace lacks the end of the slice; later records imply it. */
export const FLAG_END_INFERRED = 4;
/** The existence or the place of the slice is a guess. */
export const FLAG_UNCERTAIN = 8;
/** {@link Rects.index} of a rectangle that stands for several slices. */
export const MANY = 0xffff_ffff;

/** {@link Flame.name} of the root, and of a merged group of narrow nodes. */
export const NO_NAME = 0xffff_ffff;

/** All that is known of one slice, instant or record. */
export interface Details {
  /** null for a record that has neither a slice nor an instant. */
  readonly item: Item | null;
  readonly track: number;
  /** Where its record is found again. */
  readonly locator: bigint;
  readonly title: string;
  /** Id of the name, for the colour; -1 if it has none. */
  readonly name: number;
  readonly start: Ticks;
  /** null for an instant. */
  readonly end: Ticks | null;
  /** `FLAG_*` bits. */
  readonly flags: number;
  /** Flags and doubts in full sentences. */
  readonly remarks: readonly string[];
  /** In display order: first the engine's (start, duration, self, …), then the format's. */
  readonly fields: readonly Field[];
  /** Byte offset of the record in the decompressed file; null for a row of a database, or a frame of many records. */
  readonly offset: bigint | null;
}
