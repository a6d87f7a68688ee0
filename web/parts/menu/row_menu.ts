import { atPoint, isBrowsers, isByKey, type RowTarget, type ShowMenu, useMenu } from './request.ts';
import { cellsOf, currentRow, rowAround } from './rows.ts';

/** What a table says of a row. */
export type RowSubject = Omit<RowTarget, 'cells' | 'term' | 'narrow'> & Partial<Pick<RowTarget, 'term' | 'narrow'>>;

/**
 * A listener that shows the menu of a row of a table or a list: of the row that was clicked, or by key of the current one. `subject` is
 * called with the number of the row, its `data-row`, and with the number of the clicked cell, which is -1 by key; null for no menu.
 */
export function useRowMenu(subject: (row: number, cell: number) => RowSubject | null): (event: MouseEvent) => void {
  const show = useMenu();
  return (event) => {
    if (isBrowsers(event)) return;
    const byKey = isByKey(event);
    const row = byKey ? currentRow(event.target) : rowAround(event.target);
    const cell = byKey || !row ? -1 : [...row.children].findIndex((it) => it.contains(event.target as Node));
    const known = row && subject(Number(row.getAttribute('data-row')), cell);
    if (!row || !known) return;
    const { left, bottom } = row.getBoundingClientRect();
    const cells = cellsOf(row);
    showMenuOf(show, event, { term: null, narrow: null, ...known, cells }, { left: left + 24, bottom }, row);
  };
}

/**
 * A listener that shows the menu of an element of a drawing. `subject` says what it is about, by key of the current element; null for no
 * menu.
 */
export function useDrawingMenu(
  subject: (event: MouseEvent, byKey: boolean) => RowSubject | null,
): (event: MouseEvent) => void {
  const show = useMenu();
  return (event) => {
    const byKey = isByKey(event);
    const known = subject(event, byKey);
    if (!known) return;
    const { left, top } = (event.target as Element).getBoundingClientRect();
    const place = { left: left + 24, bottom: Math.max(0, top) + 24 };
    showMenuOf(show, event, { term: null, narrow: null, ...known, cells: [] }, place, null);
  };
}

/** Shows the menu of a row in place of the browser's: at the pointer, or by key at a place. */
function showMenuOf(
  show: ShowMenu,
  event: MouseEvent,
  row: RowTarget,
  place: { readonly left: number; readonly bottom: number },
  marked: Element | null,
): void {
  const byKey = isByKey(event);
  const shown = show({
    label: row.named?.text || row.cells[0] || 'Row',
    menu: 'row',
    at: byKey ? atPoint(place.left, place.bottom) : atPoint(event.clientX, event.clientY),
    byKey,
    row,
    marked,
  });
  if (!shown) return;
  event.preventDefault();
  // What contains it may have a menu of its own.
  event.stopPropagation();
}
