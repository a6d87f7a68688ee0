/*
 * How much a GPU is given to do at once. What it has begun it cannot be stopped in, and without a GPU the page is not painted meanwhile. So
 * commands go in portions, and the next portion but one waits until one is done.
 *
 * How long a command takes is not known before. Of each kind, such as the draws of a program, the worst is assumed at first: every
 * primitive covers all pixels. Each portion that was done corrects that.
 */

import type { Command } from './commands.ts';

/** Operations of commands of a kind. */
interface Charge {
  readonly kind: string;
  readonly work: number;
}

/** What was given to a GPU at once. */
export interface Portion {
  readonly charges: readonly Charge[];
  /** Milliseconds that it was expected to take. */
  readonly expected: number;
}

/** The pace of a GPU. */
export interface Pace {
  /** Whether the portion is to end before more work of a kind is added. */
  isFull(kind: string, work: number): boolean;
  /** Adds work to the portion. */
  add(kind: string, work: number): void;
  /** The share of work of a kind that may be given at once, of an empty portion: 1 for all of it. */
  share(kind: string, work: number): number;
  /** Ends the portion. */
  take(): Portion;
  /** A portion took so many milliseconds. */
  took(portion: Portion, ms: number): void;
}

/** Milliseconds of a portion, as expected. */
const PORTION_MS = 50;
/** The same if everything of it were as bad as can be, and how much faster than that a kind may prove to be taken for that. */
const [WORST_MS, PROVEN] = [5000, 64];
/** Milliseconds of a portion that are not due to what it has to do. */
const OVERHEAD_MS = 2;
/** How much an expectation sinks with one portion at most. */
const SLOPE = 8;
/** Operations of a millisecond: without a GPU and with one, rather too few. */
const SPEEDS = { software: 1e6, hardware: 1e8 } as const;
/** How much faster and slower than that a kind may prove. */
const [FASTER, SLOWER] = [1e6, 64];
/** What compiling a program takes, and the operations of a shader that take as long again. */
const [PROGRAM_WORK, MANY_OPERATIONS] = [5e6, 2500];
/** Kinds that are remembered. */
const MOST_KINDS = 4096;

/** The pace of a driver with a GPU or without. Nothing is known of it yet. */
export function createPace(isSoftware: boolean): Pace {
  const slowest = 1 / (isSoftware ? SPEEDS.software : SPEEDS.hardware);
  /** Milliseconds of an operation, by kind. */
  const rates = new Map<string, number>();
  let charges: Charge[] = [];
  let [expected, worst] = [0, 0];
  const expectation = (kind: string, work: number) => work * (rates.get(kind) ?? slowest);
  // Scenes of many small parts would need a portion for each.
  const fear = (kind: string, work: number) => Math.max(expectation(kind, work), (work * slowest) / PROVEN);
  return {
    isFull: (kind, work) =>
      charges.length > 0 && (expected + expectation(kind, work) > PORTION_MS || worst + fear(kind, work) > WORST_MS),
    add: (kind, work) => {
      expected += expectation(kind, work);
      worst += fear(kind, work);
      charges.push({ kind, work });
    },
    share: (kind, work) => Math.min(1, PORTION_MS / Math.max(PORTION_MS, expectation(kind, work))),
    take: () => {
      const portion = { charges, expected };
      [charges, expected, worst] = [[], 0, 0];
      return portion;
    },
    took: (portion, ms) => {
      if (portion.expected <= 0) return;
      const factor = Math.max(1 / SLOPE, Math.max(0, ms - OVERHEAD_MS) / portion.expected);
      for (const kind of new Set(portion.charges.map((charge) => charge.kind))) {
        const rate = (rates.get(kind) ?? slowest) * factor;
        if (rates.size >= MOST_KINDS) rates.clear();
        rates.set(kind, Math.min(slowest * SLOWER, Math.max(slowest / FASTER, rate)));
      }
    },
  };
}

/**
 * Operations that a command takes but a draw, which says so by `Op::Cost`. 0 for those that are nothing. `words` from `i` on are those of the
 * command: see `Op` in `crate/replay/src/ops.rs`.
 */
export function workOf(command: Command, words: Uint32Array, i: number): number {
  const at = (n: number) => words[i + n] ?? 0;
  const distance = (a: number, b: number) => Math.abs((at(a) | 0) - (at(b) | 0));
  switch (command) {
    case 'TexImage':
      return at(5) * at(6) * Math.max(1, at(7));
    case 'TexSubImage':
      return at(7) * at(8) * Math.max(1, at(9));
    case 'CopyTexSubImage':
      return 4 * at(9) * at(10);
    case 'BlitFramebuffer':
      return 4 * distance(4, 6) * distance(5, 7);
    case 'RenderbufferStorage':
      return at(3) * at(4);
    case 'BufferData':
      return at(2) / 4;
    case 'BufferSubData':
      return at(3) / 4;
    case 'BufferStorage':
      return at(1) / 4;
    case 'Clear':
      return 1000 * at(1);
    case 'ClearBuffer':
      return 1000 * at(7);
    case 'GenerateMipmap':
      return 2000 * at(2);
    case 'Program':
      // Compilers take longer the larger a shader is, and more than that.
      return PROGRAM_WORK * (1 + (at(5) / MANY_OPERATIONS) ** 2);
    default:
      return 0;
  }
}
