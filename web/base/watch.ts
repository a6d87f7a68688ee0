import { effect, type ReadonlySignal, untracked } from '@preact/signals';
import type { Dispose } from './scope.ts';

/**
 * Calls `run` now and after each change of one of the signals, until disposed. Signals that `run` itself reads cause no
 * further calls. What `run` returns is called before the next run and on disposal.
 */
export function watch(signals: readonly ReadonlySignal<unknown>[], run: () => unknown): Dispose {
  return effect(() => {
    for (const signal of signals) subscribe(signal);
    const undo = untracked(run);
    return typeof undo === 'function' ? () => undo() : undefined;
  });
}

/** Makes the running effect depend on a signal: reading the value is what subscribes. */
function subscribe(signal: ReadonlySignal<unknown>): unknown {
  return signal.value;
}
