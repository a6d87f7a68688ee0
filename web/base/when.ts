import { effect, type ReadonlySignal, untracked } from '@preact/signals';
import type { Dispose } from './scope.ts';

/** Calls `then` once, with the first value of a signal that `holds`, which may be the present one; never once disposed. */
export function whenHolds<T, Held extends T>(
  value: ReadonlySignal<T>,
  holds: (value: T) => value is Held,
  then: (value: Held) => void,
): Dispose {
  let isOver = false;
  let stop: Dispose = () => undefined;
  const end = () => {
    isOver = true;
    stop();
  };
  stop = effect(() => {
    const now = value.value;
    if (isOver || !holds(now)) return;
    isOver = true;
    untracked(() => then(now));
    // The effect cannot end within its first run.
    queueMicrotask(end);
  });
  return end;
}
