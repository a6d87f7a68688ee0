import { FUNCTIONS } from '../../page/dock.ts';
import type { Feature } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { CALL_COMMANDS } from './commands.ts';
import { VIEWS } from './views.ts';

/** The Functions panel: functions, call tree, flame graph, stacks and call graph of the range. */
export const CALLS: Feature = {
  panels: [
    {
      id: FUNCTIONS,
      title: 'Functions',
      place: 6,
      // Variables lists the buffers of a trace of values themselves.
      titleFor: ({ trace }) => (hasValues(trace) ? 'Lifetimes' : 'Functions'),
      // Points of values have no calls worth a tab.
      isMore: ({ trace }) => hasValues(trace),
      views: VIEWS,
      load: async () => (await import('./calls.tsx')).callsView,
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
