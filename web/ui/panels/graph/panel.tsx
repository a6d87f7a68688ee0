import type { Dock } from '../../../model/dock.ts';
import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/**
 * The Call graph panel: which function calls which, as boxes and arrows, for traces with a clock. Those of instructions have
 * Coverage or tables of their own in its place: a dock has at most five tabs.
 */
export function createGraphPanel(dock: Dock): Panel {
  return {
    id: 'graph',
    title: 'Call graph',
    offered: ({ trace }) => {
      const info = trace.info.value;
      if (!info?.offers.includes('callStacks')) return false;
      return info.clock.kind !== 'ordinal';
    },
    create: (open) =>
      lazily(
        () => import('./graph.tsx'),
        ({ graphView }) => graphView(open, dock),
      ),
  };
}
