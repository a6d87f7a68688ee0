import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/** The Resources panel: what textures, buffers and shaders hold, and when they are used. */
export function createResourcesPanel(): Panel {
  return {
    id: 'resources',
    title: 'Resources',
    unscoped: true,
    offered: ({ trace }) => trace.info.value?.offers.includes('graphics') ?? false,
    create: (open) =>
      lazily(
        () => import('./resources.tsx'),
        ({ resourcesView }) => resourcesView(open),
      ),
  };
}
