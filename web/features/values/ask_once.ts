import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Dispose } from '../../base/scope.ts';
import type { Trace } from '../../trace/trace.ts';

/** What is asked about a trace. */
export interface AskedOnce<Answer> {
  /** null until it is there. An answer stays until a newer one arrives. */
  readonly answer: ReadonlySignal<Answer | null>;
  readonly failed: ReadonlySignal<boolean>;
  /** Asks again after a failure. */
  readonly retry: () => void;
  readonly dispose: Dispose;
}

/** Asks once the trace has been read, and again when a signal changes that `ask` reads at once. It resolves with null if there is no answer. */
export function askOnce<Answer>(trace: Pick<Trace, 'status'>, ask: () => Promise<Answer | null>): AskedOnce<Answer> {
  const answer = signal<Answer | null>(null);
  const failed = signal(false);
  const retries = signal(0);
  const dispose = effect(() => {
    void retries.value;
    if (trace.status.value.at === 'loading') return undefined;
    let isNewest = true;
    failed.value = false;
    void ask().then((found) => {
      if (!isNewest) return;
      answer.value = found;
      failed.value = found === null;
    });
    return () => {
      isNewest = false;
    };
  });
  return {
    answer,
    failed,
    retry: () => {
      retries.value += 1;
    },
    dispose,
  };
}
