import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/** The Variables panel: which values each variable has had, and where the buffers are that pointers point into. */
export function createVariablesPanel(): Panel {
  return {
    id: 'variables',
    title: 'Variables',
    unscoped: true,
    offered: ({ trace }) => trace.info.value?.offers.includes('values') ?? false,
    create: (open) =>
      lazily(
        () => import('./variables.tsx'),
        ({ variablesView }) => variablesView(open),
      ),
  };
}
