/**
 * The messages between the page and the worker that indexes what each step of a trace reads and writes.
 * `web/worker/steps_worker.ts` reads {@link ToSteps} and writes {@link FromSteps}, `web/model/machine.ts` the reverse. Steps are
 * numbers: files have fewer than 2^53 of them.
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

/** The questions: what is asked, and what is answered. */
export interface StepQuestions {
  state: { ask: { readonly step: number }; answer: StepState };
  memory: { ask: { readonly step: number; readonly address: bigint; readonly len: number }; answer: MemoryState };
  /** The nearest step that reads or writes a cell, or with null does either; null if there is none. */
  nearest: {
    ask: { readonly step: number; readonly cell: Cell; readonly written: boolean | null; readonly next: boolean };
    answer: { readonly step: number | null };
  };
  /** At most `most` steps of a history around a step. */
  history: { ask: { readonly step: number; readonly cell: Cell; readonly most: number }; answer: HistoryPart };
  /** The step that executes an address for the `number`th time, counted from 0, from step `from` on. */
  execution: {
    ask: { readonly address: bigint; readonly from: number; readonly number: number };
    answer: { readonly step: number | null };
  };
  /** Where the value comes from that a cell has before a step: one origin for each part with a writer of its own. */
  origins: { ask: { readonly step: number; readonly cell: Cell }; answer: { readonly origins: readonly Origin[] } };
  /** The steps after `step` that read the value that a cell has then, at most `most`. */
  uses: { ask: { readonly step: number; readonly cell: Cell; readonly most: number }; answer: Uses };
  /** The nearest step of a kind; null if there is none so far. */
  walk: {
    ask: {
      readonly step: number;
      readonly kind: WalkKind;
      readonly next: boolean;
      readonly filter: StepFilter | null;
    };
    answer: { readonly step: number | null };
  };
  /** The nearest step that matches, from `step` on or before it, on the thread of step `of`. */
  match: {
    ask: { readonly step: number; readonly next: boolean; readonly of: number; readonly filter: StepFilter };
    answer: { readonly step: number | null };
  };
  /** For each step whether it matches: 1 or 0. */
  matches: {
    ask: { readonly steps: Float64Array; readonly filter: StepFilter };
    answer: { readonly matches: Uint8Array };
  };
  kinds: { ask: Record<never, never>; answer: StepKinds };
  /** Looks for loops in a further part of the index; again with `first`. `loops` is null until all is looked at. */
  loops: {
    ask: { readonly first: boolean };
    answer: { readonly share: number; readonly loops: Loops | null };
  };
  coverage: {
    ask: { readonly steps: StepRange; readonly by: CoverageBy; readonly with: CoverageWith | null };
    answer: Coverage;
  };
  /** Coverage as a drcov file. `program` names what is in no module. */
  drcov: { ask: { readonly steps: StepRange; readonly program: string }; answer: { readonly file: Uint8Array } };
}

/** What the index of steps can be asked. */
export type StepQuestion = keyof StepQuestions;

/** To the worker that indexes steps (`web/worker/steps_worker.ts`). */
export type ToSteps =
  /**
   * Begins to index the steps of a file. `records` is the index that the session made, null for a database, which may have a
   * write-ahead log. `format` is {@link TraceInfo.format}.
   */
  | {
      readonly t: 'open';
      readonly file: Blob;
      readonly log: Blob | null;
      readonly format: string;
      readonly records: Uint8Array | null;
    }
  /** Pauses the indexing, or goes on with it. */
  | { readonly t: 'stop' }
  | { readonly t: 'go-on' }
  | {
      [Q in StepQuestion]: { readonly t: 'ask'; readonly id: number; readonly about: Q } & StepQuestions[Q]['ask'];
    }[StepQuestion];

/** An answer is null with a sentence if the file cannot be read, and without one if the step is not indexed. */
export type FromSteps =
  | ({ readonly t: 'indexed' } & Indexed)
  /** The indexing ended with an error. */
  | { readonly t: 'failed'; readonly sentence: string }
  | {
      readonly t: 'answer';
      readonly id: number;
      readonly answer: StepQuestions[StepQuestion]['answer'] | null;
      readonly error: string | null;
    };
