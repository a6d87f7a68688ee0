/** Milliseconds after which a browser without idle callbacks, which Safari is, is taken to be idle. */
const WITHOUT = 50;

/**
 * Calls `then` once the page has nothing else to do, but after `most` milliseconds in any case. Returns what takes that back.
 */
export function whenIdle(then: () => void, most?: number): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(then, most === undefined ? WITHOUT * 10 : Math.min(WITHOUT, most));
    return () => clearTimeout(timer);
  }
  const timer = requestIdleCallback(then, most === undefined ? {} : { timeout: most });
  return () => cancelIdleCallback(timer);
}
