import type { RemoteWorker } from '../../../base/remote.ts';
import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/** The SQL panel: queries over the tables that every trace has, and over those of a database. `spawn` starts its worker at the first one. */
export function createQueryPanel(spawn: () => RemoteWorker): Panel {
  return {
    id: 'query',
    title: 'SQL',
    isMore: () => true,
    ofAllThreads: true,
    create: (open) =>
      lazily(
        () => import('./view.tsx'),
        ({ queryView }) => queryView(open, spawn),
      ),
  };
}
