/**
 * The messages between the page and the worker that indexes what each step of a trace reads and writes.
 * `web/worker/steps_worker.ts` reads {@link ToSteps} and writes {@link FromSteps}, `web/model/machine.ts` the reverse. Steps are
 * numbers: files have fewer than 2^53 of them.
 */

/** A register at a moment. */
export interface RegisterState {
  readonly name: string;
  /** Little-endian. null if no step before has accessed the byte. */
  readonly value: Uint8Array | null;
  /** The step whose access this is known from. */
  readonly step: number;
  /** It was written there, otherwise read. */
  readonly written: boolean;
  /** It was read with another value than was written last. */
  readonly changed: boolean;
  /** The trace has written it. Otherwise it is known from reads only. */
  readonly isOurs: boolean;
  /** What the step at hand writes to it; null if it does not. */
  readonly next: Uint8Array | null;
  readonly isStackPointer: boolean;
}

/** An access in full. */
export interface StepAccess {
  readonly step: number;
  readonly thread: bigint | null;
  readonly written: boolean;
  /** null for memory. */
  readonly register: string | null;
  /** Of memory. */
  readonly address: bigint;
  /** As in the file: of a register little-endian, of memory in the order of addresses. */
  readonly value: Uint8Array;
}

/** A system call of an instruction, by the registers before it. */
export interface SystemCall {
  /** Its name under Linux; null if the number has none. */
  readonly name: string | null;
  readonly number: bigint;
  /** The registers for arguments, as far as they are known. */
  readonly arguments: readonly { readonly register: string; readonly value: bigint }[];
}

/** The registers before a step, and what the step does. */
export interface StepState {
  readonly thread: bigint | null;
  /** The address of the instruction; null if it executes none. */
  readonly address: bigint | null;
  readonly registers: readonly RegisterState[];
  readonly accesses: readonly StepAccess[];
  /** How often the indexed part executes the instruction, and how often before this step. */
  readonly executions: number;
  readonly executionsBefore: number;
  /** What the instruction calls; null if that is not a system call, or its number is not known. */
  readonly systemCall: SystemCall | null;
}

/** How a byte of memory is known: by {@link MemoryState.how}. */
export const UNKNOWN = 0;
/** From reads only. */
export const READ = 1;
export const WRITTEN = 2;
/** Read with another value than was written last. */
export const CHANGED = 3;

/** Memory before a step: an entry for each byte. */
export interface MemoryState {
  readonly values: Uint8Array;
  readonly how: Uint8Array;
  /** The step that wrote the byte last, or the one whose read it is known from. */
  readonly steps: Float64Array;
}

/** A register of a thread, or bytes of memory. */
export type Cell =
  | { readonly what: 'register'; readonly thread: bigint | null; readonly name: string }
  | { readonly what: 'memory'; readonly address: bigint; readonly len: number };

/** Something that an instruction reads to make a value. `isAddress`: it only addresses memory. */
export interface OriginOperand {
  readonly access: StepAccess;
  readonly isAddress: boolean;
}

/** Where the value of a cell, or of a part of its memory, comes from. */
export interface Origin {
  /** What was asked for or the part of it; after copies, the first cell that had the value. */
  readonly cell: Cell;
  /**
   * `step` wrote it. Or no step did, and `step` read it first. Or `step` read another value than was written last: it was changed
   * outside the trace. Or it is unknown.
   */
  readonly cause: 'written' | 'read' | 'changed' | 'unknown';
  readonly step: number | null;
  /** The steps that only copied it, the last one first. */
  readonly copies: Float64Array;
  /** The instruction of `step` if that wrote it; null for a record that is not an instruction. */
  readonly instruction: string | null;
  readonly written: Uint8Array;
  /** Empty for a constant. */
  readonly operands: readonly OriginOperand[];
  /** The trace lists all registers with the step, and what its instruction reads is unknown. */
  readonly isUnclear: boolean;
}

/** A step that uses a value, and what it writes. */
export interface ValueUse {
  readonly step: number;
  readonly instruction: string | null;
  /** It only addresses memory by the value. */
  readonly isAddress: boolean;
  readonly written: readonly StepAccess[];
}

/** The first steps that use a value. `replaced` is the step that writes another one, null if none does. */
export interface Uses {
  readonly uses: readonly ValueUse[];
  readonly replaced: number | null;
  readonly isCut: boolean;
}

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

/** Executed code by address. Stretches that only the other list has were executed 0 times. */
export interface Coverage {
  /** Of modules; '' for what is in none. Otherwise empty. */
  readonly names: readonly string[];
  readonly address: BigUint64Array;
  /** In bytes. */
  readonly length: Float64Array;
  readonly instructions: Uint32Array;
  readonly count: Float64Array;
  /** Why the other list cannot be used, or ''. */
  readonly wrong: string;
}

/** Runs of a repeated cycle of instructions, by their begin; loops follow the one that they are within. */
export interface Loops {
  /** The first step. */
  readonly start: Float64Array;
  /** The step after the first iteration, the first one of the last, and the step after that. */
  readonly firstEnd: Float64Array;
  readonly lastStart: Float64Array;
  readonly end: Float64Array;
  /** Number of iterations, at least 2. */
  readonly count: Float64Array;
  /** Instructions of the cycle, or blocks of a block trace. A loop in it counts as one. */
  readonly length: Float64Array;
  /** Address of the first instruction. */
  readonly address: BigUint64Array;
  /** 1 if other threads have steps between the first and the last one. */
  readonly shared: Uint8Array;
  /** Loops within others that are not listed. */
  readonly unlisted: number;
  /** Steps of threads beyond the limit, whose loops are not known. */
  readonly leftOut: number;
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

/** Which steps to walk to, and which to show: all that is not null must hold. */
export interface StepFilter {
  readonly kernel: boolean | null;
  /** Number of the processor's mode. */
  readonly mode: number | null;
  readonly thread: bigint | null;
}

/** What a trace has steps of, as far as it is indexed. */
export interface StepKinds {
  readonly threads: BigUint64Array;
  readonly modes: readonly { readonly number: number; readonly name: string }[];
  /** Whether there are steps outside the kernel, and in it. */
  readonly user: boolean;
  readonly kernel: boolean;
}

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
