import { type ReadonlySignal, signal } from '@preact/signals';
import type { StepFilter } from '../../base/steps_protocol.ts';
import type { Machine } from '../../trace/machine.ts';

/** Which steps of a listing a filter of steps matches. */
export interface StepMatches {
  /** Grows when answers have arrived. */
  readonly version: ReadonlySignal<number>;
  /** Whether a step matches; null until that is known. */
  of(step: number): boolean | null;
  /** Asks about steps that are not known yet. */
  want(steps: readonly number[]): void;
}

/** Answers that are remembered. */
const MOST = 4096;

/** What matches `filter`. Answers come from the index of the trace. */
export function createStepMatches(
  filter: StepFilter,
  machine: Pick<Machine, 'ready'> & { readonly ask: Pick<Machine['ask'], 'matches'> },
): StepMatches {
  const version = signal(0);
  const known = new Map<number, boolean>();
  let isAsking = false;
  const ask = async (steps: readonly number[]) => {
    isAsking = true;
    await machine.ready(Math.max(...steps));
    const found = await machine.ask.matches(steps, filter);
    isAsking = false;
    if (!found) return;
    if (known.size > MOST) known.clear();
    for (const [i, step] of steps.entries()) known.set(step, found[i] === 1);
    version.value += 1;
  };
  return {
    version,
    of: (step) => known.get(step) ?? null,
    want: (steps) => {
      const missing = steps.filter((step) => !known.has(step));
      if (missing.length > 0 && !isAsking) void ask(missing);
    },
  };
}
