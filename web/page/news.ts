import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import type { Trace } from '../trace/trace.ts';

/** Events of a growing trace that panels do not show. */
export interface News {
  /** Events that have come since panels asked: they are of that state until they ask again. */
  readonly count: ReadonlySignal<number>;
  readonly dispose: Dispose;
}

interface Growing extends Pick<Trace, 'status' | 'askAgain'> {
  readonly progress: ReadonlySignal<{ readonly events: number }>;
}

/** Counts what comes after panels have asked. Those that were empty ask again as soon as there is something. */
export function createNews({ status, progress, askAgain }: Growing): News {
  const scope = createScope();
  const base = signal(0);
  let latest: unknown = null;
  scope.add(
    watch([status, progress], () => {
      const [state, { events }] = [status.peek(), progress.peek()];
      if (state.at === 'loading') return;
      if (state !== latest) base.value = events;
      else if (base.peek() === 0 && events > 0) return askAgain();
      latest = state;
    }),
  );
  const count = computed(() => (status.value.at === 'loading' ? 0 : progress.value.events - base.value));
  return { count, dispose: scope.dispose };
}
