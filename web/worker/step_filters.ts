import type { StepFilter } from '../base/steps_protocol.ts';
import type { Answer, Ask } from './step_index.ts';

/** An index that knows which steps a filter matches. */
interface FilteredIndex {
  matches(steps: Float64Array, filter: StepFilter): Uint8Array;
  /** The nearest match from `step` on, or before it; on the thread of step `of`. */
  nearestMatch(step: number, filter: StepFilter, next: boolean, of?: number): number | undefined;
}

/**
 * The answer to a question about filters, or undefined if it is not one; null if it is about steps from `built` on, which are not an indexed.
 * `walk` leads to the nearest step of a kind, of any.
 */
export function answerFiltered(
  index: FilteredIndex,
  built: number,
  ask: Ask,
  walk: (step: number) => number | null,
): Answer | null | undefined {
  switch (ask.about) {
    case 'matches':
      if (ask.steps.some((step) => step >= built)) return null;
      return { matches: index.matches(ask.steps, ask.filter) };
    case 'match':
      return { step: index.nearestMatch(ask.step, ask.filter, ask.next, ask.of) ?? null };
    case 'walk': {
      const { filter, step, next } = ask;
      if (!filter) return undefined;
      return { step: walked(index, filter, step, next, walk) };
    }
    default:
      return undefined;
  }
}

/** The nearest step of a kind that matches. What lies between two runs of matches is passed over. */
function walked(
  index: FilteredIndex,
  filter: StepFilter,
  from: number,
  next: boolean,
  walk: (step: number) => number | null,
): number | null {
  let step = from;
  for (;;) {
    const found = walk(step);
    if (found === null) return null;
    const match = index.nearestMatch(found, filter, next);
    if (match === undefined) return null;
    if (match === found) return found;
    step = next ? match - 1 : match + 1;
  }
}
