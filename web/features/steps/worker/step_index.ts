import type { Coverage, Indexed, Loops, StepQuestions } from '../../../base/steps_protocol.ts';

/** An index of the steps of a trace, which is built in turns. */
export interface StepIndex {
  /** Takes a turn. Returns whether there is nothing more to read. */
  build(): boolean;
  /** Makes everything that was read part of the answers. */
  seal(): void;
  progress(): Omit<Indexed, 'done'>;
  /** Questions that the trace has no answers to are missing. */
  readonly questions: Partial<StepQuestions>;
  /** Looks for loops in a further part of the index, or in the first one. `loops` is null until all is looked at. */
  loops(first: boolean): { readonly share: number; readonly loops: Loops | null };
  /** Begins again from the first step if the index lacks what a question is about. Returns whether it does. */
  beginAgainFor?(question: string): boolean;
  /** Settles when the bytes of the next turn are there. */
  arrival?(): Promise<void> | null;
}

/** The questions about what is executed, which all indexes of steps answer. `of` is the index at the moment. */
export function executedQuestions(
  of: () => {
    coverage(steps: Float64Array, by: string, how: string | undefined, list: Uint8Array): Coverage;
    drcov(steps: Float64Array, program: string): Uint8Array;
  },
): Pick<StepQuestions, 'coverage' | 'drcov'> {
  return {
    coverage: (steps, by, other) =>
      of().coverage(Float64Array.from(steps), by, other?.how, other?.list ?? new Uint8Array()),
    drcov: (steps, program) => of().drcov(Float64Array.from(steps), program),
  };
}
