import { computed, signal } from '@preact/signals';
import { capitalised, plural } from '../../../base/format.ts';
import type { TraceInfo } from '../../../base/protocol.ts';
import type { Dock } from '../../../model/dock.ts';
import type { Sort } from '../../../model/functions.ts';
import type { OpenTrace } from '../../../model/open_trace.ts';
import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/** The views. The first one may be that of `TraceInfo.firstTab`. */
const VIEWS = ['functions', 'tree', 'flame', 'stacks'] as const;

/**
 * The Calls panel: functions, call tree, flame graph and stacks of the range. Its view is remembered for each format. The sort order
 * of functions outlives a trace, the filter does not.
 */
export function createCallsPanel(dock: Dock): Panel {
  const sort = signal<Sort>({ by: 'total', descending: true });
  return {
    id: 'calls',
    title: 'Calls',
    // Variables lists the buffers of a trace of values themselves.
    titleFor: ({ trace }) => (hasValues(trace) ? 'Lifetimes' : titleOf(trace.info.value?.sliceNoun ?? 'call')),
    // Points of values have no calls worth a tab.
    isMore: ({ trace }) => hasValues(trace),
    views: VIEWS,
    create: (open) => {
      const view = computed(() => {
        const info = open.trace.info.value;
        const chosen = info ? dock.calls.value[info.format] : undefined;
        return VIEWS.find((id) => id === chosen) ?? (info ? firstView(info) : 'functions');
      });
      const choose = (id: (typeof VIEWS)[number]) => {
        const info = open.trace.info.peek();
        if (info) dock.calls.value = { ...dock.calls.peek(), [info.format]: id };
      };
      return lazily(
        () => import('./calls.tsx'),
        ({ callsView }) => callsView(open, { view, choose, sort }),
      );
    },
  };
}

function hasValues({ info }: OpenTrace['trace']): boolean {
  return info.value?.offers.includes('values') ?? false;
}

/** Of calls that were rebuilt from instructions, the flame graph says more than a table of addresses. */
function firstView({ firstTab, offers, clock }: TraceInfo): (typeof VIEWS)[number] {
  const first = VIEWS.find((id) => id === firstTab);
  const isRebuilt = offers.includes('callStacks') && clock.kind === 'ordinal' && !offers.includes('graphics');
  return first ?? (isRebuilt ? 'flame' : 'functions');
}

/** The plural of a noun as a title. */
function titleOf(noun: string): string {
  return capitalised(plural(2, noun));
}
