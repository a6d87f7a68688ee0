import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';
import { RESULTS } from '../../find/find_bar.tsx';

/** The Results panel: every hit of the search, one row each. Shown while there is a search. */
export function createResultsPanel(): Panel {
  return {
    id: RESULTS,
    title: 'Results',
    unscoped: true,
    offered: ({ find }) => find.asked.value !== '',
    create: (open) =>
      lazily(
        () => import('./results.tsx'),
        ({ Results }) => ({ component: () => <Results open={open} /> }),
      ),
  };
}
