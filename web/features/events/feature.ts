import type { Feature } from '../../page/page.ts';
import { WALK_COMMANDS, WALK_SHEET } from './commands.ts';

/** The Events panel: every record of the range, one row each. For a trace of instructions it is called Listing. */
export const EVENTS: Feature = {
  panels: [
    {
      id: 'events',
      title: 'Events',
      place: 4,
      titleFor: ({ trace }) => (trace.info.value?.offers.includes('disassembly') ? 'Listing' : 'Events'),
      load: async () => (await import('./events.tsx')).eventsView,
    },
  ],
  commands: WALK_COMMANDS,
  sheet: [WALK_SHEET],
  starts: async () => (await import('./starts.ts')).STARTS,
};
