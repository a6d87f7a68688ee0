import { shortened } from '../../base/format.ts';
import { termOfName } from '../../model/find_terms.ts';
import type { CommandContext, Named, TraceActions } from './context.ts';

/** What can be done with the selection, or with the row of a table that a menu was opened on. */
export const ITEM_COMMANDS = [
  {
    id: 'show-row',
    title: 'Show in the timeline',
    keys: [],
    enabled: ({ row }: CommandContext) => row?.show != null,
    run: ({ row }: CommandContext) => row?.show?.(),
  },
  onNamed('find-same-name', 'Find all with this name', (named, trace) => trace.findName(named)),
  {
    id: 'find-same-value',
    title: 'Find all with this value',
    keys: [],
    // That of the name is offered already.
    enabled: ({ trace, row }: CommandContext) =>
      trace !== null && row?.term != null && row.term !== termOfName(row.named?.text ?? ''),
    about: ({ row }: CommandContext) => shortened(row?.term ?? ''),
    run: ({ trace, row }: CommandContext) => row?.term != null && trace?.findTerm(row.term),
  },
  {
    id: 'narrow-to-value',
    title: 'Only rows with this value',
    keys: [],
    enabled: ({ row }: CommandContext) => row?.term != null && row.narrow !== null,
    about: ({ row }: CommandContext) => shortened(row?.term ?? ''),
    run: ({ row }: CommandContext) => row?.term != null && row.narrow?.(row.term),
  },
  onNamed(
    'list-calls',
    'List its calls',
    ({ id }, trace) => trace.listCalls(id),
    ({ id, isCalled }) => id >= 0 && isCalled,
  ),
  {
    id: 'list-occurrences',
    title: 'List all points of the statement',
    keys: [],
    enabled: ({ trace, row }: CommandContext) => row === null && trace?.selectedStatement() != null,
    run: ({ trace }: CommandContext) => trace?.listOccurrences(trace.selectedStatement() ?? ''),
  },
  onNamed(
    'highlight-name',
    'Highlight its calls',
    ({ id }, trace) => trace.highlight(id),
    ({ id, isCalled }) => id >= 0 && isCalled,
  ),
  onNamed(
    'keep-calls',
    'Keep its calls as a track',
    ({ id }, trace) => trace.keepCalls(id),
    ({ id, isCalled }) => id >= 0 && isCalled,
  ),
  {
    id: 'copy-row',
    title: 'Copy the row',
    keys: [],
    enabled: ({ row }: CommandContext) => row !== null && row.cells.length > 0,
    run: ({ row, page }: CommandContext) => page.copy(plain(row?.cells.join('\t') ?? '')),
  },
  {
    id: 'copy-table',
    title: 'Copy',
    keys: [],
    enabled: ({ table }: CommandContext) => table !== null,
    run: ({ table }: CommandContext) => table?.copy(),
  },
  {
    id: 'save-table',
    title: 'Save as CSV',
    keys: [],
    enabled: ({ table }: CommandContext) => table !== null,
    run: ({ table }: CommandContext) => table?.save(),
  },
  onNamed('copy-name', 'Copy the name', ({ text }, _, { page }) => page.copy(text)),
  {
    id: 'copy-position',
    title: 'Copy the position',
    keys: [],
    enabled: ({ trace, row }: CommandContext) => row === null && (trace?.hasSelection.peek() ?? false),
    run: ({ trace, page }: CommandContext) => page.copy(plain(trace?.positionText() ?? '')),
  },
  {
    id: 'range-of-screen',
    title: 'Set range to visible area',
    keys: [],
    enabled: ({ trace }: CommandContext) => trace !== null,
    run: ({ trace }: CommandContext) => trace?.selectScreen(),
  },
  {
    id: 'clear-range',
    title: 'Clear range',
    keys: [],
    enabled: ({ trace }: CommandContext) => trace?.hasRange.peek() ?? false,
    run: ({ trace }: CommandContext) => trace?.clearRange(),
  },
] as const;

/** A text of the page with spaces that other programs understand. */
function plain(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}

/** What a command on a name acts on: the name of the row, or else of the selection. */
function namedIn({ row, trace }: CommandContext): Named | null {
  return row ? row.named : (trace?.selectedName() ?? null);
}

/** A command on the name of the selection or the row. */
function onNamed<const Id extends string>(
  id: Id,
  title: string,
  run: (named: Named, trace: TraceActions, context: CommandContext) => void,
  isEnabled: (named: Named) => boolean = () => true,
) {
  return {
    id,
    title,
    keys: [],
    enabled: (context: CommandContext) => {
      const named = namedIn(context);
      return context.trace !== null && named !== null && named.text !== '' && isEnabled(named);
    },
    about: (context: CommandContext) => shortened(namedIn(context)?.text ?? ''),
    run: (context: CommandContext) => {
      const named = namedIn(context);
      if (context.trace && named) run(named, context.trace, context);
    },
  };
}
