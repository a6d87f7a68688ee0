import type { Command, CommandContext } from '../../page/page.ts';
import type { MenuName } from '../../parts/menu/request.ts';

const LANES = ['lanes'];
const RANGE = ['range', 'keep range', 'clear range'];
const SHOWS = ['tail calls', 'short names'];
const COMPARE = ['compare'];

/** The groups of each menu, by the parts that commands say. A command without an effect now is left out. */
const MENUS: Readonly<Record<MenuName, readonly (readonly string[])[]>> = {
  item: [['selection'], ['name', 'calls', 'statement', 'event'], ['step', 'measure', 'note'], ['frame'], ['copy']],
  track: [
    ['show track'],
    ['values'],
    ['fold track', 'move track'],
    ['all tracks'],
    ['lanes of track', ...LANES],
    SHOWS,
    ['copy track'],
    ['take back'],
  ],
  area: [
    RANGE,
    ['values'],
    ['show track'],
    ['fold track'],
    ['lanes of track', ...LANES],
    SHOWS,
    COMPARE,
    ['take back'],
  ],
  whole: [RANGE, LANES, SHOWS, COMPARE],
  row: [['show row'], ['name', 'value'], ['calls', 'event'], ['short names'], ['copy row', 'copy']],
  table: [['table']],
};

/** The commands of a menu that have an effect, in groups. */
export function groupsOf(menu: MenuName, context: CommandContext): readonly (readonly Command[])[] {
  const ofPart = (part: string) =>
    context.page.commands.filter((command) => command.part === part && command.enabled(context));
  return MENUS[menu].map((parts) => parts.flatMap(ofPart)).filter((group) => group.length > 0);
}
