import { RESULTS } from '../../model/dock.ts';
import { findingsOf } from '../../model/findings.ts';
import { FindingsButton } from '../header/findings_button.tsx';
import type { Feature } from '../page.ts';
import { FIND_COMMANDS } from './commands.ts';

/** Results: every hit of the search, or every finding, one row each. Shown while there is one of them. */
export const SEARCH: Feature = {
  panels: [
    {
      id: RESULTS,
      title: 'Results',
      place: 10,
      unscoped: true,
      offered: (open) => open.find.asked.value !== '' || (findingsOf(open)?.state.value.at ?? 'idle') !== 'idle',
      load: async () => (await import('../panels/results/choice.tsx')).resultsView,
    },
  ],
  button: FindingsButton,
  commands: FIND_COMMANDS,
  sheet: [{ title: 'Find', place: 5 }],
};
