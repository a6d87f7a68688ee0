import { capitalised, plural } from '../../base/format.ts';
import type { Feature } from '../../page/page.ts';
import { canWalk } from '../../trace/stepping.ts';
import { WALK_COMMANDS, WALK_SHEET } from './commands.ts';

/** The panel of every record of the range, one row each. Its title is what the rows are: Calls, Steps, Points, Records. */
export const EVENTS: Feature = {
  panels: [
    {
      id: 'events',
      title: 'Records',
      place: 4,
      titleFor: ({ trace }) => {
        const info = trace.info.value;
        return canWalk(info) ? 'Steps' : capitalised(plural(2, info?.recordNoun ?? 'record'));
      },
      load: async () => (await import('./events.tsx')).eventsView,
    },
  ],
  commands: WALK_COMMANDS,
  sheet: [WALK_SHEET],
  starts: async () => (await import('./starts.ts')).STARTS,
};
