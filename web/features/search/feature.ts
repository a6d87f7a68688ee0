import { FINDINGS, HITS } from '../../page/dock.ts';
import type { Feature } from '../../page/page.ts';
import { findingsOf } from '../../trace/findings.ts';
import { FIND_COMMANDS } from './commands.ts';
import { FindingsButton } from './findings_button.tsx';

/** Hits: every hit of the search, one row each, while there is a search. Findings: every finding, once they are looked for. */
export const SEARCH: Feature = {
  panels: [
    {
      id: HITS,
      title: 'Hits',
      place: 10,
      ofAllThreads: true,
      offered: ({ find }) => find.asked.value !== '',
      load: async () => (await import('./hits.tsx')).hitsView,
    },
    {
      id: FINDINGS,
      title: 'Findings',
      place: 11,
      ofAllThreads: true,
      offered: (open) => (findingsOf(open)?.state.value.at ?? 'idle') !== 'idle',
      load: async () => (await import('./findings.tsx')).findingsView,
    },
  ],
  button: FindingsButton,
  commands: FIND_COMMANDS,
  sheet: [{ title: 'Find', place: 5 }],
};
