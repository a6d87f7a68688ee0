import type { Dispose } from './scope.ts';

/** Names, or what takes as long, that are gone through between two frames: some milliseconds. */
export const PORTION = 10_000;

/**
 * Goes through the numbers below `count` in portions, then calls `finish`. The first portion is gone through at once, each other one in a
 * task of its own: the page draws between them. Returns what stops it.
 */
export function inPortions(count: number, work: (start: number, end: number) => void, finish: () => void): Dispose {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const step = (start: number) => {
    const end = Math.min(count, start + PORTION);
    work(start, end);
    if (end < count) timer = setTimeout(step, 0, end);
    else finish();
  };
  step(0);
  return () => clearTimeout(timer);
}
