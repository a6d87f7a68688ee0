import type { Dock } from '../../../model/dock.ts';
import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/** The Call graph panel: which function calls which, as boxes and arrows. Traces of instructions have it in the menu. */
export function createGraphPanel(dock: Dock): Panel {
  return {
    id: 'graph',
    title: 'Call graph',
    offered: ({ trace }) => trace.info.value?.offers.includes('callStacks') ?? false,
    isMore: ({ trace }) => trace.info.value?.clock.kind === 'ordinal',
    create: (open) =>
      lazily(
        () => import('./graph.tsx'),
        ({ graphView }) => graphView(open, dock),
      ),
  };
}
