import type { Feature } from '../../page/page.ts';
import { WALK_COMMANDS, WALK_SHEET } from './commands.ts';
import { titleOf } from './title.ts';

/** The panel of every record of the range, one row each. */
export const EVENTS: Feature = {
  panels: [
    {
      id: 'events',
      title: 'Records',
      place: 4,
      titleFor: ({ trace }) => titleOf(trace.info.value),
      load: async () => (await import('./events.tsx')).eventsView,
    },
  ],
  commands: WALK_COMMANDS,
  sheet: [WALK_SHEET],
  starts: async () => (await import('./starts.ts')).STARTS,
};
