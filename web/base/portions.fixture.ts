import type { Portions } from './portions.ts';

/** Does work turn by turn. Returns its result, and by how much `count` grew in one turn at most. */
export function byTurns<T>(work: Portions<T>, count: () => number): { readonly result: T; readonly most: number } {
  let most = 0;
  for (;;) {
    const start = count();
    const { done, value } = work.next();
    most = Math.max(most, count() - start);
    if (done) return { result: value, most };
  }
}
