import { PORTION, type Portions } from './portions.ts';

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

/** Counts what is done in a turn of the event loop. `most`: in one at most so far. */
export function countedByTurns(): { readonly count: () => void; readonly most: () => number } {
  let [now, most] = [0, 0];
  const count = () => {
    // It comes before the timers of what is done next.
    if (now === 0) {
      setTimeout(() => {
        now = 0;
      });
    }
    now += 1;
    most = Math.max(most, now);
  };
  return { count, most: () => most };
}

/** Names in three portions, in place of keys that are counted as they are asked for. */
export function manyNames() {
  const { count, most } = countedByTurns();
  const text = Array.from({ length: 3 * PORTION }, (_, id) => `f${id}`);
  const keyOf = (id: number) => {
    count();
    return `#${id}`;
  };
  return { text, keyOf, most };
}

/** A list whose reads are counted. `hear`: called for each of them. */
export function countedReads(texts: readonly string[], hear = () => {}) {
  let reads = 0;
  const list = new Proxy(texts, {
    get: (of, key) => {
      if (typeof key === 'string' && /^\d/.test(key)) {
        reads += 1;
        hear();
      }
      return Reflect.get(of, key) as unknown;
    },
  });
  return { list, reads: () => reads };
}
