import type { Dispose } from '../../base/scope.ts';
import { watch } from '../../base/watch.ts';
import type { Trace } from '../../trace/trace.ts';

/** Calls `read` when what was asked of a growing trace should be asked again. */
export function whenGrown({ status }: Pick<Trace, 'status'>, read: () => void): Dispose {
  let wasGrowing = false;
  return watch([status], () => {
    const state = status.peek();
    if (state.at !== 'ready') return;
    if (wasGrowing && state.how !== 'broken') read();
    wasGrowing = state.how === 'growing';
  });
}
