/** What the page and the worker that compares two traces say to each other. */

import type { TreeView } from '../../base/calls_protocol.ts';
import type { GivenNames } from '../../base/given_names.ts';
import type { TokensPart } from '../../base/record_protocol.ts';
import type { HeldColumns, ResourceColumns } from '../../base/survey_protocol.ts';
import type { Texts } from '../../base/texts.ts';
import type { FlameMode } from '../../trace/call_paths.ts';
import type {
  ComparedFlame,
  ComparedRows,
  ComparedTree,
  ComparedValues,
  FoundHunks,
  FoundSuspects,
  FoundThings,
  FoundWhy,
} from '../../worker/wasm/unspool_compare.js';

// What `crate/wasm/compare` answers with.
export type {
  BrokenRelation,
  ComparedFlame,
  ComparedRows,
  ComparedStatement,
  ComparedTree,
  ComparedValues,
  ComparedVariable,
  FoundHunks,
  FoundSuspects,
  FoundThing,
  FoundThings,
  FoundWhy,
  PlacedValue,
  PointsOfRun,
  SaidOfThing,
  SharedSteps,
  SuspectStatement,
  SuspectValues,
} from '../../worker/wasm/unspool_compare.js';

/** What is said of the self time of a function's calls, in the order of {@link ComparedRows.verdict}. */
export const VERDICTS = ['new', 'gone', 'slower', 'faster', 'same', 'unsure'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What widths of the flame graph are: time in A, in B, or the greater of both. */
export const WIDTHS = ['a', 'b', 'larger'] as const;
export type FlameWidth = (typeof WIDTHS)[number];

/**
 * What a comparison is saved as: a page of HTML, its functions or its call paths in Apache Parquet, or stacks with the self times of both in
 * the folded form of `difffolded.pl`.
 */
export type SavedKind = 'report' | 'functions' | 'paths' | 'folded';

/** What a difference between records is, in the order of {@link FoundHunks.kinds}. */
export const KINDS = ['only-a', 'only-b', 'arguments', 'order', 'iterations', 'inside', 'other'] as const;
export type HunkKind = (typeof KINDS)[number];

/** What made two executions part, in the order of {@link FoundWhy.origin}. */
export const ORIGINS = ['step', 'instruction', 'input'] as const;

/** A trace whose steps are read: its file without containers, and the index that its session made. */
export interface StepsOf {
  readonly file: Blob;
  readonly index: Uint8Array;
}

/** A track whose records are compared. */
export interface TrackTokens {
  readonly track: number;
  readonly name: string;
  /** The id of its thread, if the trace has one. */
  readonly thread: bigint | null;
  /** Position of its first record. */
  readonly begin: bigint;
}

/** Of the records of a trace, what their numbers stand for: contents one after the other, and where each ends. And the tracks to compare. */
export interface TraceTokens {
  readonly contents: Uint8Array;
  readonly contentEnds: Uint32Array;
  readonly tracks: readonly TrackTokens[];
}

/** What the threads of two traces are, as pairs. */
export interface PairedThreads {
  /** Two numbers for each: the track of A and that of B, 2^32 - 1 where one lacks it. */
  readonly pairs: Uint32Array;
  /** Of executions, how many instructions only A has executed, and how many only B; null of others. */
  readonly alone: Uint32Array | null;
}

/** The object of the worker that says why two executions part. */
export interface Reasoning {
  /** Follows values back. `hear` gets how far it is, from 0 to 1. Rejects with a sentence if that cannot be done. */
  why(format: string, a: StepsOf, b: StepsOf, hear: (share: number) => void): Promise<FoundWhy>;
}

/** The rows of a comparison, with their names as one text: it crosses without a copy of each. */
export interface ComparedFunctions extends Omit<ComparedRows, 'names'> {
  readonly names: Texts;
}

/** The figures of one trace. */
export interface Profile {
  readonly names: Texts;
  /** Ids or addresses as texts, '' without. */
  readonly keys: Texts;
  /** Nine columns one after the other: count, total, self, min, median, p90, p99, max, bytes. */
  readonly figures: Float64Array;
  /** Sampled calls: index of the function, begin, and self time. */
  readonly function: Uint32Array;
  readonly start: Float64Array;
  readonly own: Float64Array;
  /** The unit of a counted axis, or ''. */
  readonly counted: string;
  /** Ticks per second, 0 if unknown. */
  readonly frequency: number;
  /** Several threads take turns on the axis. */
  readonly interleaved: boolean;
}

/** Call paths, a caller before its callees: indices of functions and of callers (2^32 - 1 without one), and figures. */
export interface ProfilePaths {
  readonly functions: Uint32Array;
  readonly parent: Uint32Array;
  readonly total: Float64Array;
  readonly self: Float64Array;
  readonly count: Float64Array;
}

/** What is shown of the call paths of both. */
export interface FlameQuestion {
  /** The order of time is not one of both. */
  readonly mode: Exclude<FlameMode, 'time'>;
  /** Rows from the root to the node in focus; of a sandwich, that of its function. */
  readonly path: readonly number[];
  readonly width: FlameWidth;
  /** Times of B are scaled, so that both are equally long. */
  readonly normalised: boolean;
}

/** A flame graph of both, and for a sandwich the callers above it. */
export interface ComparedFlames {
  readonly flame: ComparedFlame;
  readonly callers: ComparedFlame | null;
}

/** One side: the trace that is open, and further runs. */
export interface Compares {
  readonly profile: Profile;
  readonly runs: readonly Profile[];
}

/** The resources and findings of a trace. */
export interface ThingsOf {
  readonly resources: Pick<
    ResourceColumns,
    'kind' | 'label' | 'facts' | 'name' | 'size' | 'levels' | 'uploads' | 'created'
  >;
  readonly held: HeldColumns;
  readonly findings: {
    /** What people call their kinds. */
    readonly kind: readonly string[];
    readonly sentence: readonly string[];
    readonly count: Float64Array;
    /** Their first calls, -1 without one. */
    readonly first: Float64Array;
  };
}

/** The object of the worker. */
export interface Comparing {
  /** Compares B with A, in place of what was compared before. */
  compare(a: Compares, b: Compares): Promise<ComparedFunctions>;
  /** Takes the call paths of the traces that are open, A, 0, or B, 1, which it has not got yet, or other ones. */
  takePaths(side: 0 | 1, paths: ProfilePaths): void;
  /** The flame graph of both, whose call paths it has. null before {@link Comparing.compare}. */
  flame(question: FlameQuestion): Promise<ComparedFlames | null>;
  /** The same: rows of the call tree of both. */
  calls(question: TreeView): Promise<ComparedTree | null>;
  /**
   * The comparison as a file, which may name the files of both. Empty before {@link Comparing.compare}. Rejects with a sentence if it
   * would be too large.
   */
  saved(kind: SavedKind, a: string, b: string): Blob;
  /** Begins to take the records of two traces of a format, or of their beginnings, in place of others. Rejects if a rule cannot be read. */
  beginRecords(format: string, rules: readonly string[]): Promise<void>;
  /** Takes numbers of records of A, 0, or B, 1, as `tokens` of `RecordService` makes them. Resolves with their array, for `reuse`. */
  takeRecords(side: 0 | 1, part: TokensPart): Promise<Uint32Array>;
  /** Pairs threads by what they do, once all records are taken. Threads that rules name are left out. */
  pairThreads(a: TraceTokens, b: TraceTokens): Promise<PairedThreads>;
  /**
   * Where records differ first in what was taken of both. Four numbers for each pair of threads that differ there: the tracks of A and B,
   * and the numbers of the records in A and in B.
   */
  first(a: TraceTokens, b: TraceTokens): Promise<Uint32Array>;
  /** Compares the records of a pair, by its number. Nothing is found once `stop` is aborted. */
  align(pair: number, stop: AbortSignal): Promise<FoundHunks>;
  /**
   * Compares what `profile` of `ValuesService` has found in A and in B. `given`: names that companions give to
   * statements. null for other bytes.
   */
  compareValues(a: Uint8Array, b: Uint8Array, given: GivenNames): Promise<ComparedValues | null>;
  /**
   * Ranks what goes with failing. `runs` is what `profile` of `ValuesService` has found in each run, the first `passed` of which passed.
   * Resolves also with what the statements in it are shown as; with null for other bytes.
   */
  rankSuspects(
    runs: readonly Uint8Array[],
    passed: number,
    given: GivenNames,
  ): Promise<{ readonly found: FoundSuspects; readonly names: ReadonlyMap<string, string> } | null>;
  /** Resources and findings that only one trace has, or that differ. */
  thingsApart(a: ThingsOf, b: ThingsOf): Promise<FoundThings>;
  /** What of frames, calls, draws and uploaded bytes differs, in words; '' if nothing does. */
  drawnSentence(a: Float64Array, b: Float64Array): Promise<string>;
}
