import type { Feature } from '../../page/page.ts';
import { canWalk } from '../../trace/stepping.ts';

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
      offered: ({ trace }) => trace.info.value?.offers.includes('state') ?? false,
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
  starts: async () => (await import('./starts.ts')).STARTS,
};
