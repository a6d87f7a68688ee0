import type { Feature } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { canWalk } from '../../trace/stepping.ts';

const hasState = ({ trace }: OpenTrace) => trace.info.value?.offers.includes('state') ?? false;

/** Registers, memory and coverage of traces of instructions. */
export const STEPS: Feature = {
  panels: [
    {
      // What the trace executes.
      id: 'coverage',
      title: 'Coverage',
      place: 8,
      ofAllThreads: true,
      offered: ({ trace }) => canWalk(trace.info.value),
      load: async () => (await import('./coverage/coverage.tsx')).coverageView,
    },
  ],
  panes: [
    {
      id: 'state',
      title: 'State',
      place: 2,
      offered: hasState,
      load: async () => (await import('./state.tsx')).stateOf,
    },
  ],
  sheet: [
    {
      title: 'State',
      place: 3.5,
      ofSteps: true,
      first: [['Wheel', 'Over selected bytes: go to the next, previous access']],
    },
  ],
  fieldLinks: {
    offered: hasState,
    load: async () => (await import('./operand.ts')).operandLink,
  },
  shows: {
    operand: (place, open, { dock }, isReturn) => {
      dock.pane.value = 'state';
      // The step that it was about is selected again, and State shows that.
      if (!isReturn) void import('./operand.ts').then(({ showOperand }) => showOperand(place, open));
    },
  },
  starts: async () => (await import('./starts.ts')).STARTS,
};
