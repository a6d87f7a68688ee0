import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/** The Statements panel: how often execution reached each statement, and the values that it saw there each time. */
export function createStatementsPanel(): Panel {
  return {
    id: 'statements',
    title: 'Statements',
    unscoped: true,
    offered: ({ trace }) => trace.info.value?.offers.includes('values') ?? false,
    create: (open) =>
      lazily(
        () => import('./statements.tsx'),
        ({ statementsView }) => statementsView(open),
      ),
  };
}
