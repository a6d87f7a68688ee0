import type { FoundRecords, Hit, HitColumns } from '../../base/find_protocol.ts';
import type { JobPart, JobProgress, JobQuestion } from '../../base/job_protocol.ts';
import type { MarksPart } from '../../base/marks.ts';
import type {
  Described,
  Find,
  Found,
  Item,
  Origin,
  Overview,
  Problem,
  Progress,
  TraceError,
  TraceInfo,
  Track,
} from '../../base/protocol.ts';
import type { Texts } from '../../base/texts.ts';
import type { PictureAnswer, TablePages } from '../../base/trace_protocol.ts';
import type { Session as Generated } from '../../worker/wasm/unspool_browser.js';
import type { Disassembler } from './instructions.ts';
import type { SqlFile } from './sqlite.ts';

/** A result of {@link Session.step}: the session needs bytes. */
export const STEP_WANTS_BYTES = 0;
/** The pushed bytes hold further events. */
export const STEP_MORE = 1;
/** The whole file is read. */
export const STEP_DONE = 2;
/** Reading broke off; {@link Session.error} says why. */
export const STEP_BROKEN = 3;

/**
 * One trace, on the wasm side. All calls are synchronous; the worker's loop makes them. The members are those of the
 * generated class, where they are documented; {@link Structured} replaces the ones that it leaves open. The compiler
 * rejects a new method with open types until {@link Structured} has it, and a signature that the class contradicts.
 */
export type Session = Pick<Generated, Exclude<keyof Generated, Loose>> & Pick<Structured, Loose>;

/** The methods whose generated types contain `any`, because structured values cross as plain objects. */
interface Structured {
  /** Throws a {@link TraceError}. */
  attach(file: SqlFile, disassembler: Disassembler | undefined): void;
  info(): TraceInfo;
  error(): TraceError | undefined;
  progress(): Progress;
  /** Names since the last call; undefined when there are none. */
  takeNames(): { readonly first: number; readonly names: Texts; readonly keys: Texts | null } | undefined;
  /** Names whose texts have changed since the last call; undefined when there are none. */
  takeRenamed(): { readonly ids: Uint32Array; readonly names: Texts; readonly keys: Texts | null } | undefined;
  /** Tracks that are new or have changed since the last call. */
  takeTracks(): readonly Track[];
  query(from: bigint, to: bigint, step: bigint, tracks: Uint32Array, depths: Int32Array): PictureAnswer;
  overview(buckets: number): Overview;
  /** null when there is no such item. */
  find(what: Find): Found | null;
  /** null when there is no such item. */
  describe(item: Item): Described | null;
  /** null when there is no such place. */
  origin(track: number, time: bigint, item: Item | undefined): Origin | null;
  /** Throws a {@link TraceError} if there is no memory for the job, as {@link Session.stepJob} does. */
  beginJob(id: number, slot: string, question: JobQuestion): void;
  jobProgress(id: number): JobProgress;
  /** undefined while there is nothing to tell. */
  jobPart(id: number): JobPart | undefined;
  /** Returns the number of hits; undefined if there is no such search. */
  addHits(job: number, found: FoundRecords): number | undefined;
  hits(job: number, first: number, count: number, order: number): readonly Hit[];
  /** undefined if there is no such search. */
  rankOfHit(
    job: number,
    x: bigint,
    item: Item | undefined,
    locator: bigint | undefined,
  ): { readonly rank: number; readonly isHit: boolean } | undefined;
  /** undefined if there is no such search. */
  marksOfHits(
    job: number,
    from: bigint,
    to: bigint,
    step: bigint,
    tracks: Uint32Array,
    depths: Int32Array,
    merged: boolean,
  ): MarksPart | undefined;
  /** undefined if there is no such search. */
  columnsOfHits(job: number, most: number): HitColumns | undefined;
  problems(first: number, max: number): { readonly problems: readonly Problem[]; readonly total: number };
  tablePages(from: bigint | undefined, to: bigint | undefined, first: number, most: number): TablePages;
}

type IsAny<T> = 0 extends 1 & T ? true : false;

type Loose = {
  [Method in keyof Generated]: Generated[Method] extends (...given: infer Given) => infer Result
    ? true extends IsAny<Given[number]> | IsAny<Result>
      ? Method
      : never
    : never;
}[keyof Generated];
