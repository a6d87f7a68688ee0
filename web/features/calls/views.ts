import { computed, type ReadonlySignal } from '@preact/signals';
import type { TraceInfo } from '../../base/protocol.ts';
import type { Dock } from '../../page/dock.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** The views of the Functions panel. The first one may be that of `TraceInfo.firstTab`. */
export const VIEWS = ['functions', 'tree', 'flame', 'stacks', 'graph'] as const;
export type CallView = (typeof VIEWS)[number];

/** Whether a trace has a view. Which function calls which is known only of calls. */
export function hasView({ offers }: Pick<TraceInfo, 'offers'>, view: CallView): boolean {
  return view !== 'graph' || offers.includes('callStacks');
}

/** The view of a trace that is in front. The choice is remembered for each format. */
export function viewOf({ trace }: OpenTrace, dock: Dock): ReadonlySignal<CallView> {
  return computed(() => {
    const info = trace.info.value;
    if (!info) return 'functions';
    const chosen = dock.calls.value[info.format];
    return VIEWS.find((id) => id === chosen && hasView(info, id)) ?? firstView(info);
  });
}

/** Brings a view to the front. */
export function chooseView({ trace }: OpenTrace, dock: Dock, id: CallView): void {
  const info = trace.info.peek();
  if (info) dock.calls.value = { ...dock.calls.peek(), [info.format]: id };
}

/** Of calls that were rebuilt from instructions, the flame graph says more than a table of addresses. */
function firstView({ firstTab, offers, clock }: TraceInfo): CallView {
  const first = VIEWS.find((id) => id === firstTab);
  const isRebuilt = offers.includes('callStacks') && clock.kind === 'ordinal' && !offers.includes('graphics');
  return first ?? (isRebuilt ? 'flame' : 'functions');
}
