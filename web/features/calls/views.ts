import { computed, type ReadonlySignal } from '@preact/signals';
import type { TraceInfo } from '../../base/protocol.ts';
import type { Dock } from '../../page/dock.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** The views of the Calls panel. The first one may be that of `TraceInfo.firstTab`. */
export const VIEWS = ['functions', 'tree', 'flame', 'stacks'] as const;

/** The view of a trace that is in front. The choice is remembered for each format. */
export function viewOf({ trace }: OpenTrace, dock: Dock): ReadonlySignal<(typeof VIEWS)[number]> {
  return computed(() => {
    const info = trace.info.value;
    const chosen = info ? dock.calls.value[info.format] : undefined;
    return VIEWS.find((id) => id === chosen) ?? (info ? firstView(info) : 'functions');
  });
}

/** Brings a view to the front. */
export function chooseView({ trace }: OpenTrace, dock: Dock, id: (typeof VIEWS)[number]): void {
  const info = trace.info.peek();
  if (info) dock.calls.value = { ...dock.calls.peek(), [info.format]: id };
}

/** Of calls that were rebuilt from instructions, the flame graph says more than a table of addresses. */
function firstView({ firstTab, offers, clock }: TraceInfo): (typeof VIEWS)[number] {
  const first = VIEWS.find((id) => id === firstTab);
  const isRebuilt = offers.includes('callStacks') && clock.kind === 'ordinal' && !offers.includes('graphics');
  return first ?? (isRebuilt ? 'flame' : 'functions');
}
