/* Locks on files in the private files of the origin. The browser frees them when the tab or the worker ends, whatever ends it. */

/** The part of `LockManager` that is used. */
export interface Locks {
  request(name: string, options: LockOptions, act: (lock: Lock | null) => Promise<void>): Promise<unknown>;
}

/** Holds a lock until this tab or worker ends. Resolves once it is held. */
export function holdForLife(name: string, locks: Locks = navigator.locks): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    locks
      .request(name, {}, () => {
        resolve();
        return new Promise(() => undefined);
      })
      .catch(reject);
  });
}

/** The part of `navigator` that is used. Insecure contexts have no locks. */
const MANAGER: Locks | undefined = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;

/** Does something while no other tab does anything under this lock. Where there are no locks, it is done at once. */
export async function oneByOne(
  name: string,
  act: () => Promise<void>,
  locks: Locks | undefined = MANAGER,
): Promise<void> {
  if (!locks) return act();
  await locks.request(name, {}, act);
}

/** Does something if no tab and no worker holds a lock. Returns whether it was done. */
export async function whereFree(
  name: string,
  act: () => Promise<void>,
  locks: Locks = navigator.locks,
): Promise<boolean> {
  let isFree = false;
  await locks.request(name, { ifAvailable: true }, async (lock) => {
    isFree = lock !== null;
    if (lock) await act();
  });
  return isFree;
}
