import type { Coverage, FromSteps, Indexed, ToSteps } from '../base/steps_protocol.ts';
import type { Disassembler } from './instructions.ts';

/** A question of the page, and its answer. */
export type Ask = Extract<ToSteps, { t: 'ask' }>;
export type Answer = Extract<FromSteps, { t: 'answer' }>['answer'];

/** An index of the steps of a trace, which is built in turns. */
export interface StepIndex {
  /** Takes a turn. Returns whether there is nothing more to read. */
  build(): boolean;
  /** Makes everything that was read part of the answers. */
  seal(): void;
  progress(): Omit<Indexed, 'done'>;
  /** The answer to a question; null if it is about a step that is not indexed, or about something that the trace does not say. */
  answer(ask: Ask, disassembler: Disassembler | undefined): Answer | null;
  /** Begins again from the first step if the index lacks what a question is about. Returns whether it does. */
  beginAgainFor?(ask: Ask): boolean;
  /** Settles when the bytes of the next turn are there. */
  arrival?(): Promise<void> | null;
}

/** The coverage of an index. */
export function coverageOf(
  index: { coverage(steps: Float64Array, by: string, how: string | undefined, list: Uint8Array): Coverage },
  ask: Extract<Ask, { about: 'coverage' }>,
): Coverage {
  const { by, with: other } = ask;
  return index.coverage(Float64Array.from(ask.steps), by, other?.how, other?.list ?? new Uint8Array());
}
