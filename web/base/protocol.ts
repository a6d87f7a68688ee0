/**
 * Messages between the page and a trace's worker.
 *
 * Data that grows with the trace crosses as typed-array columns, which are transferred; small structured values cross as
 * plain objects. Absolute positions on the x axis are `bigint` ticks. The columns of a reply are doubles relative to its
 * `origin`, exact below 2^53.
 */

import type { CompanionKind } from './companions.ts';

// What `crate/wasm/session` answers with.
export type {
  Counters,
  Flame,
  Functions,
  Instants,
  Overview,
  Percentiles,
  Rects,
} from '../worker/wasm/unspool_browser.js';

/** A position on the trace's x axis, absolute: clock ticks, or the ordinal of a call, step, transition or point. */
export type Ticks = bigint & { readonly __unit: 'ticks' };

/** The unit of the x axis. */
export type Clock =
  /** `frequency` is in ticks a second and never 0. */
  | { readonly kind: 'seconds'; readonly frequency: bigint }
  /** Ticks of a clock of unknown frequency. */
  | { readonly kind: 'ticks' }
  /** Not a time: the number of a call, step, transition or point. `unit` is the singular noun. */
  | { readonly kind: 'ordinal'; readonly unit: string };

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
  | 'stretches';

/** A column of the list of records. */
export interface RecordColumn {
  readonly label: string;
  /** A position on the x axis, the thread, the name, one field, or all fields that no other column shows. */
  readonly shows: 'position' | 'thread' | 'name' | 'field' | 'rest';
  /** Key of the field; empty for anything else. */
  readonly key: string;
}

/** Facts from the head of the file, known before the first slice. */
export interface TraceInfo {
  /** `xray`, `apitrace`, … */
  readonly format: string;
  /** Name of the format with its version, for display: `XRay FDR 5`. */
  readonly title: string;
  /** The version alone: `5`. */
  readonly version: string;
  /** The compression or database of the file and the containers around it: `Snappy`, `SQLite in gzip`. */
  readonly container: string | null;
  readonly clock: Clock;
  /** Singular noun for an event: `record`, `call`, `frame`. */
  readonly eventNoun: string;
  /** Singular noun for a row of the list of records: `record`, `call`, `transition`. */
  readonly recordNoun: string;
  /** Singular noun for a slice: `call`. */
  readonly sliceNoun: string;
  /** What the trace offers beyond slices, instants and counters. */
  readonly offers: readonly Capability[];
  /** The id of the panel that suits the format best. */
  readonly firstTab: string;
  /** Singular noun for the unit of a problem's offset: `byte`, or in a database the unit of the x axis. */
  readonly placeNoun: string;
  /** What a file without events means, in one or two sentences. */
  readonly whenEmpty: string;
  /** The kinds of files that add to such a trace. */
  readonly companions: readonly CompanionKind[];
  /** The columns of the list of records. */
  readonly columns: readonly RecordColumn[];
  /** Further facts, in display order. */
  readonly properties: readonly (readonly [name: string, value: string])[];
}

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

/** The current state of a track; sent again after each change. */
export interface Track {
  readonly id: number;
  /** Id of the parent track, or -1. A parent is sent before its children. */
  readonly parent: number;
  readonly kind: TrackKind;
  /** Id of the thread or process, if the trace has one. */
  readonly thread?: bigint | number;
  readonly name: string;
  /** Further identity in one line, or empty: `tid 4711 · CPU 3`. */
  readonly detail: string;
  /** Singular noun for its slices, if it differs from {@link TraceInfo.sliceNoun}. */
  readonly noun?: string;
  /** Number of rows of slices; row = depth - lowest. 0 for a track that only groups others. */
  readonly rows: number;
  /** The lowest signed depth in use. */
  readonly lowest: number;
  readonly slices: number;
  /** Number of slices that are groups of calls; none if left out. */
  readonly groups?: number;
  readonly instants: number;
  /** Number of values of a counter. */
  readonly samples: number;
  /** The lowest and the highest finite value; 0 without values. */
  readonly lowestValue: number;
  readonly highest: number;
  /** The lowest and the highest value, if a double cannot hold one of them. */
  readonly exactRange?: readonly [lowest: bigint, highest: bigint];
  /** Whether there are a negative and a positive infinity beyond these; neither if left out. */
  readonly infinite?: readonly [negative: boolean, positive: boolean];
  readonly values: 'unsigned' | 'address' | 'signed' | 'float';
  /** Bytes of a sample in the file, if these can be read as another {@link ValueType}. */
  readonly width?: number;
  /** How the user wants to see a counter. */
  readonly look?: ValueLook;
  /** Its slices are lifetimes: they overlap and do not nest. */
  readonly overlapping: boolean;
  /** Its buffers are out of time order. It is incomplete until the end of the file, where they are sorted. */
  readonly reordering: boolean;
  /** Positions between which records are missing for certain, in pairs; 0 for the beginning of the trace. None if left out. */
  readonly gaps?: readonly (bigint | number)[];
}

/** Types of numbers that bytes can be read as, in the order of the numbers that `showValues` of the wasm module takes. */
export const VALUE_TYPES = ['unsigned', 'signed', 'float'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

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

/** A problem in the file. */
export interface Problem {
  /** Absolute offset in the unit of {@link TraceInfo.placeNoun}. */
  readonly offset: bigint;
  /** A stable word for the kind: `truncated`, `orphan-exit`, … */
  readonly kind: string;
  readonly sentence: string;
}

/** The problems of one kind. `first` is the first in the file. */
export interface ProblemCount {
  readonly kind: string;
  readonly count: number;
  /** Bytes were lost or are in doubt; otherwise it is minor. */
  readonly serious: boolean;
  /** Reading stopped at a limit that the user may lift. */
  readonly canGoOn: boolean;
  /** Reading stopped at a limit. */
  readonly isLimit: boolean;
  /** One sentence for all of them: `3 exits without an enter`. */
  readonly summary: string;
  readonly first: Problem;
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

/** Why a file could not be opened, or where reading broke off. */
export interface TraceError {
  readonly kind: ErrorKind;
  /** One or two sentences in plain words. */
  readonly sentence: string;
  /** Absolute byte offset in the file, or null when the error has no place. */
  readonly offset: bigint | null;
}

/** Names a slice or an instant, for as long as the file is unchanged. */
export type Item =
  | { readonly kind: 'slice'; readonly track: number; readonly depth: number; readonly index: number }
  | { readonly kind: 'instant'; readonly track: number; readonly index: number };

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

/** The result of a {@link Find}. */
export interface Found {
  readonly item: Item;
  /** Id of the name. */
  readonly name: number;
  readonly start: Ticks;
  /** null for an instant. */
  readonly end: Ticks | null;
  /** `FLAG_*` bits. */
  readonly flags: number;
}

/** Bits of {@link Rects.flags}: the slice began before the recording. */
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

/** A value in the details pane. */
export type Value =
  | { readonly t: 'int'; readonly v: bigint; readonly hex?: boolean }
  /** An identifier, such as that of a thread: shown without thousands separators. */
  | { readonly t: 'id'; readonly v: bigint }
  | { readonly t: 'float'; readonly v: number }
  | { readonly t: 'text'; readonly v: string }
  /** A named number: a constant, or flags joined by ` | `. */
  | { readonly t: 'symbol'; readonly name: string; readonly v: Value }
  /** `length` is the whole size in bytes; `v` may hold fewer. */
  | { readonly t: 'bytes'; readonly v: Uint8Array; readonly length: bigint }
  /** An instruction that is not disassembled. `isa` is `x86-64`, `thumb`, … */
  | { readonly t: 'code'; readonly isa: string; readonly address: bigint; readonly v: Uint8Array }
  /** A position on the x axis. */
  | { readonly t: 'ticks'; readonly v: bigint }
  /** A length on the x axis. */
  | { readonly t: 'duration'; readonly v: bigint }
  | { readonly t: 'list'; readonly v: readonly Value[] }
  | { readonly t: 'tree'; readonly name?: string; readonly v: readonly Field[] }
  | { readonly t: 'null' };

/** A named value in the details pane. */
export interface Field {
  readonly name: string;
  readonly value: Value;
}

/** The record of the trace that a place on a derived track comes from. */
export interface Origin {
  readonly x: Ticks;
  /** Id of its track in the trace. */
  readonly track: number;
  readonly locator: bigint;
  /** The slice or instant of the record, if it has one. */
  readonly found: Found | null;
}

/** What the trace's worker knows of one slice or instant. */
export interface Described {
  readonly item: Item;
  readonly title: string;
  /** Id of the name. */
  readonly name: number;
  readonly start: Ticks;
  /** null for an instant. */
  readonly end: Ticks | null;
  /** `FLAG_*` bits. */
  readonly flags: number;
  /** Flags and doubts in full sentences. */
  readonly remarks: readonly string[];
  readonly fields: readonly Field[];
  /** Where its record is found again. */
  readonly locator: bigint;
  /** The fields of the record come before these. */
  readonly recordFirst: boolean;
}

/** One record in full. */
export interface RecordDetails {
  /** Doubts in full sentences. */
  readonly remarks: readonly string[];
  readonly fields: readonly Field[];
  /** Byte offset of the record in the decompressed file; null for a row of a database, or a frame of many records. */
  readonly offset: bigint | null;
}

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

/** How far reading has come. */
export interface Progress {
  readonly bytesRead: number;
  readonly bytes: number;
  readonly events: number;
  readonly slices: number;
  /** Bytes of memory of slices, levels of detail, instants and samples. */
  readonly storeBytes: number;
  /** First and last position so far; null before the first event. */
  readonly extent: { readonly from: Ticks; readonly to: Ticks } | null;
  readonly problems: readonly ProblemCount[];
  /** The current phase if it is not plain reading: `putting buffers in order`. */
  readonly stage: string | null;
}
