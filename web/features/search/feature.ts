import { RESULTS } from '../../page/dock.ts';
import type { Feature } from '../../page/page.ts';
import { findingsOf } from '../../trace/findings.ts';
import { FIND_COMMANDS } from './commands.ts';
import { FindingsButton } from './findings_button.tsx';

/** Results: every hit of the search, or every finding, one row each. Shown while there is one of them. */
export const SEARCH: Feature = {
  panels: [
    {
      id: RESULTS,
      title: 'Results',
      place: 10,
      unscoped: true,
      offered: (open) => open.find.asked.value !== '' || (findingsOf(open)?.state.value.at ?? 'idle') !== 'idle',
      load: async () => (await import('./choice.tsx')).resultsView,
    },
  ],
  button: FindingsButton,
  commands: FIND_COMMANDS,
  sheet: [{ title: 'Find', place: 5 }],
};
