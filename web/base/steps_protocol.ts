/**
 * The worker that indexes what each step of a trace reads and writes: `web/features/steps/worker/steps.ts`, which `web/trace/machine.ts` asks.
 * Steps are numbers: files have fewer than 2^53 of them.
 */

import type {
  Cell,
  Coverage,
  Loops,
  MemoryState,
  Origin,
  StepAccess,
  StepFilter,
  StepKinds,
  StepState,
  Uses,
} from '../worker/wasm/unspool_index.js';
import type { Turns } from './turns.ts';

// What `crate/wasm/index` answers with, and what it takes.
export type {
  Cell,
  Coverage,
  Loops,
  MemoryState,
  Origin,
  OriginOperand,
  RegisterState,
  StepAccess,
  StepFilter,
  StepKinds,
  StepState,
  SystemCall,
  Uses,
  ValueUse,
} from '../worker/wasm/unspool_index.js';

/** How a byte of memory is known: by {@link MemoryState.how}. */
export const UNKNOWN = 0;
/** From reads only. */
export const READ = 1;
export const WRITTEN = 2;
/** Read with another value than was written last. */
export const CHANGED = 3;

/** A part of a history: what the steps from number `first` on access, of `count` steps in all. */
export interface HistoryPart {
  readonly count: number;
  /** How many of the steps are before the one that was asked about. */
  readonly before: number;
  readonly first: number;
  readonly rows: readonly StepAccess[];
}

/** The steps that are meant: the first one, and the one after the last. Empty for all. */
export type StepRange = readonly [from: number, to: number] | readonly [];

/** What a row of coverage is: a block of instructions that were executed equally often, an instruction, or a module. */
export type CoverageBy = 'block' | 'address' | 'module';

/** A list of executed code to join coverage with, as a drcov file: what is in either, in the trace alone, or in both. */
export interface CoverageWith {
  readonly how: 'plus' | 'minus' | 'common';
  readonly list: Uint8Array;
}

/** How far the index is. */
export interface Indexed {
  /** Steps before this one are in it. */
  readonly built: number;
  /** Number of steps of the trace. */
  readonly count: number;
  /** Its memory in bytes. */
  readonly bytes: number;
  /** Nothing more comes: the trace ends, or its memory is full. */
  readonly done: boolean;
  readonly full: boolean;
}

/** What a walk through the steps leads to: see `Explorer.walk`. `step` is the next one of the same thread. */
export type WalkKind = 'step' | 'execution' | 'thread' | 'mode' | 'privilege' | 'system-call' | 'interrupt';

/** A step that was looked for, or null if there is none so far. */
export interface Found {
  readonly step: number | null;
}

/**
 * What the index of steps can be asked. Answers are null about steps that are not indexed, and about what the trace does not
 * say.
 */
export interface StepQuestions {
  state(step: number): StepState | null;
  memory(step: number, address: bigint, len: number): MemoryState | null;
  /** The nearest step that reads or writes a cell, or with null does either; null if there is none. */
  nearest(step: number, cell: Cell, written: boolean | null, next: boolean): number | null;
  /** At most `most` steps of a history around a step. */
  history(step: number, cell: Cell, most: number): HistoryPart | null;
  /** The step that executes an address for the `number`th time, counted from 0, from step `from` on; null if there is none. */
  execution(address: bigint, from: number, number: number): number | null;
  /** Where the value comes from that a cell has before a step: one origin for each part with a writer of its own. */
  origins(step: number, cell: Cell): readonly Origin[] | null;
  /** The steps after `step` that read the value that a cell has then, at most `most`. */
  uses(step: number, cell: Cell, most: number): Uses | null;
  /** The nearest step of a kind. With a filter, one that it matches. */
  walk(step: number, kind: WalkKind, next: boolean, filter: StepFilter | null): Found | null;
  /** The nearest step that matches, from `step` on or before it, on the thread of step `of`. */
  match(step: number, next: boolean, of: number, filter: StepFilter): Found | null;
  /** For each step whether it matches: 1 or 0. */
  matches(steps: readonly number[], filter: StepFilter): Uint8Array | null;
  /** What the indexed part has steps of. */
  kinds(): StepKinds | null;
  /** What `steps` of the indexed part execute, joined with another list unless that is null. */
  coverage(steps: StepRange, by: CoverageBy, other: CoverageWith | null): Coverage | null;
  /** The same as a drcov file. `program` names what is in no module. */
  drcov(steps: StepRange, program: string): Uint8Array | null;
}

/** The file whose steps are indexed. */
export interface StepsFile {
  readonly file: Blob;
  /** The write-ahead log of a database. */
  readonly log: Blob | null;
  /** {@link TraceInfo.format}. */
  readonly format: string;
  /** The index that the session made, null for a database. */
  readonly records: Uint8Array | null;
}

/** The worker that indexes steps (`web/features/steps/worker/steps.ts`). */
export interface Steps extends Turns<StepsFile, Indexed>, StepQuestions {
  /** Looks for loops in the indexed part, and says how far it is. Resolves with null if it is stopped. */
  loops(tellShare: (share: number) => void, stop: AbortSignal): Promise<Loops | null>;
}
