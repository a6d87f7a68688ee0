/**
 * A question of which only the newest matters. A new one aborts the signal of the one before, which resolves with null at
 * once.
 */
export function latest<A extends readonly unknown[], T>(
  ask: (stop: AbortSignal, ...args: A) => Promise<T>,
): (...args: A) => Promise<T | null> {
  let newest = new AbortController();
  return (...args) => {
    newest.abort();
    newest = new AbortController();
    const { signal } = newest;
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(null));
      ask(signal, ...args).then(resolve, reject);
    });
  };
}
