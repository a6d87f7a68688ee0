import type { StepFilter, StepQuestions, WalkKind } from '../../../base/steps_protocol.ts';

/** An index that knows which steps a filter matches. */
interface FilteredIndex {
  matches(steps: Float64Array, filter: StepFilter): Uint8Array;
  /** The nearest match from `step` on, or before it; on the thread of step `of`. */
  nearestMatch(step: number, filter: StepFilter, next: boolean, of?: number): number | undefined;
}

/**
 * The questions about filters. `of` is the index at the moment, with the number of steps in it. `walk` leads to the nearest
 * step of a kind, whatever it is.
 */
export function filteredQuestions(
  of: () => { readonly index: FilteredIndex; readonly built: number },
  walk: (step: number, kind: WalkKind, next: boolean) => number | null,
): Pick<StepQuestions, 'matches' | 'match' | 'walk'> {
  return {
    matches: (steps, filter) => {
      const { index, built } = of();
      return steps.some((step) => step >= built) ? null : index.matches(Float64Array.from(steps), filter);
    },
    match: (step, next, thread, filter) => {
      const { index, built } = of();
      return step >= built ? null : { step: index.nearestMatch(step, filter, next, thread) ?? null };
    },
    walk: (step, kind, next, filter) => {
      const { index, built } = of();
      if (step >= built) return null;
      const nearest = (from: number) => walk(from, kind, next);
      return { step: filter ? walked(index, filter, step, next, nearest) : nearest(step) };
    },
  };
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
