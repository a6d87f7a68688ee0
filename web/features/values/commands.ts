import type { Command, Surface } from '../../page/page.ts';
import { isStatement, wantedStatement } from '../../trace/wanted_statement.ts';

/** What can be done with the selected point. */
export const POINT_COMMANDS: readonly Command[] = [
  {
    id: 'list-occurrences',
    title: 'List all points of the statement',
    keys: [],
    part: 'statement',
    enabled: ({ surface, row }) => row === null && selectedStatement(surface) !== null,
    run: ({ surface }) => {
      const own = selectedStatement(surface);
      if (surface && own !== null) wantedStatement(surface.open).value = own;
    },
  },
];

/** The name in the file of the selected point's statement; null for anything else. */
function selectedStatement(surface: Surface | null): string | null {
  if (!surface?.open.trace.info.peek()?.offers.includes('values')) return null;
  const { trace, selection } = surface.open;
  const name = selection.selected.peek()?.name ?? -1;
  const own = name < 0 ? (selection.record.peek()?.name ?? '') : trace.names.keyOf(name) || trace.names.of(name);
  return isStatement(own) ? own : null;
}
