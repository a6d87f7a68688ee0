/** What a trace's worker does: `web/trace/worker/trace_worker.ts`. `web/trace/trace.ts` is the page's side of it. */

import type { OtherNames, TablePages } from '../worker/wasm/unspool_browser.js';
import type { Attachment, CompanionFile, CompanionKind, Look, Source } from './companions.ts';
import type { BindService, HitService } from './find_protocol.ts';
import type { JobPart, JobProgress, JobQuestion } from './job_protocol.ts';
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
import type { CallsSearched, StandingFinding } from './summary_protocol.ts';
import type { Texts } from './texts.ts';

export type { TablePages } from '../worker/wasm/unspool_browser.js';

/** A file to read, and how. */
export interface Opening {
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
  /** What {@link TraceReports.again} said when the file was read before; empty otherwise. */
  readonly jumps: Uint8Array;
  /** The end of the file is not its last: {@link TraceService.grow} says how it goes on. */
  readonly follow: boolean;
}

/** The picture of a window at a step, which is a power of two. */
export interface PictureQuestion {
  readonly from: Ticks;
  readonly to: Ticks;
  readonly step: bigint;
  readonly tracks: Uint32Array;
  /** Two numbers a track: the first signed depth and the end, exclusive. Slices at other depths are left out. */
  readonly depths: Int32Array;
}

/** Rectangles, instants and counters of a window. */
export interface PictureAnswer {
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

/** A range of the tables for SQL; `to` is exclusive. */
export interface SqlRange {
  readonly from: Ticks;
  readonly to: Ticks;
}

/** What the worker says of a trace without being asked. */
export interface TraceReports {
  /** The file is an archive with several traces: {@link TraceService.choose} says which one to open. */
  archive(archive: Archive): void;
  /** `entry` is the path of the trace in an archive, or null. */
  opened(info: TraceInfo, packed: boolean, entry: string | null): void;
  /** The properties of the trace, now that it is read: some are inferred from all of it. */
  described(properties: TraceInfo['properties']): void;
  /**
   * The trace itself, if it was packed: the file whose records can be read, and the write-ahead log that was packed with a
   * database. `whole` is false if there was no room for all of it. Comes before `opened` or after it.
   */
  unpacked(file: Blob, log: Blob | null, whole: boolean): void;
  /** What was read of a file without containers, to be read again in its place: it may change on disk. */
  kept(file: Blob): void;
  /**
   * Names with the ids `first`, `first` + 1, …, before the first column that uses them. `keys` are the ids or addresses that the
   * file has in place of the names, such as `#12`; '' if that is the name, null if all are ''.
   */
  names(first: number, names: Texts, keys: Texts | null): void;
  /** Names have other texts. `goesOn`: others follow at once. */
  renamed(ids: Uint32Array, names: Texts, keys: Texts | null, goesOn: boolean): void;
  /**
   * Whether functions can have short names, and which names are other ones then if they are wanted; null if they are not. `goesOn`: others
   * follow at once, until which names stay as they are.
   */
  shortNames(isOffered: boolean, names: OtherNames | null, goesOn: boolean): void;
  /** A companion was read, or could not be. Comes again when what it says has changed. */
  attached(attachment: Attachment): void;
  /** A program says that calls are below others that cannot have made them, or says so no more: the file should be read again with this. */
  again(jumps: Uint8Array): void;
  /** Tracks that are new or have changed. `goesOn`: the rest of them follows at once. */
  tracks(tracks: readonly Track[], goesOn: boolean): void;
  /** These derived tracks were removed to make room. */
  evicted(tracks: Uint32Array): void;
  progress(progress: Progress): void;
  /**
   * The file is read (`complete`), the user stopped (`cancelled`), or reading broke off after some events (`broken`). With `growing` all of
   * the file is read as it is now. Further tracks and progress come when it has grown, and at last this again.
   */
  done(how: 'complete' | 'cancelled' | 'broken' | 'growing', progress: Progress, error: TraceError | null): void;
  /** Reading failed without an event. `companion`: what the file is if no format claims it, but a trace could have use for it. */
  failed(error: TraceError, companion: CompanionKind | null): void;
}

/**
 * One trace, in a worker that is never reset. Answers are null before the trace is opened and after it has failed. Names and
 * tracks are reported before the first answer that uses them.
 */
export interface TraceService extends BindService, HitService {
  /** What each of these files is. Needs no open file. */
  look(files: readonly { readonly file: Blob; readonly name: string }[]): Promise<readonly Look[]>;
  /** Opens a file, once. `page` hears of it as long as the worker lives. */
  open(opening: Opening, page: TraceReports): Promise<never>;
  /** Lets another worker ask, at the other end of the port. Is rejected when this one ends, which the other cannot notice. */
  share(port: MessagePort): Promise<never>;
  /** Adds a companion to the trace. */
  attach(companion: CompanionFile): void;
  detach(companion: number): void;
  /** Whether functions are shown with short names. */
  wantShortNames(isWanted: boolean): void;
  /** The binary names the functions of this object. null leaves it to what is known. */
  assign(companion: number, object: number | null): void;
  /** The first page of the binary is at this address. null leaves it to what is known. */
  place(companion: number, base: bigint | null): void;
  /** Where the function with an id or at an address is in the source. null if no binary says it. */
  source(func: number | bigint): Promise<Source | null>;
  /** Opens this entry of the archive, a number of `ArchiveEntry.entry`. */
  choose(entry: number): void;
  /** The file of {@link Opening.follow} as it is now: it begins with the same bytes. null if it does not go on: what is open then ends. */
  grow(file: Blob | null): void;
  /** Stops reading and keeps what was read. */
  cancel(): void;
  /** The first picture is on the screen, so reading no longer waits for it. */
  painted(): void;
  /** null also if a newer question came before it was its turn. */
  picture(question: PictureQuestion): Promise<PictureAnswer | null>;
  /** The counters of a picture, whatever else is asked meanwhile. null if there is no trace. */
  samples(question: PictureQuestion): Promise<Counters | null>;
  /** `buckets` is the number of cells a row. */
  overview(buckets: number): Overview | null;
  /** null also if there is no such item. */
  describe(item: Item): Promise<Described | null>;
  /**
   * What another worker needs to read the records decoded so far; with `numbers` symbols may come without their names, for
   * workers that know what numbers mean.
   */
  index(numbers: boolean): Uint8Array | null;
  /** The binaries that the trace says were loaded: the first address of each in hexadecimal, a space, and its path. */
  modules(): readonly string[] | null;
  /**
   * Runs the job that answers a question, with an id that the caller counts. `part` gets estimates and `progress` how far it is,
   * now and then. Resolves with the result, or null if it is stopped or a newer job of its slot takes its place. Is rejected with
   * a {@link TraceError} if there is no memory for it, after which the trace is intact. Jobs of different slots take turns.
   */
  job(
    id: number,
    slot: string,
    question: JobQuestion,
    part: (part: JobPart, progress: JobProgress) => void,
    progress: (progress: JobProgress) => void,
    stop: AbortSignal,
  ): Promise<JobResult | null>;
  /** null also if there is no such item. */
  find(what: Find): Found | null;
  /** Where a place on a derived track comes from. Without an item, the value that holds at `time`. null also if there is no such place. */
  origin(track: number, time: Ticks, item: Item | null): Origin | null;
  /** Shows the values of a counter as those of another type, made from the same bytes of the file. Once all is read. The track comes again. */
  showValues(track: number, type: ValueType): void;
  /** What the calls that begin at these positions weigh in statistics that ask for it, in place of earlier weights. */
  weigh(at: BigUint64Array, weights: BigUint64Array): void;
  /** How many bytes other workers hold for the trace. They count as memory of its own. */
  setElsewhere(bytes: number): void;
  /** Removes a derived track. */
  removeTrack(track: number): void;
  /** The digest that `unspool info --json` prints for the same file, in hexadecimal. For tests and tools. */
  digest(): string | null;
  /** At most `max` problems from index `first` on. */
  problems(first: number, max: number): { readonly problems: readonly Problem[]; readonly total: number } | null;
  /** At most `most` pages of the database for SQL from number `first` on, of a range or of the whole trace, and the rows of all tables. */
  tables(range: SqlRange | null, first: number, most: number): Promise<(TablePages & { readonly rows: number }) | null>;
  /** Rows for an export: what its module asks for, in the bytes of its build. */
  exportRows(ask: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Looks for what stands out among the calls of a trace that is read, while nothing else is to be done. `hear` gets the share that
   * is done, and bytes of memory. Resolves with null if it is stopped.
   */
  findInCalls(
    what: CallsSearched,
    hear: (share: number, bytes: number) => void,
    stop: AbortSignal,
  ): Promise<readonly StandingFinding[] | null>;
}

/** The last part of a job. */
export interface JobResult {
  readonly part: JobPart;
  readonly progress: JobProgress;
}
