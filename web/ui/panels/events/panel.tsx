import type { Panel } from '../../dock/panel.ts';
import { Events } from './events.tsx';

/** The Events panel: every record of the range, one row each. For a trace of instructions it is called Listing. */
export function createEventsPanel(): Panel {
  return {
    id: 'events',
    title: 'Events',
    titleFor: (open) => (open.trace.info.value?.offers.includes('disassembly') ? 'Listing' : 'Events'),
    create: (open) => ({
      component: () => <Events open={open} />,
    }),
  };
}
