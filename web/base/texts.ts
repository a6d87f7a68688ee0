import type { Texts } from '../worker/wasm/unspool_browser.js';

export type { Texts } from '../worker/wasm/unspool_browser.js';

/** The texts one by one. */
export function textsOf({ all, ends }: Texts): string[] {
  return Array.from(ends, (end, i) => all.slice(ends[i - 1] ?? 0, end));
}
