import { RESULTS } from '../../page/dock.ts';
import type { Feature } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
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
      ofAllThreads: true,
      unscoped: showsFindings,
      offered: (open) => open.find.asked.value !== '' || hasFindings(open),
      load: async () => (await import('./choice.tsx')).resultsView,
    },
  ],
  button: FindingsButton,
  commands: FIND_COMMANDS,
  sheet: [{ title: 'Find', place: 5 }],
};

function hasFindings(open: OpenTrace): boolean {
  return (findingsOf(open)?.state.value.at ?? 'idle') !== 'idle';
}

/** Whether findings, which are those of the whole trace, are in front of the hits. */
function showsFindings(open: OpenTrace): boolean {
  return hasFindings(open) && (open.find.asked.value === '' || (findingsOf(open)?.isShown.value ?? false));
}
