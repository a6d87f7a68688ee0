import type { Dock } from '../../../model/dock.ts';
import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/** The Events panel: every record of the range, one row each. For a trace of instructions it is called Listing. */
export function createEventsPanel(dock: Dock): Panel {
  return {
    id: 'events',
    title: 'Events',
    titleFor: (open) => (open.trace.info.value?.offers.includes('disassembly') ? 'Listing' : 'Events'),
    create: (open) =>
      lazily(
        () => import('./events.tsx'),
        ({ Events }) => {
          const values = lazily(
            () => import('./values_bar.tsx'),
            (module) => module.createValuesBar(open, dock),
          );
          return {
            component: ({ theme }) => <Events open={open} valuesBar={<values.component theme={theme} />} />,
            dispose: () => values.dispose?.(),
          };
        },
      ),
  };
}
