import { formatLength, formatPosition, shortened } from '../../base/format.ts';
import { hasSelection, onNamed } from '../../page/commands.ts';
import { copyText } from '../../page/copy.ts';
import type { Command, Surface } from '../../page/page.ts';
import { cellsOf, currentRow, plain, rowText } from '../../parts/menu/rows.ts';
import { termOfName } from '../../trace/terms.ts';

/** What can be done with the selection, or with the row of a table that a menu was opened on. */
export const ITEM_COMMANDS: readonly Command[] = [
  {
    id: 'show-row',
    title: 'Show in the timeline',
    keys: [],
    part: 'show row',
    enabled: ({ row }) => row?.show != null,
    run: ({ row }) => row?.show?.(),
  },
  onNamed('find-same-name', 'Find all with this name', 'name', ({ text }, open) => open.find.ask(termOfName(text))),
  {
    id: 'find-same-value',
    title: 'Find all with this value',
    keys: [],
    part: 'value',
    // That of the name is offered already.
    enabled: ({ surface, row }) =>
      surface !== null && row?.term != null && row.term !== termOfName(row.named?.text ?? ''),
    about: ({ row }) => shortened(row?.term ?? ''),
    run: ({ surface, row }) => {
      if (surface && row?.term != null) surface.open.find.ask(row.term);
    },
  },
  {
    id: 'narrow-to-value',
    title: 'Only rows with this value',
    keys: [],
    part: 'value',
    enabled: ({ row }) => row?.term != null && row.narrow !== null,
    about: ({ row }) => shortened(row?.term ?? ''),
    run: ({ row }) => row?.term != null && row.narrow?.(row.term),
  },
  {
    id: 'copy-row',
    title: 'Copy the row',
    keys: [],
    part: 'copy row',
    enabled: ({ row }) => row !== null && row.cells.length > 0,
    run: ({ row, page }) => copyText(page, rowText(row?.cells ?? [])),
  },
  {
    id: 'copy',
    title: 'Copy the row, or what is selected',
    keys: ['ctrl c'],
    sheet: { group: 'Select' },
    overDialogs: true,
    enabled: ({ surface }) => copiedText(surface) !== '',
    run: ({ surface, page }) => copyText(page, copiedText(surface)),
  },
  {
    id: 'copy-table',
    title: 'Copy',
    keys: [],
    part: 'table',
    enabled: ({ table }) => table !== null,
    run: ({ table }) => table?.copy(),
  },
  {
    id: 'save-table',
    title: 'Save as CSV',
    keys: [],
    part: 'table',
    enabled: ({ table }) => table !== null,
    run: ({ table }) => table?.save(),
  },
  onNamed('copy-name', 'Copy the name', 'copy', ({ text }, _, page) => copyText(page, text)),
  {
    id: 'copy-position',
    title: 'Copy the position',
    keys: [],
    part: 'copy',
    enabled: ({ surface, row }) => row === null && surface !== null && hasSelection(surface),
    run: ({ surface, page }) => {
      if (surface) copyText(page, plain(positionText(surface)));
    },
  },
];

/** The position of the selection as a text that can be gone to, or ''. */
function positionText({ open: { trace, selection } }: Surface): string {
  const x = selection.selected.peek()?.start ?? selection.record.peek()?.x;
  const info = trace.info.peek();
  const extent = trace.progress.peek().extent;
  return x === undefined || !info || !extent ? '' : formatPosition(x, extent.from, info.clock);
}

/** What Ctrl and C copy: the current row of what has the focus, or on the timeline the selection. '' leaves it to the browser. */
function copiedText(surface: Surface | null): string {
  // Text that the user has selected is what is meant.
  if (getSelection()?.toString()) return '';
  const { activeElement } = document;
  const row = currentRow(activeElement);
  if (row) return rowText(cellsOf(row));
  const isOnTimeline = activeElement === document.body || activeElement === surface?.area;
  return surface && isOnTimeline ? selectionText(surface) : '';
}

/** The selection as a row: its name, position, length and track. '' without one. */
function selectionText(surface: Surface): string {
  const { trace, selection } = surface.open;
  const selected = selection.selected.peek();
  const record = selection.record.peek();
  const info = trace.info.peek();
  if (!info || !(selected ?? record)) return '';
  const name = selected ? trace.names.of(selected.name) : trace.names.inPlaceOf(record?.name ?? '');
  const end = selected?.end ?? null;
  const length = selected && end !== null ? [formatLength(end - selected.start, info.clock)] : [];
  const track = trace.tracks.peek().get(selected?.track ?? record?.track ?? -1)?.name ?? '';
  return rowText([name, positionText(surface), ...length, track]);
}
