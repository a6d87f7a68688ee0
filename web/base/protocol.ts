/**
 * What the page and a trace's worker say to each other.
 *
 * One owner a side: `web/worker/worker.ts` reads {@link ToWorker} and writes {@link FromWorker}, `web/model/trace.ts`
 * the other way round. Both sides switch exhaustively. Anything that grows with the trace crosses as typed-array
 * columns, transferred; the small structured rest as plain objects. Absolute positions on the x axis are `bigint`
 * ticks only; a reply's columns are doubles relative to its `origin`, exact below 2^53.
 */

/** A position on the trace's x axis, absolute: clock ticks, or the ordinal of a call, step, transition or point. */
export type Ticks = bigint & { readonly __unit: 'ticks' };

/** What one step of the x axis is. */
export type Clock =
  /** `frequency` ticks are one second (never 0). */
  | { readonly kind: 'seconds'; readonly frequency: bigint }
  /** Ticks of a clock whose frequency the file does not tell. */
  | { readonly kind: 'ticks' }
  /** No time at all: the number of a call, step, transition or point; `unit` is its name in the singular. */
  | { readonly kind: 'ordinal'; readonly unit: string };

/** What the file's head says; known before the first slice. */
export interface TraceInfo {
  /** `xray`, `apitrace`, … */
  readonly format: string;
  /** For people, with the version: `XRay FDR 5`. */
  readonly title: string;
  /** The version alone: `5`. */
  readonly version: string;
  /** How the bytes are wrapped, where there is a choice: `Snappy`, `gzip`. */
  readonly container: string | null;
  readonly clock: Clock;
  /** One word for what is counted as an event: `record`, `call`, `frame`. */
  readonly eventNoun: string;
  /** One word for a slice: `call`. */
  readonly sliceNoun: string;
  /** What the offsets of problems count: `byte`, or in a database a step of the x axis. */
  readonly placeNoun: string;
  /** What it means when there are no events, in a sentence or two. */
  readonly whenEmpty: string;
  /** Further facts of the header, in the order to show them. */
  readonly properties: readonly (readonly [name: string, value: string])[];
}

/** A counter holds samples only; a lane holds slices that belong to no thread. */
export type TrackKind = 'process' | 'thread' | 'lane' | 'counter';

/** A track as it is now; sent again when it has changed. */
export interface Track {
  readonly id: number;
  /** The track it belongs to, or -1. A parent comes before its children. */
  readonly parent: number;
  readonly kind: TrackKind;
  readonly name: string;
  /** One muted line of identity: `tid 4711 · CPU 3`. Empty when the name says it all. */
  readonly detail: string;
  /** One word for a slice of it, where it has one of its own. */
  readonly noun?: string;
  /** How many columns of slices there are; row = depth - lowest. 0 for a track that holds only others. */
  readonly rows: number;
  /** The lowest signed depth in use. */
  readonly lowest: number;
  readonly slices: number;
  readonly instants: number;
  /** Values of a counter. */
  readonly samples: number;
  /** The lowest and the highest of them that are finite, 0 when there are none. */
  readonly lowestValue: number;
  readonly highest: number;
  readonly values: 'unsigned' | 'signed' | 'float';
  /** Its slices are lifetimes: they overlap and do not nest. */
  readonly overlapping: boolean;
  /** Its buffers did not come in time order: what is shown now is not all, and is put in order at the end. */
  readonly reordering: boolean;
}

/** Something wrong in the file; counted, listed, never silent. */
export interface Problem {
  /** Absolute byte offset in the file, or {@link TraceInfo.placeNoun}. */
  readonly offset: bigint;
  /** A stable word for the kind: `truncated`, `orphan-exit`, … */
  readonly kind: string;
  readonly sentence: string;
}

/** How many problems of one kind there are; `first` is the first of them. */
export interface ProblemCount {
  readonly kind: string;
  readonly count: number;
  /** Worse than a remark: bytes were lost or are in doubt. */
  readonly serious: boolean;
  /** One sentence for all of them: `3 exits without an enter`. */
  readonly summary: string;
  readonly first: Problem;
}

/** The kinds of {@link TraceError}. `crate/engine/src/report.rs` and `web/worker/errors.ts` produce them. */
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

/** Which slice or instant; stays the same for as long as the file does. */
export type Item =
  | { readonly kind: 'slice'; readonly track: number; readonly depth: number; readonly index: number }
  | { readonly kind: 'instant'; readonly track: number; readonly index: number };

/** A slice or an instant by where it stands. */
export type Find =
  /** The innermost slice at a position: of a track, or (null) of the one with the most slices. */
  | { readonly to: 'at'; readonly time: Ticks; readonly track: number | null }
  /** Beside an item in its row. */
  | { readonly to: 'next' | 'previous'; readonly item: Item }
  /** The slice that a slice lies in, or the longest directly below it. */
  | { readonly to: 'caller' | 'callee'; readonly item: Item };

/** What a {@link Find} found. */
export interface Found {
  readonly item: Item;
  /** The name's id. */
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

/** Rectangles of slices, sorted by track, then depth, then start. */
export interface Rects {
  readonly count: number;
  readonly track: Uint32Array;
  /** Signed; the row is depth - the track's lowest. */
  readonly depth: Int32Array;
  /** Relative to the reply's origin. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Of the slice, or of the one that covers most of the rectangle. */
  readonly name: Uint32Array;
  /** The slice's index in its column, or {@link MANY}. */
  readonly index: Uint32Array;
  /** How much of the rectangle is covered by slices: 255 is all. */
  readonly fill: Uint8Array;
  readonly flags: Uint8Array;
}

/** Instants, at most one a step; sorted by track, then time. */
export interface Instants {
  readonly count: number;
  readonly track: Uint32Array;
  readonly time: Float64Array;
  readonly name: Uint32Array;
  readonly index: Uint32Array;
  /** How many instants stand here within the step. */
  readonly many: Uint32Array;
}

/**
 * Values of counters, at most one a step; sorted by track, then time. Each holds until the next one of its track. The
 * first of a track may lie before the window, when its value reaches into it.
 */
export interface Counters {
  readonly count: number;
  readonly track: Uint32Array;
  /** Relative to the reply's origin; may be negative. */
  readonly time: Float64Array;
  /** The lowest and the highest value within the step; a value may be NaN or infinite. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** The value that holds from here on. */
  readonly last: Float64Array;
}

/** Density over the whole trace for the strip at the top: `rows.length` × `buckets` cells, row by row. */
export interface Overview {
  readonly from: Ticks;
  readonly to: Ticks;
  readonly buckets: number;
  /** The track that each row stands for. */
  readonly rows: Uint32Array;
  /** 0 nothing, 255 the deepest and busiest cell of the trace. */
  readonly density: Uint8Array;
  /** The name that dominates the cell. */
  readonly name: Uint32Array;
}

/**
 * The functions of a range, one a name, in the order of their names' ids. Times are ticks as doubles, exact below 2^53.
 *
 * A call that reaches beyond an edge of the range is counted; `total` and `self` are what of it lies in the range; `min`,
 * `max` and the percentiles are of whole calls. What has not ended reaches up to the end of what is read. `total` counts a
 * function once where it is within itself.
 */
export interface Functions {
  readonly length: number;
  readonly name: Uint32Array;
  readonly count: Float64Array;
  readonly total: Float64Array;
  readonly self: Float64Array;
  readonly min: Float64Array;
  /** Percentiles are from logarithmic buckets: within 1 %. */
  readonly median: Float64Array;
  readonly p90: Float64Array;
  readonly p99: Float64Array;
  readonly max: Float64Array;
}

/** {@link Flame.name} of the root and of several callees too narrow to be told apart, which have no node either. */
export const NO_NAME = 0xffff_ffff;
export const NO_NODE = 0xffff_ffff;

/**
 * A flame graph of a range: the way from the root to the node in focus, and then all below it, callers before callees and
 * callees from the heaviest. Times are ticks as doubles, exact below 2^53, and cut at the edges of the range.
 */
export interface Flame {
  readonly length: number;
  /** Index of the node in focus; those before it are its callers, from the root. */
  readonly focus: number;
  /** Id of the call-tree node, the same for as long as the trace is open; 0 is the root. */
  readonly node: Uint32Array;
  readonly name: Uint32Array;
  /** Index of the caller; the root's is its own. */
  readonly parent: Uint32Array;
  readonly total: Float64Array;
  readonly self: Float64Array;
  readonly count: Float64Array;
}

/** Exact percentiles of the durations of one function, in ticks. */
export interface Percentiles {
  readonly median: bigint;
  readonly p90: bigint;
  readonly p99: bigint;
}

/** A value in the details pane. */
export type Value =
  | { readonly t: 'int'; readonly v: bigint; readonly hex?: boolean }
  /** Stands for something (a thread, a function id): shown as it is, without grouping. */
  | { readonly t: 'id'; readonly v: bigint }
  | { readonly t: 'float'; readonly v: number }
  | { readonly t: 'text'; readonly v: string }
  /** A number with a name: a constant, or flags joined by ` | `. */
  | { readonly t: 'symbol'; readonly name: string; readonly v: Value }
  /** `length` is the whole size in bytes; `v` may hold fewer. */
  | { readonly t: 'bytes'; readonly v: Uint8Array; readonly length: bigint }
  /** An instruction that nobody could put into words: `isa` is `x86-64`, `thumb`, … */
  | { readonly t: 'code'; readonly isa: string; readonly address: bigint; readonly v: Uint8Array }
  /** A position on the x axis. */
  | { readonly t: 'ticks'; readonly v: bigint }
  /** A length on the x axis. */
  | { readonly t: 'duration'; readonly v: bigint }
  | { readonly t: 'list'; readonly v: readonly Value[] }
  | { readonly t: 'tree'; readonly name?: string; readonly v: readonly Field[] }
  | { readonly t: 'null' };

export interface Field {
  readonly name: string;
  readonly value: Value;
}

/** Everything known of one slice or instant. */
export interface Details {
  readonly item: Item;
  readonly title: string;
  /** The name's id, for the colour. */
  readonly name: number;
  readonly start: Ticks;
  /** null for an instant. */
  readonly end: Ticks | null;
  /** `FLAG_*` bits. */
  readonly flags: number;
  /** Flags and doubts in whole sentences. */
  readonly remarks: readonly string[];
  /** In the order to show them: what the engine knows first (start, duration, self, …), then what the format adds. */
  readonly fields: readonly Field[];
  /** Byte offset of the record in the file (in the decompressed stream where the file is compressed); a row has none. */
  readonly offset: bigint | null;
}

export interface Progress {
  readonly bytesRead: number;
  readonly bytes: number;
  readonly events: number;
  readonly slices: number;
  /** Bytes of memory that slices, levels of detail, instants and samples take. */
  readonly storeBytes: number;
  /** First and last position seen; `null` before the first event. */
  readonly extent: { readonly from: Ticks; readonly to: Ticks } | null;
  readonly problems: readonly ProblemCount[];
  /** What is going on, when it is not plain reading: `putting buffers in order`. */
  readonly stage: string | null;
}

export type ToWorker =
  | { readonly t: 'open'; readonly file: Blob; readonly name: string }
  /** Stop reading and keep what there is. */
  | { readonly t: 'cancel' }
  /** The first picture is on the screen: reading need not hold back any more. */
  | { readonly t: 'painted' }
  /** Answered by `rects`. `step` is a power of two. Of several queries waiting, only the newest is answered. */
  | {
      readonly t: 'query';
      readonly id: number;
      readonly from: Ticks;
      readonly to: Ticks;
      readonly step: bigint;
      readonly tracks: Uint32Array;
      /** Of each track the first signed depth of interest and the one behind the last; slices of others are left out. */
      readonly depths: Int32Array;
    }
  | { readonly t: 'overview'; readonly id: number; readonly buckets: number }
  | { readonly t: 'details'; readonly id: number; readonly item: Item }
  /**
   * Answered by one or more `statistics`: an estimate when the answer takes longer than a moment, and the exact one unless
   * the file is still being read. A newer question takes the place of an older one. `to` is not part of the range itself.
   * `flame` is the call-tree node to be in focus, 0 for all, null for no flame graph.
   */
  | {
      readonly t: 'statistics';
      readonly id: number;
      readonly from: Ticks;
      readonly to: Ticks;
      readonly tracks: Uint32Array;
      readonly functions: boolean;
      readonly flame: number | null;
    }
  /** Answered by `percentiles`; a newer question takes the place of an older one. */
  | {
      readonly t: 'percentiles';
      readonly id: number;
      readonly from: Ticks;
      readonly to: Ticks;
      readonly tracks: Uint32Array;
      readonly name: number;
    }
  | { readonly t: 'find'; readonly id: number; readonly what: Find }
  /** A number, in hexadecimal, that two readings of the same bytes have in common: for tests and tools. */
  | { readonly t: 'digest'; readonly id: number }
  /** The problems themselves, `max` of them from the `first`-th on. */
  | { readonly t: 'problems'; readonly id: number; readonly first: number; readonly max: number };

export type FromWorker =
  | { readonly t: 'opened'; readonly info: TraceInfo }
  /** Names with the ids `first`, `first` + 1, …; sent before the first column that uses one of them. */
  | { readonly t: 'names'; readonly first: number; readonly names: readonly string[] }
  /** Tracks that are new or have changed. */
  | { readonly t: 'tracks'; readonly tracks: readonly Track[] }
  | { readonly t: 'progress'; readonly progress: Progress }
  /** All is read (`complete`), the person stopped it (`cancelled`), or it broke off with something to show (`broken`). */
  | {
      readonly t: 'done';
      readonly how: 'complete' | 'cancelled' | 'broken';
      readonly progress: Progress;
      readonly error: TraceError | null;
    }
  /** Nothing to show. */
  | { readonly t: 'failed'; readonly error: TraceError }
  | {
      readonly t: 'rects';
      readonly id: number;
      readonly origin: Ticks;
      /** The window and step that were asked for. */
      readonly from: Ticks;
      readonly to: Ticks;
      readonly step: bigint;
      /** false while a part of the window is still to be read. */
      readonly complete: boolean;
      readonly rects: Rects;
      readonly instants: Instants;
      readonly counters: Counters;
      /** Nodes and slices looked at, for the tests that count work. */
      readonly visited: number;
    }
  | { readonly t: 'overview'; readonly id: number; readonly overview: Overview }
  /** `details` is null when the item is not there any more. */
  | { readonly t: 'details'; readonly id: number; readonly details: Details | null; readonly error: TraceError | null }
  | {
      readonly t: 'statistics';
      readonly id: number;
      /** Slices in the range, and how many of them were looked at. */
      readonly slices: number;
      readonly visited: number;
      /** All were looked at: nothing is estimated but percentiles. */
      readonly exact: boolean;
      /** The whole trace was read. */
      readonly complete: boolean;
      readonly functions: Functions | null;
      readonly flame: Flame | null;
    }
  /** null when the range holds no call of that name. */
  | { readonly t: 'percentiles'; readonly id: number; readonly percentiles: Percentiles | null }
  | { readonly t: 'found'; readonly id: number; readonly found: Found | null }
  | { readonly t: 'digest'; readonly id: number; readonly digest: string }
  | { readonly t: 'problems'; readonly id: number; readonly problems: readonly Problem[]; readonly total: number };
