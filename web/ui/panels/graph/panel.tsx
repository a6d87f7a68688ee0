import type { Dock } from '../../../model/dock.ts';
import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/**
 * The Call graph panel: which function calls which, as boxes and arrows. Traces whose axis counts calls, such as those of a
 * graphics API, have hardly any call within another one.
 */
export function createGraphPanel(dock: Dock): Panel {
  return {
    id: 'graph',
    title: 'Call graph',
    offered: ({ trace }) => {
      const info = trace.info.value;
      if (!info?.offers.includes('callStacks')) return false;
      return info.clock.kind !== 'ordinal' || info.clock.unit !== 'call';
    },
    create: (open) =>
      lazily(
        () => import('./graph.tsx'),
        ({ graphView }) => graphView(open, dock),
      ),
  };
}
