import { capitalised, plural } from '../../base/format.ts';
import type { Feature } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { CALL_COMMANDS } from './commands.ts';
import { VIEWS } from './views.ts';

/** The Calls panel, with functions, call tree, flame graph and stacks of the range, and the call graph. */
export const CALLS: Feature = {
  panels: [
    {
      id: 'calls',
      title: 'Calls',
      place: 6,
      // Variables lists the buffers of a trace of values themselves.
      titleFor: ({ trace }) =>
        hasValues(trace) ? 'Lifetimes' : capitalised(plural(2, trace.info.value?.sliceNoun ?? 'call')),
      // Points of values have no calls worth a tab.
      isMore: ({ trace }) => hasValues(trace),
      views: VIEWS,
      load: async () => (await import('./calls.tsx')).callsView,
    },
    {
      // Which function calls which, as boxes and arrows. Traces of instructions have it in the menu.
      id: 'graph',
      title: 'Call graph',
      place: 7,
      offered: ({ trace }) => trace.info.value?.offers.includes('callStacks') ?? false,
      isMore: ({ trace }) => trace.info.value?.clock.kind === 'ordinal',
      load: async () => (await import('./graph/graph.tsx')).graphView,
    },
  ],
  commands: CALL_COMMANDS,
  starts: async () => (await import('./starts.ts')).STARTS,
  sheet: [
    {
      title: 'Functions and Tree',
      place: 8,
      first: [
        ['↑ ↓', 'Go from row to row'],
        ['← →', 'Collapse, expand a row of the tree'],
        ['*', 'Expand all rows of its level, then all below it'],
        ['A … Z', 'In the tree: go to a function by its first letters'],
        ['Enter', 'List the calls of the function'],
        ['Escape', 'Leave that list'],
      ],
    },
    {
      title: 'Flame graph',
      place: 9,
      first: [
        ['Click', 'Zoom to a function'],
        ['↑ ↓ ← →', 'Go to caller, callee, neighbours'],
        ['Enter', 'Zoom in; in time order: select the call'],
        ['Z', 'In time order: set range to the call'],
        ['Escape', 'Zoom out'],
      ],
    },
  ],
};

function hasValues({ info }: OpenTrace['trace']): boolean {
  return info.value?.offers.includes('values') ?? false;
}
