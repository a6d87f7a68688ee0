import { atPoint, isBrowsers, isByKey, type RowTarget, useMenu } from './request.ts';

/** What a table says of a row. */
export type RowSubject = Omit<RowTarget, 'cells' | 'term' | 'narrow'> & Partial<Pick<RowTarget, 'term' | 'narrow'>>;

/**
 * A listener that shows the menu of a row of a table: of the row that was clicked, or by key of the current one. `subject` is called
 * with the number of the row, its `data-row`, and with the number of the clicked cell, which is -1 by key; null for no menu.
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
    const cells = [...row.querySelectorAll(':scope > :not(.rest)')].map((cell) => cell.textContent?.trim() ?? '');
    const shown = show({
      label: known.named?.text || cells[0] || 'Row',
      menu: 'row',
      at: byKey ? atPoint(left + 24, bottom) : atPoint(event.clientX, event.clientY),
      byKey,
      row: { term: null, narrow: null, ...known, cells },
      marked: row,
    });
    if (shown) event.preventDefault();
  };
}

function rowAround(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest('[data-row]') : null;
}

/** The current row of the table that has the focus. */
function currentRow(target: EventTarget | null): Element | null {
  const id = target instanceof Element ? target.getAttribute('aria-activedescendant') : null;
  return id === null ? rowAround(target) : document.getElementById(id);
}
