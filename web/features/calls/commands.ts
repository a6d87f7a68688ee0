import { isOfCalls, onNamed } from '../../page/commands.ts';
import { bringToFront, FUNCTIONS } from '../../page/dock.ts';
import type { Command } from '../../page/page.ts';

/** What can be done with the calls of the function that is selected, or that a row is about. */
export const CALL_COMMANDS: readonly Command[] = [
  onNamed(
    'list-calls',
    'List its calls',
    'calls',
    ({ id }, { trace, statistics }, { dock }) => {
      bringToFront(dock, trace.info.peek()?.format, FUNCTIONS);
      statistics.highlighted.value = id;
      statistics.listed.value = id;
    },
    isOfCalls,
  ),
  onNamed(
    'highlight-name',
    'Highlight its calls',
    'calls',
    ({ id }, { statistics }) => {
      statistics.highlighted.value = id;
    },
    isOfCalls,
  ),
  onNamed(
    'keep-calls',
    'Keep its calls as a track',
    'calls',
    ({ id }, { derived }) => derived.keepFunction(id),
    isOfCalls,
  ),
];
