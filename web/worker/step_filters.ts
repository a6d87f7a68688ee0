import type { StepFilter } from '../base/steps_protocol.ts';
import type { Answer, Ask } from './step_index.ts';
import { StepFilter as Filter } from './wasm/unspool_index.js';

/** An index that knows which steps a filter matches. */
interface FilteredIndex {
  matches(steps: Float64Array, filter: Filter): Uint8Array;
  /** The nearest match from `step` on, or before it; on the thread of step `of`. */
  nearestMatch(step: number, filter: Filter, next: boolean, of?: number): number | undefined;
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
      return { matches: withFilter(ask.filter, (filter) => index.matches(ask.steps, filter)) };
    case 'match':
      return {
        step: withFilter(ask.filter, (filter) => index.nearestMatch(ask.step, filter, ask.next, ask.of)) ?? null,
      };
    case 'walk': {
      const { filter: wanted, step, next } = ask;
      if (!wanted) return undefined;
      return { step: withFilter(wanted, (filter) => walked(index, filter, step, next, walk)) };
    }
    default:
      return undefined;
  }
}

/** The nearest step of a kind that matches. What lies between two stretches of matches is passed over. */
function walked(
  index: FilteredIndex,
  filter: Filter,
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

function withFilter<T>({ kernel, mode, thread }: StepFilter, use: (filter: Filter) => T): T {
  const filter = new Filter(kernel ?? undefined, mode ?? undefined, thread ?? undefined);
  try {
    return use(filter);
  } finally {
    filter.free();
  }
}
