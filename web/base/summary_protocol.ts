/** What stands out in a trace: searches in several workers, which all report the same. `docs/findings.md` defines the kinds. */

import type { StandingFinding } from '../worker/wasm/unspool_findings.js';
import type { StepsFile } from './steps_protocol.ts';
import type { Turns } from './turns.ts';

// What all of the modules answer with.
export type { StandingFinding } from '../worker/wasm/unspool_findings.js';

/** How far a search is. */
export interface StandingNews {
  /** Of the trace, from 0 to 1. */
  readonly share: number;
  /** Bytes of memory that it holds. */
  readonly bytes: number;
  readonly isDone: boolean;
  /** The greatest first. They come at the end. */
  readonly found: readonly StandingFinding[];
}

/** What the search among calls needs besides their rows. */
export interface CallsSearched {
  /** Ticks of a second; 0 if that is unknown. */
  readonly frequency: bigint;
  /** Where records are missing: the track, the begin and the end of each gap. */
  readonly gaps: BigUint64Array;
}

/** What looks at the steps of a trace (`web/features/steps/worker/findings.ts`). */
export type FindsInSteps = Turns<StepsFile, StandingNews>;
