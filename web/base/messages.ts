/**
 * The messages between the page and a trace's worker. Each side has one owner: `web/worker/trace_worker.ts` reads
 * {@link ToWorker} and writes {@link FromWorker}, `web/model/trace.ts` the reverse. Both switch exhaustively.
 */

import type { TablePages, Texts } from '../worker/wasm/unspool_browser.js';
import type { Attachment, CompanionFile, CompanionKind, Look, Source } from './companions.ts';
import type {
  BindTo,
  BoundExpression,
  BoundFilter,
  BoundPoints,
  HitAnswer,
  HitQuestion,
  WrongExpression,
} from './find_protocol.ts';
import type { JobQuestion, JobReply } from './job_protocol.ts';
import type {
  Archive,
  Counters,
  Described,
  Find,
  Found,
  Instants,
  Item,
  Origin,
  Overview,
  Problem,
  Progress,
  Rects,
  Ticks,
  TraceError,
  TraceInfo,
  Track,
  ValueType,
} from './protocol.ts';

export type { TablePages } from '../worker/wasm/unspool_browser.js';

/** Messages of the page. */
export type ToWorker =
  /** Reply: what each of these files is. Needs no open file. */
  | {
      readonly t: 'look';
      readonly id: number;
      readonly files: readonly { readonly file: Blob; readonly name: string }[];
    }
  | {
      readonly t: 'open';
      readonly file: Blob;
      readonly name: string;
      /** A write-ahead log can come only here. */
      readonly companions: readonly CompanionFile[];
      /** Without the limits that end the reading of a trace although its bytes are valid. */
      readonly lifted: boolean;
      /** With the callees of tail calls under the functions that left by them. */
      readonly nested: boolean;
      /** Most bytes of the trace, on a machine that has less memory than usual. */
      readonly room: number | null;
      /** What `again` said when the file was read before; empty otherwise. */
      readonly jumps: Uint8Array;
    }
  /** Adds a companion to the open trace. */
  | { readonly t: 'attach'; readonly companion: CompanionFile }
  | { readonly t: 'detach'; readonly companion: number }
  /** The binary names the functions of this object. null leaves it to what is known. */
  | { readonly t: 'assign'; readonly companion: number; readonly object: number | null }
  /** The first page of the binary is at this address. null leaves it to what is known. */
  | { readonly t: 'place'; readonly companion: number; readonly base: bigint | null }
  /** Reply: where a function is in the source: that with an id, or that at an address. */
  | { readonly t: 'source'; readonly id: number; readonly func: number | bigint }
  /** Open this entry of the archive, a number of `ArchiveEntry.entry`. */
  | { readonly t: 'choose'; readonly entry: number }
  /** Stop reading and keep what was read. */
  | { readonly t: 'cancel' }
  /** The first picture is on the screen, so reading no longer waits for it. */
  | { readonly t: 'painted' }
  /** Reply: `rects`. `step` is a power of two. A newer query supersedes one that waits. */
  | {
      readonly t: 'query';
      readonly id: number;
      readonly from: Ticks;
      readonly to: Ticks;
      readonly step: bigint;
      readonly tracks: Uint32Array;
      /** Two numbers a track: the first signed depth and the end, exclusive. Slices at other depths are left out. */
      readonly depths: Int32Array;
    }
  | { readonly t: 'overview'; readonly id: number; readonly buckets: number }
  | { readonly t: 'describe'; readonly id: number; readonly item: Item }
  /**
   * Reply: what another worker needs to read the records decoded so far; with `numbers` symbols may come without their names,
   * for workers that know what numbers mean.
   */
  | { readonly t: 'index'; readonly id: number; readonly numbers: boolean }
  /**
   * Begins the job that answers a question. Replies: `job-part`, with `last` on the result, or `job-failed`, and
   * `job-progress` in between. A newer job of the same slot replaces the older one, which sends nothing more. Jobs of
   * different slots take turns. The page counts the ids of jobs.
   */
  | { readonly t: 'begin-job'; readonly id: number; readonly slot: string; readonly question: JobQuestion }
  /** Ends a job, which sends nothing more. Ignored if it has ended. */
  | { readonly t: 'cancel-job'; readonly id: number }
  | { readonly t: 'find'; readonly id: number; readonly what: Find }
  /** Reads an expression about the trace, which has been read. Reply: `bound`. */
  | { readonly t: 'bind'; readonly id: number; readonly text: string; readonly to: BindTo }
  /** Asks about the hits of a search, by the id of its job. */
  | { readonly t: 'hits'; readonly id: number; readonly job: number; readonly ask: HitQuestion }
  /** Where a place on a derived track comes from. Without an item, the value that holds at `time`. */
  | {
      readonly t: 'origin';
      readonly id: number;
      readonly track: number;
      readonly time: Ticks;
      readonly item: Item | null;
    }
  /** Shows the values of a counter as those of another type. Once all is read; replied to by its track. */
  | { readonly t: 'show-values'; readonly track: number; readonly type: ValueType }
  /** What the calls that begin at these positions weigh, in statistics that ask for it. */
  | { readonly t: 'weigh'; readonly at: BigUint64Array; readonly weights: BigUint64Array }
  /** How many bytes other workers hold for the trace. They count as memory of its own. */
  | { readonly t: 'elsewhere'; readonly bytes: number }
  /** Removes a derived track. */
  | { readonly t: 'remove-track'; readonly track: number }
  /** Reply: a digest of all that the trace holds, in hexadecimal, for tests and tools. */
  | { readonly t: 'digest'; readonly id: number }
  /** Reply: at most `max` problems from index `first` on. */
  | { readonly t: 'problems'; readonly id: number; readonly first: number; readonly max: number }
  /** Pages of the database for SQL, of a range (`to` exclusive) or of the whole trace. Reply: at most `most` from number `first` on. */
  | {
      readonly t: 'tables';
      readonly id: number;
      readonly range: SqlRange | null;
      readonly first: number;
      readonly most: number;
    }
  /** Rows for an export. Reply: what its module asks for, in the bytes of its build. */
  | { readonly t: 'export-rows'; readonly id: number; readonly ask: Uint8Array<ArrayBuffer> };

/** Messages of the worker. */
export type FromWorker =
  /** The file is an archive with several traces: `choose` says which one to open. */
  | { readonly t: 'archive'; readonly archive: Archive }
  /** `entry` is the path of the trace in an archive, or null. */
  | { readonly t: 'opened'; readonly info: TraceInfo; readonly packed: boolean; readonly entry: string | null }
  /**
   * The trace itself, if it was packed: the file whose records can be read, and the write-ahead log that was packed with a
   * database. `whole` is false if there was no room for all of it. Comes before `opened` or after it.
   */
  | { readonly t: 'unpacked'; readonly file: Blob; readonly log: Blob | null; readonly whole: boolean }
  /** What was read of a file without containers, to be read again in its place: it may change on disk. */
  | { readonly t: 'kept'; readonly file: Blob }
  /** Names with the ids `first`, `first` + 1, …, sent before the first column that uses them. */
  | {
      readonly t: 'names';
      readonly first: number;
      readonly names: Texts;
      /** The ids or addresses that the file has in place of the names, such as `#12`; '' if that is the name. null if all are ''. */
      readonly keys: Texts | null;
    }
  /** Names have other texts. */
  | {
      readonly t: 'renamed';
      readonly ids: Uint32Array;
      readonly names: Texts;
      readonly keys: Texts | null;
    }
  /** null if no binary says it. */
  | { readonly t: 'source'; readonly id: number; readonly source: Source | null }
  /** A companion was read, or could not be. Sent again when what it says has changed. */
  | { readonly t: 'attached'; readonly attachment: Attachment }
  /** A program says that calls are below others that cannot have made them, or says so no more: the file should be read again with this. */
  | { readonly t: 'again'; readonly jumps: Uint8Array }
  | { readonly t: 'looked'; readonly id: number; readonly looks: readonly Look[] }
  /** Tracks that are new or have changed. */
  /** Tracks that are new or have changed. With `more`, the rest of them follows at once. */
  | { readonly t: 'tracks'; readonly tracks: readonly Track[]; readonly more: boolean }
  | { readonly t: 'progress'; readonly progress: Progress }
  /**
   * The file is read (`complete`), the user stopped (`cancelled`), or reading broke off after some events (`broken`).
   */
  | {
      readonly t: 'done';
      readonly how: 'complete' | 'cancelled' | 'broken';
      readonly progress: Progress;
      readonly error: TraceError | null;
    }
  /** Reading failed without an event. */
  | {
      readonly t: 'failed';
      readonly error: TraceError;
      /** What the file is if no format claims it, but a trace could have use for it. */
      readonly companion: CompanionKind | null;
    }
  | {
      readonly t: 'rects';
      readonly id: number;
      readonly origin: Ticks;
      /** The requested window and step. */
      readonly from: Ticks;
      readonly to: Ticks;
      readonly step: bigint;
      /** false while part of the window is not read yet. */
      readonly complete: boolean;
      readonly rects: Rects;
      readonly instants: Instants;
      readonly counters: Counters;
      /** Nodes and slices that the query visited, for tests of its cost. */
      readonly visited: number;
    }
  | { readonly t: 'overview'; readonly id: number; readonly overview: Overview }
  /** null if there is no such item. */
  | { readonly t: 'described'; readonly id: number; readonly described: Described | null }
  | { readonly t: 'index'; readonly id: number; readonly index: Uint8Array }
  | JobReply
  | { readonly t: 'found'; readonly id: number; readonly found: Found | null }
  /** The expression, or why it is not one. */
  | {
      readonly t: 'bound';
      readonly id: number;
      readonly bound: BoundExpression | BoundFilter | BoundPoints | WrongExpression;
    }
  /** null if there is no such search any more. */
  | { readonly t: 'hits'; readonly id: number; readonly answer: HitAnswer | null }
  | { readonly t: 'origin'; readonly id: number; readonly origin: Origin | null }
  /** These derived tracks were removed to make room. */
  | { readonly t: 'evicted'; readonly tracks: Uint32Array }
  | { readonly t: 'digest'; readonly id: number; readonly digest: string }
  | { readonly t: 'problems'; readonly id: number; readonly problems: readonly Problem[]; readonly total: number }
  /** `rows` of all tables, and `size` of the database in bytes. */
  | ({ readonly t: 'tables'; readonly id: number; readonly rows: number } & TablePages)
  | { readonly t: 'export-rows'; readonly id: number; readonly rows: Uint8Array<ArrayBuffer> };

/** A range of the tables for SQL; `to` is exclusive. */
export interface SqlRange {
  readonly from: Ticks;
  readonly to: Ticks;
}
