import { onTrace } from '../../page/commands.ts';
import type { Command, Page } from '../../page/page.ts';
import { chooseShortNames, shortNamesTitle, wantsShortNames } from '../../trace/short_names.ts';
import { openOn, TRACE_COMMANDS } from './commands.ts';
import { LANE_COMMANDS } from './lane_commands.ts';
import { TRACK_COMMANDS } from './track_commands.ts';

/** Commands on an open trace without keys. Menus and the search load them with their own code. */
export const MORE_COMMANDS: readonly Command[] = [
  tailCalls('nest-tail-calls', 'Show tail calls under their callers', true),
  tailCalls('unnest-tail-calls', 'Show tail calls beside their callers', false),
  shortNames('short-names', true),
  shortNames('full-names', false),
  ...TRACK_COMMANDS,
  ...LANE_COMMANDS,
];

/** Adds them to the commands of a page that has shown a trace, once. */
export function addMoreCommands({ commands }: Pick<Page, 'commands'>): void {
  const place = commands.indexOf(TRACE_COMMANDS.at(-1)!);
  if (place >= 0 && !commands.includes(MORE_COMMANDS[0]!)) commands.splice(place + 1, 0, ...MORE_COMMANDS);
}

/** Opens the trace again with the callees of tail calls elsewhere, if it records tail calls and is read. */
function tailCalls(id: string, title: string, isNested: boolean): Command {
  return {
    id,
    title,
    keys: [],
    part: 'tail calls',
    enabled: ({ page }) => {
      const trace = openOn(page)?.trace;
      const isKnown = trace?.status.peek().at === 'ready' && trace.info.peek()?.offers.includes('tailCalls');
      return isKnown === true && trace?.nested !== isNested;
    },
    run: ({ page }) => page.workbench.nestTailCalls(isNested),
  };
}

/** Switches between short and full names, if functions of the trace have both. */
function shortNames(id: string, short: boolean): Command {
  return onTrace(id, shortNamesTitle(short), [], () => chooseShortNames(short), {
    needs: ({ open }) => open.trace.hasShortNames.peek() && wantsShortNames.peek() !== short,
    part: 'short names',
  });
}
