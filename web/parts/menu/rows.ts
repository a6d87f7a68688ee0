import { trueText } from '../true_text.ts';

/** The row of a table or a list that an element is in; null for none. Rows have their number in `data-row`. */
export function rowAround(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest('[data-row]') : null;
}

/** The current row of the table or list that has the focus. */
export function currentRow(target: EventTarget | null): Element | null {
  const id = target instanceof Element ? target.getAttribute('aria-activedescendant') : null;
  return id === null ? rowAround(target) : document.getElementById(id);
}

/** The texts of the cells of a row: of its children, or of what is marked with `data-cell` in it. */
export function cellsOf(row: Element): readonly string[] {
  const marked = [...row.querySelectorAll('[data-cell]')];
  return (marked.length > 0 ? marked : [...row.querySelectorAll(':scope > :not(.rest)')]).map((cell) =>
    textIn(cell).trim(),
  );
}

/** The text in an element, without escapes for what has no shape. */
function textIn(element: Element): string {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = '';
  while (texts.nextNode()) text += trueText(texts.currentNode as Text);
  return text;
}

/** A row as a text for other programs, with tabs between its cells. */
export function rowText(cells: readonly string[]): string {
  return plain(cells.join('\t'));
}

/** A text of the page with spaces that other programs understand. */
export function plain(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}
