import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { inTurns, type Portions } from './portions.ts';
import type { Dispose } from './scope.ts';

/** The last result of work that is done again when what it depends on changes. */
export interface Computed<T> {
  readonly result: ReadonlySignal<T>;
  /** Whether the result is that of before, and another one is being made. */
  readonly isWorking: ReadonlySignal<boolean>;
  readonly dispose: Dispose;
}

/**
 * Work in portions, whose result is `initial` until it is done. It depends on the signals that `begin` reads before it returns. What is being
 * done when they change is finished first: otherwise changes that come faster would leave no result. Little work is done at once.
 */
export function computedInPortions<T>(begin: () => Portions<T>, initial: T): Computed<T> {
  const result = signal(initial);
  const isWorking = signal(false);
  let next: Portions<T> | null = null;
  let stop: Dispose | null = null;
  const start = (work: Portions<T>) => {
    let isDone = false;
    const end = inTurns(work, (value) => {
      isDone = true;
      stop = null;
      result.value = value;
      isWorking.value = next !== null;
      if (!next) return;
      const following = next;
      next = null;
      start(following);
    });
    if (isDone) return;
    stop = end;
    isWorking.value = true;
  };
  const forget = effect(() => {
    const work = begin();
    if (stop) next = work;
    else start(work);
  });
  return {
    result,
    isWorking,
    dispose: () => {
      forget();
      stop?.();
      next = null;
    },
  };
}
