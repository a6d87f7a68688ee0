import { type Signal, signal } from '@preact/signals';
import type { Pair } from '../timeline/open_trace.ts';
import { perTrace } from '../trace/per_trace.ts';

/** The differences between two traces, as keys know them. */
export interface KnownDifferences {
  /** Goes to the next difference, or the previous one, in both traces. */
  step(by: 1 | -1): void;
}

/** The differences of a pair; null until they are known. */
export const differencesOf = perTrace((_: Pair): { readonly known: Signal<KnownDifferences | null> } => ({
  known: signal(null),
}));
