import type {
  Counters,
  Details,
  Find,
  Flame,
  Found,
  Functions,
  Instants,
  Item,
  Overview,
  Percentiles,
  Problem,
  Progress,
  Rects,
  Ticks,
  TraceError,
  TraceInfo,
  Track,
} from '../base/protocol.ts';
import type { Disassembler } from './instructions.ts';
import type { SqlFile } from './sqlite.ts';

/** The answer of {@link Session.query}: the body of a `rects` message. */
export interface Answer {
  readonly origin: Ticks;
  readonly from: Ticks;
  readonly to: Ticks;
  readonly step: bigint;
  readonly complete: boolean;
  readonly rects: Rects;
  readonly instants: Instants;
  readonly counters: Counters;
  readonly visited: number;
}

/** The answer of {@link Session.statistics}: the body of a `statistics` message. */
export interface StatisticsAnswer {
  readonly slices: number;
  readonly visited: number;
  readonly exact: boolean;
  readonly complete: boolean;
  readonly functions: Functions | null;
  readonly flame: Flame | null;
}

/** What {@link Session.step} answers. */
export const STEP_WANTS_BYTES = 0;
/** There is more to do with the bytes at hand. */
export const STEP_MORE = 1;
/** All is read. */
export const STEP_DONE = 2;
/** Reading broke off, see {@link Session.error}. */
export const STEP_BROKEN = 3;

/** One trace being read, on the wasm side. Synchronous; the worker's loop calls it. */
export interface Session {
  free(): void;
  info(): TraceInfo;
  /** It wants {@link attach} before the first step, and no bytes. */
  isDatabase(): boolean;
  /** Throws a {@link TraceError}. */
  attach(file: SqlFile, disassembler: Disassembler | undefined): void;
  /** Copies bytes in; only after a step answered {@link STEP_WANTS_BYTES}. */
  push(bytes: Uint8Array): void;
  /** The bytes asked for end here: the file is over. */
  end(): void;
  step(maxEvents: number): number;
  /** The file offset at which the next pushed bytes must start. */
  wantsAt(): number;
  /** How many bytes are of use from there; 0 is all to the end. */
  wantsLength(): number;
  error(): TraceError | undefined;
  /** Closes what is open, at what was read so far. */
  cancel(): void;
  progress(): Progress;
  takeNames(): { readonly first: number; readonly names: readonly string[] } | undefined;
  takeTracks(): readonly Track[];
  /** `depths` has two numbers a track: its first signed depth of interest and the one behind the last. */
  query(from: bigint, to: bigint, step: bigint, tracks: Uint32Array, depths: Int32Array): Answer;
  overview(buckets: number): Overview;
  /** null when nothing stands there. */
  find(what: Find): Found | null;
  detailsRange(item: Item): { readonly offset: number; readonly length: number } | undefined;
  /**
   * A further stretch of the file that the details need behind the bytes at hand. Ask until there is none, each time with
   * all bytes so far.
   */
  detailsNext(item: Item, bytes: Uint8Array): { readonly offset: number; readonly length: number } | undefined;
  /** null when there is no such item. Throws a {@link TraceError}. */
  details(item: Item, bytes: Uint8Array): Details | null;
  /** Begins a scan for statistics, unless the last one has the answer already. */
  beginStatistics(from: bigint, to: bigint, tracks: Uint32Array): void;
  /** Looks at about so many slices; true when all have been looked at. */
  stepStatistics(slices: number): boolean;
  /** What is known so far; undefined when that is not worth telling. `flame` is a call-tree node, or undefined. */
  statistics(functions: boolean, flame: number | undefined): StatisticsAnswer | undefined;
  beginPercentiles(from: bigint, to: bigint, tracks: Uint32Array, name: number): void;
  /** undefined while there is more to look at; null when there is no such call. */
  stepPercentiles(slices: number): Percentiles | null | undefined;
  digest(): string;
  problems(first: number, max: number): { readonly problems: readonly Problem[]; readonly total: number };
}

/** Makes a session from a file's name, size and up to 64 KiB of either end. Throws a {@link TraceError}. */
export type SessionConstructor = new (name: string, size: number, head: Uint8Array, tail: Uint8Array) => Session;
