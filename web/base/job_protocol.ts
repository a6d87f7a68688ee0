/** The jobs of a trace's worker: their questions, their parts, and the messages about them. */

import type { Flame, Functions, Percentiles, Ticks, TraceError } from './protocol.ts';

/** A range of some tracks; `to` is exclusive. */
export interface RangeQuestion {
  readonly from: Ticks;
  readonly to: Ticks;
  readonly tracks: Uint32Array;
}

/** Statistics of a range, estimated or exact. */
export interface StatisticsPart {
  /** The scan has visited all slices: only percentiles are estimates. */
  readonly exact: boolean;
  /** The whole file is read. */
  readonly complete: boolean;
  readonly functions: Functions | null;
  readonly flame: Flame | null;
}

/**
 * The kinds of jobs: questions that take the worker longer than a turn. Each has a question and parts. The last part is
 * the result, and the parts before it are estimates. `crate/browser/src/jobs.rs` implements them.
 */
export interface JobKinds {
  /**
   * A slow scan tells an estimate first. While the file is being read the estimate is also the last part. `flame` is
   * the call-tree node in focus, 0 for the root, null for no flame graph. Progress counts slices of the range.
   */
  readonly statistics: {
    readonly question: RangeQuestion & { readonly functions: boolean; readonly flame: number | null };
    readonly part: StatisticsPart;
  };
  /** `name` is a name id. The part is null if the range has no call of that name. Progress counts visits to slices. */
  readonly percentiles: {
    readonly question: RangeQuestion & { readonly name: number };
    readonly part: Percentiles | null;
  };
}

export type JobKind = keyof JobKinds;
/** What a job answers, with its kind. */
export type JobQuestion<K extends JobKind = JobKind> = K extends JobKind
  ? { readonly kind: K } & JobKinds[K]['question']
  : never;
/** What a job has found so far, or its result. */
export type JobPart<K extends JobKind = JobKind> = JobKinds[K]['part'];

/** How far a job has come, in counted work. */
export interface JobProgress {
  readonly done: number;
  /** As far as the job knows; it may find more to do. */
  readonly of: number;
}

/** Messages about a job. */
export type JobReply<K extends JobKind = JobKind> =
  /** Sent now and then while nothing else is to be told. */
  | { readonly t: 'job-progress'; readonly id: number; readonly progress: JobProgress }
  /** `last` ends the job. */
  | {
      readonly t: 'job-part';
      readonly id: number;
      readonly part: JobPart<K>;
      readonly progress: JobProgress;
      readonly last: boolean;
    }
  /** There is no memory for the job, which ends with that. The trace stays usable. */
  | { readonly t: 'job-failed'; readonly id: number; readonly error: TraceError };
