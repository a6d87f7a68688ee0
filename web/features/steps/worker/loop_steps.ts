import type { Loops } from '../../../base/steps_protocol.ts';
import { LoopFinder } from '../../../worker/wasm/unspool_index.js';
import type { StepIndex } from './step_index.ts';

/** An index in which loops can be looked for. */
interface LoopIndex {
  findLoops(finder: LoopFinder): boolean;
  /** Takes the finder. */
  loops(finder: LoopFinder): Loops;
}

/**
 * Looks for loops in turns: an index of a hundred million steps takes several hundred. It starts over for an index that was
 * made again in between.
 */
export function createLoopSteps(index: LoopIndex): StepIndex['loops'] {
  let finder: LoopFinder | null = null;
  return (first) => {
    if (first) {
      finder?.free();
      finder = null;
    }
    finder ??= new LoopFinder();
    const isDone = index.findLoops(finder);
    const { share } = finder;
    if (!isDone) return { share, loops: null };
    const loops = index.loops(finder);
    finder = null;
    return { share: 1, loops };
  };
}
