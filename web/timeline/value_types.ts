import { effect, type ReadonlySignal } from '@preact/signals';
import type { Track, ValueType } from '../base/protocol.ts';
import type { Dispose } from '../base/scope.ts';
import type { Trace } from '../trace/trace.ts';

/**
 * Has the values of counters shown as numbers of the types that the user wants, once the trace has been read. `ordered` has the tracks with
 * what the user wants of them.
 */
export function applyValueTypes(
  trace: Pick<Trace, 'status' | 'showValues'>,
  ordered: ReadonlySignal<readonly Track[]>,
): Dispose {
  /** The types that were asked for by track, and what to ask for when none is wanted any more. */
  const asked = new Map<number, { readonly type: ValueType; readonly usual: ValueType }>();
  return effect(() => {
    if (trace.status.value.at === 'loading') return;
    for (const { id, look, values, width } of ordered.value) {
      if (values === 'address' || width === undefined) continue;
      const before = asked.get(id);
      const usual = before?.usual ?? values;
      const type = look?.type ?? usual;
      if (type === (before?.type ?? usual)) continue;
      asked.set(id, { type, usual });
      trace.showValues(id, type);
    }
  });
}
