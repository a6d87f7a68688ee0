import type { Loops, StepQuestions } from '../base/steps_protocol.ts';
import { LoopFinder } from './wasm/unspool_index.js';

/** An index in which loops can be looked for. */
interface LoopIndex {
  findLoops(finder: LoopFinder): boolean;
  /** Takes the finder. */
  loops(finder: LoopFinder): Loops;
}

/** Answers questions for loops, each with a turn: an index of a hundred million steps takes several hundred. */
export function createLoopSteps(index: LoopIndex): (first: boolean) => StepQuestions['loops']['answer'] {
  let finder: LoopFinder | null = null;
  return (first) => {
    if (first) {
      finder?.free();
      finder = new LoopFinder();
    }
    if (!finder) return { share: 0, loops: null };
    const isDone = index.findLoops(finder);
    const { share } = finder;
    if (!isDone) return { share, loops: null };
    const loops = index.loops(finder);
    finder = null;
    return { share: 1, loops };
  };
}
