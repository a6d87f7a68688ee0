/*
 * What assistive technology sees of a document: roles, names, what is hidden. Styles are not loaded, so only attributes hide.
 */

import { computeAccessibleName, getRole } from 'dom-accessibility-api';

/** A text or a pattern that a name or content is compared with. */
export type Wanted = string | RegExp;

/** A text with its white space as one space each, as it is read. */
export function normalised(text: string): string {
  return text
    .replace(/[\u200b\u00ad]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether a text is the wanted one: as a part of it in any case, or exactly. */
export function isLike(text: string, wanted: Wanted, exact = false): boolean {
  if (wanted instanceof RegExp) return wanted.test(text);
  if (exact) return normalised(text) === normalised(wanted);
  return normalised(text).toLowerCase().includes(normalised(wanted).toLowerCase());
}

/** No rule of a style sheet changes what is read. */
const noStyle = (() => ({ getPropertyValue: () => '', display: 'inline', content: 'none' })) as never;

/** The name of an element for assistive technology. */
export function nameOf(element: Element): string {
  return computeAccessibleName(element, { getComputedStyle: noStyle });
}

/** The role of an element. In a grid, rows have cells of a grid. */
export function roleOf(element: Element): string | null {
  const role = getRole(element);
  if (role === 'img' || element.localName === 'svg') return element.getAttribute('role') ?? 'img';
  if (element.localName === 'search') return role ?? 'search';
  if (role === 'region' && !element.hasAttribute('aria-label') && !element.hasAttribute('aria-labelledby')) return null;
  if (role === 'cell' && element.closest('[role=grid], [role=treegrid]')) return 'gridcell';
  if (element.localName === 'th' && element.getAttribute('scope') === 'row') return 'rowheader';
  return role;
}

/** The element around the shadow tree whose first element this is; null of another element. */
function hostOf(element: Element): Element | null {
  return (element.parentNode as ShadowRoot | null)?.host ?? null;
}

/** Whether attributes hide an element from everybody. */
export function isHidden(element: Element): boolean {
  for (let at: Element | null = element; at; at = at.parentElement ?? hostOf(at)) {
    if (at.hasAttribute('hidden')) return true;
    const { style } = at as HTMLElement;
    if (style?.display === 'none' || style?.visibility === 'hidden') return true;
    if (at.localName === 'dialog' && !at.hasAttribute('open')) return true;
    const { parentElement: parent } = at;
    if (parent?.localName === 'details' && !parent.hasAttribute('open') && at.localName !== 'summary') return true;
  }
  return !element.isConnected;
}

/** Whether assistive technology passes over an element. */
export function isUnheard(element: Element): boolean {
  return element.closest('[aria-hidden=true], [inert]') !== null || isHidden(element);
}

/** States that {@link hasState} compares. */
export interface States {
  readonly checked?: boolean;
  readonly selected?: boolean;
  readonly expanded?: boolean;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly level?: number;
}

/** Whether an element has the states. */
export function hasState(element: Element, { level, disabled, checked, ...states }: States): boolean {
  if (level !== undefined && levelOf(element) !== level) return false;
  if (disabled !== undefined && isDisabled(element) !== disabled) return false;
  if (checked !== undefined && isChecked(element) !== checked) return false;
  return Object.entries(states).every(([name, value]) => element.getAttribute(`aria-${name}`) === String(value));
}

function levelOf(element: Element): number {
  return Number(element.getAttribute('aria-level') ?? /^h([1-6])$/.exec(element.localName)?.[1]);
}

/** Whether an element is disabled, by itself or with its group. */
export function isDisabled(element: Element): boolean {
  return (
    (element as HTMLButtonElement).disabled === true ||
    element.getAttribute('aria-disabled') === 'true' ||
    element.closest('fieldset:disabled') !== null
  );
}

/** Whether a box or an option of a choice is checked. */
export function isChecked(element: Element): boolean {
  if (element instanceof HTMLInputElement) return element.checked;
  return element.getAttribute('aria-checked') === 'true';
}

/** Elements after each of which a line ends, and cells, after which a tab follows. */
const BLOCKS =
  /^(address|article|aside|blockquote|dd|details|dialog|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|summary|table|tbody|tfoot|thead|tr|ul)$/;

/** The text of an element as it is read: blocks are lines, and cells of a row have tabs between them. */
export function innerTextOf(element: Element): string {
  let text = '';
  const breakLine = () => {
    if (text !== '' && !text.endsWith('\n')) text = `${text.trimEnd()}\n`;
  };
  const visit = (node: Node) => {
    if (node.nodeType === Node.TEXT_NODE) text += (node.textContent ?? '').replace(/[\t\n ]+/g, ' ');
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const it = node as Element;
    if (it !== element && isHiddenItself(it)) return;
    if (it.localName === 'br') text += '\n';
    const isBlock = it !== element && BLOCKS.test(it.localName);
    if (isBlock) breakLine();
    if (/^t[dh]$/.test(it.localName) && it !== element && it.previousElementSibling) text += '\t';
    for (const child of it.childNodes) visit(child);
    if (isBlock) breakLine();
  };
  visit(element);
  return text.trim();
}

function isHiddenItself(element: Element): boolean {
  return element.hasAttribute('hidden') || (element as HTMLElement).style?.display === 'none';
}
