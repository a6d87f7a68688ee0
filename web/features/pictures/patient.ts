/** What a replay lets something be asked with. */
export interface PatientAsking<Asked, Found> {
  /** Resolves once no other question waits for its answer. */
  idle(): Promise<void>;
  /** Why nothing can be asked, or ''. */
  problem(): string;
  /** Asks. Resolves with null if another question has come. */
  ask(asked: Asked): Promise<Found | null>;
  /** The answer that has only a problem. */
  none(problem: string): Found;
  /** Whether there is nothing that could be asked any more. */
  isOver(): boolean;
}

/** Asks until there is an answer: null if there will be none. Pictures come first: a question ends the one before. */
export function patiently<Asked, Found>(asking: PatientAsking<Asked, Found>): (asked: Asked) => Promise<Found | null> {
  const { idle, problem, ask, none, isOver } = asking;
  return async (asked) => {
    for (;;) {
      await idle();
      const before = problem();
      if (before !== '') return none(before);
      const answer = await ask(asked);
      const after = problem();
      if (answer) return answer;
      if (after !== '') return none(after);
      if (isOver()) return null;
    }
  };
}
