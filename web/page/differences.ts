import { type Signal, signal } from '@preact/signals';
import type { Pair } from '../timeline/open_trace.ts';
import { perTrace } from '../trace/per_trace.ts';

/** The differences between two traces, as keys know them. */
export interface KnownDifferences {
  /** Goes to the next difference, or the previous one, in both traces. */
  step(by: 1 | -1): void;
}

/** What the page knows of the differences of a pair. */
export interface PairDifferences {
  /** null until they are known. */
  readonly known: Signal<KnownDifferences | null>;
  /** Whether records are to be compared, also while nothing shows them. It stays, once set. */
  readonly wanted: Signal<boolean>;
  /** How far that is, or why it cannot be done, in words; '' once it is done. */
  readonly progress: Signal<string>;
  /** What does not count when records are compared: rules as `unspool compare --ignore` takes them. Those of a link may be anything. */
  readonly ignored: Signal<readonly string[]>;
}

export const differencesOf = perTrace(
  (_: Pair): PairDifferences => ({
    known: signal(null),
    wanted: signal(false),
    progress: signal(''),
    ignored: signal([]),
  }),
);
