import type { Locks } from './held.ts';

/** Locks of one browser; those in `held` are held by other tabs. */
export function locksOf(held: ReadonlySet<string>): Locks {
  return {
    request: (name, { mode = 'exclusive', ifAvailable = false }, act) => {
      if (held.has(name) && !ifAvailable) throw new Error(`${name} is waited for`);
      return act(held.has(name) ? null : { name, mode });
    },
  };
}
