import { PORTION } from './portion.ts';
import type { Dispose } from './scope.ts';

export { PORTION };

/** Work that yields after each portion. */
export type Portions<T> = Generator<void, T>;

/**
 * Does work in portions, then calls `finish` with its result. The first portion is done at once, each other one in a task of its own: the
 * page draws between them. Returns what stops it.
 */
export function inTurns<T>(work: Portions<T>, finish: (result: T) => void): Dispose {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const step = () => {
    const turn = work.next();
    if (turn.done) finish(turn.value);
    else timer = setTimeout(step);
  };
  step();
  return () => clearTimeout(timer);
}

/** Does work in portions, and resolves with its result. */
export function resultOf<T>(work: Portions<T>): Promise<T> {
  return new Promise((resolve) => inTurns(work, resolve));
}

/** Goes through the numbers below `count` in portions, then calls `finish`, as {@link inTurns} does. */
export function inPortions(count: number, work: (start: number, end: number) => void, finish: () => void): Dispose {
  return inTurns(portionsOf(count, work), finish);
}

/** Goes through the numbers below `count` in portions. */
export function* portionsOf(count: number, work: (start: number, end: number) => void): Portions<void> {
  for (let start = 0; ; start += PORTION) {
    work(start, Math.min(count, start + PORTION));
    if (start + PORTION >= count) return;
    yield;
  }
}
