import type { Locks } from './held.ts';

/** Locks of which each is held by one at a time. */
export function queuedLocks(): Locks {
  const last = new Map<string, Promise<unknown>>();
  return {
    request: (name, { mode = 'exclusive' }, act) => {
      const done = (last.get(name) ?? Promise.resolve()).then(() => act({ name, mode }));
      last.set(name, done);
      return done;
    },
  };
}

/** Locks of one browser; those in `held` are held by other tabs. */
export function locksOf(held: ReadonlySet<string>): Locks {
  return {
    request: (name, { mode = 'exclusive', ifAvailable = false }, act) => {
      if (held.has(name) && !ifAvailable) throw new Error(`${name} is waited for`);
      return act(held.has(name) ? null : { name, mode });
    },
  };
}
