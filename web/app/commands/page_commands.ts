import { openSearch } from '../../page/commands.ts';
import type { Command } from '../../page/page.ts';

const loadHelp = async () => (await import('../help/help.tsx')).Help;

const onPage = { group: 'Page' };

/** The commands that need no trace. Those on one are loaded with its view (`addTraceCommands`), some about the page when it is idle. */
export const PAGE_COMMANDS: readonly Command[] = [
  {
    id: 'open-file',
    title: 'Open a trace',
    keys: ['ctrl o'],
    sheet: onPage,
    overDialogs: true,
    enabled: () => true,
    run: ({ page }) => page.chooseFile(),
  },
  {
    id: 'compare-with',
    title: 'Compare with…',
    keys: [],
    part: 'compare',
    enabled: ({ surface }) => surface !== null,
    run: ({ page }) => page.chooseOther(),
  },
  {
    id: 'show-palette',
    title: 'Show all commands',
    keys: ['ctrl k', 'ctrl shift p'],
    sheet: onPage,
    enabled: () => true,
    run: ({ page, surface }) => {
      if (page.search.mode.peek() !== 'commands') openSearch(page, 'commands');
      else if (surface) surface.area.focus({ preventScroll: true });
      else page.search.mode.value = 'all';
    },
  },
  {
    id: 'show-help',
    title: 'Show help and keys',
    keys: ['?'],
    sheet: onPage,
    overDialogs: true,
    enabled: () => true,
    run: ({ page: { dialog } }) => {
      dialog.value = dialog.peek() === loadHelp ? null : loadHelp;
    },
  },
];
