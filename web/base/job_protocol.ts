/** The jobs of a trace's worker: their questions, their parts, and what the page hears of them. */

import type {
  CallList,
  DerivedPart,
  FindPart,
  JobProgress,
  MarksPart,
  Percentiles,
  SelfTimeList,
  StatisticsPart,
  TimeOrder,
} from '../worker/wasm/unspool_browser.js';
import type { CallOrder, FlameView, Transforms, TreeView } from './calls_protocol.ts';
import type { Item, Ticks, TraceError } from './protocol.ts';
import type { Collected } from './record_protocol.ts';

// What `crate/wasm/session` answers with.
export type {
  DerivedPart,
  JobProgress,
  MarksPart,
  SelfTimeList,
  StatisticsPart,
} from '../worker/wasm/unspool_browser.js';

/** A range of some tracks; `to` is exclusive. */
export interface RangeQuestion {
  readonly from: Ticks;
  readonly to: Ticks;
  readonly tracks: Uint32Array;
}

/** How a derived track is shown. */
export interface TrackLabel {
  readonly label: string;
  /** What it was made from. */
  readonly detail: string;
}

/**
 * The kinds of jobs: questions that take the worker longer than a turn. Each has a question and parts. The last part is
 * the result, and the parts before it are estimates. `crate/wasm/session/src/jobs.rs` implements them.
 */
export interface JobKinds {
  /**
   * A slow scan sends an estimate first. While the file is being read the estimate is also the last part. Progress counts
   * slices of the range.
   */
  readonly statistics: {
    readonly question: RangeQuestion & {
      readonly functions: boolean;
      /** null for no flame graph, and for no call tree. */
      readonly flame: FlameView | null;
      readonly tree: TreeView | null;
      /** Both have what calls weigh (`TraceService.weigh`) in place of durations. */
      readonly weighed: boolean;
      /** How the call paths of both are changed. */
      readonly transforms: Transforms;
    };
    readonly part: StatisticsPart;
  };
  /**
   * Rows of the list of a function's calls. `path` are the names from an outermost call to the function, for its calls from
   * there only; empty for all. After 2^32 - 1, only a caller and the function, wherever the caller was called from. `shortest` and `longest` bound their durations; `of` is a slice whose row is
   * wanted. Another part of the same list needs no further scan. Progress counts slices.
   */
  readonly calls: {
    readonly question: RangeQuestion & {
      readonly name: number;
      readonly path: Uint32Array;
      readonly shortest: bigint;
      readonly longest: bigint;
      readonly order: CallOrder;
      readonly first: number;
      readonly rows: number;
      readonly of: Extract<Item, { kind: 'slice' }> | null;
    };
    readonly part: CallList;
  };
  /**
   * Self times of sampled calls of functions, for comparison. `names` are ids, `counts` how many calls each has.
   * Progress counts slices.
   */
  readonly selfTimes: {
    readonly question: RangeQuestion & { readonly names: Uint32Array; readonly counts: Float64Array };
    readonly part: SelfTimeList;
  };
  /** Calls in the order of time. Progress counts slices. */
  readonly timeOrder: {
    readonly question: RangeQuestion & { readonly transforms: Transforms };
    readonly part: TimeOrder;
  };
  /** `name` is a name id. The part is null if the range has no call of that name. Progress counts visits to slices. */
  readonly percentiles: {
    readonly question: RangeQuestion & { readonly name: number };
    readonly part: Percentiles | null;
  };
  /**
   * All calls of a function as one track, which stays until it is removed or evicted. Each has a slot of its own. Progress
   * counts slices.
   */
  readonly keep: { readonly question: TrackLabel & { readonly name: number }; readonly part: DerivedPart };
  /**
   * Collected records as one track: with `values` their numbers over time, else points, or slices if there are `names` for
   * them. Progress counts records.
   */
  readonly gather: {
    readonly question: TrackLabel & Collected & { readonly values: boolean; readonly names: Uint32Array };
    readonly part: DerivedPart;
  };
  /**
   * Where a function is called. `depths` are as in a query. `merged` marks all depths of a track in one row, every cell that
   * a call touches; otherwise calls of a step or longer are left out, because they are drawn.
   */
  readonly marks: {
    readonly question: RangeQuestion & {
      readonly name: number;
      readonly step: bigint;
      readonly depths: Int32Array;
      readonly merged: boolean;
    };
    readonly part: MarksPart;
  };
  /**
   * Finds slices and instants by an expression that was bound. What is left to the records is added later (`addHits`). The trace
   * has been read. Progress counts slices.
   */
  readonly find: {
    readonly question: { readonly slices: Uint8Array };
    readonly part: FindPart;
  };
}

export type JobKind = keyof JobKinds;
/** What a job answers, with its kind. */
export type JobQuestion<K extends JobKind = JobKind> = K extends JobKind
  ? { readonly kind: K } & JobKinds[K]['question']
  : never;
/** What a job has found so far, or its result. */
export type JobPart<K extends JobKind = JobKind> = JobKinds[K]['part'];

/** What the page hears of a job. */
export type JobReply<K extends JobKind = JobKind> =
  /** Now and then while there is no part. */
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
