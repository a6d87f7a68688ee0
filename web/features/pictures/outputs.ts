import type { FindsOutputs, OutputsFound, VerticesAsked } from '../../trace/vertex_outputs.ts';

/** What a replay lets outputs of vertices be asked with. */
export interface OutputsAsking {
  /** Resolves once no other question waits for its answer. */
  idle(): Promise<void>;
  /** Why nothing can be asked, or ''. */
  problem(): string;
  /** Asks. Resolves with null if another question has come. */
  ask(asked: VerticesAsked): Promise<OutputsFound | null>;
  /** Whether there is nothing that could be asked any more. */
  isOver(): boolean;
}

/** Asks until there is an answer. Pictures come first: a question ends the one before. */
export function outputsFinder({ idle, problem, ask, isOver }: OutputsAsking): FindsOutputs {
  return async (asked) => {
    for (;;) {
      await idle();
      const before = problem();
      if (before !== '') return { outputs: null, problem: before };
      const answer = await ask(asked);
      const after = problem();
      if (answer) return answer;
      if (after !== '') return { outputs: null, problem: after };
      if (isOver()) return null;
    }
  };
}
