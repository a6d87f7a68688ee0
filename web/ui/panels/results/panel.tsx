import { RESULTS } from '../../../model/dock.ts';
import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';
import { findingsOf } from '../../findings/findings.ts';

/** The Results panel: every hit of the search, or every finding, one row each. Shown while there is one of them. */
export function createResultsPanel(): Panel {
  return {
    id: RESULTS,
    title: 'Results',
    unscoped: true,
    offered: (open) => open.find.asked.value !== '' || (findingsOf(open)?.state.value.at ?? 'idle') !== 'idle',
    create: (open) =>
      lazily(
        () => import('./choice.tsx'),
        ({ ResultsChoice }) => ({ component: () => <ResultsChoice open={open} /> }),
      ),
  };
}
