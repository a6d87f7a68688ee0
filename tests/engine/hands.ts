/*
 * Pointer and keyboard: the events that a browser sends, and what it does by itself after those that the page leaves to it.
 */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { BytesFile } from './files.ts';

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]';
const TYPED = /^(text|search|number|url|tel|email|password)$/;

type Field = HTMLInputElement | HTMLTextAreaElement;

/** A file to choose: a path, or a name with content. */
export type Chosen = string | { readonly name: string; readonly buffer: Uint8Array };

function fileFor(chosen: Chosen): File {
  return typeof chosen === 'string'
    ? new BytesFile([readFileSync(chosen)], basename(chosen))
    : new BytesFile([chosen.buffer], chosen.name);
}

/** Puts files into an input, as the user does by its dialog. */
export async function putFiles(input: Element, chosen: Chosen | readonly Chosen[]): Promise<void> {
  const value = ([chosen].flat() as readonly Chosen[]).map(fileFor);
  Object.defineProperty(input, 'files', { configurable: true, value });
  input.dispatchEvent(new Event('change', { bubbles: true }));
  await afterward();
}

/** Lets the page render, and answer what is asked of it at once. */
export async function afterward(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}

/** The element that has the focus, in whatever tree it is. */
export function focused(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/** The part of an editor that is used, which reads what is typed from a layout. */
interface EditorView {
  readonly state: { readonly doc: { readonly length: number }; replaceSelection(text: string): object };
  dispatch(...changes: readonly object[]): void;
}

/** The editor whose text an element is; undefined of another element. */
function editorOf(element: Element | null): EditorView | undefined {
  return (element as { cmTile?: { root?: { view?: EditorView } } } | null)?.cmTile?.root?.view;
}

function typeInto(editor: EditorView, text: string): void {
  editor.dispatch(editor.state.replaceSelection(text), { userEvent: 'input.type' });
}

/** Whether an element takes what is typed. */
function isField(element: Element | null): element is Field {
  if (element instanceof HTMLTextAreaElement) return !element.readOnly;
  return element instanceof HTMLInputElement && TYPED.test(element.type) && !element.readOnly;
}

function canTakeFocus(element: Element): boolean {
  return !(element as HTMLButtonElement).disabled && element.closest('[hidden], [inert], dialog:not([open])') === null;
}

/** The element that the pointer is over; null if it is over the timeline. */
let under: Element | null = null;

/** Takes the pointer to something else. */
function leaveFor(next: Element | null): void {
  const before = under;
  under = next;
  if (!before?.isConnected || before === next) return;
  for (const type of ['pointerout', 'mouseout']) before.dispatchEvent(new PointerEvent(type, { bubbles: true }));
  const other = next ?? document.querySelector('.area');
  for (let at: Element | null = before; at && !at.contains(other); at = at.parentElement)
    for (const type of ['pointerleave', 'mouseleave']) at.dispatchEvent(new PointerEvent(type));
}

/** Options of a click. */
export interface ClickOptions {
  readonly button?: 'left' | 'right' | 'middle';
  readonly modifiers?: readonly string[];
  readonly clickCount?: number;
}

function modifiersOf(modifiers: readonly string[] = []) {
  return {
    ctrlKey: modifiers.some((it) => it === 'Control' || it === 'ControlOrMeta'),
    shiftKey: modifiers.includes('Shift'),
    altKey: modifiers.includes('Alt'),
    metaKey: modifiers.includes('Meta'),
  };
}

/** Presses and releases a button of the pointer over an element. */
export function clickOn(
  element: Element,
  { button = 'left', modifiers, clickCount = 1 }: ClickOptions = {},
  place: object = {},
): void {
  leaveFor(element);
  const number = { left: 0, middle: 1, right: 2 }[button];
  const shared = {
    bubbles: true,
    cancelable: true,
    composed: true,
    button: number,
    ...place,
    ...modifiersOf(modifiers),
  };
  const pointer = { ...shared, pointerId: 1, pointerType: 'mouse', isPrimary: true };
  element.dispatchEvent(new PointerEvent('pointerover', pointer));
  element.dispatchEvent(new PointerEvent('pointermove', pointer));
  for (let detail = 1; detail <= clickCount; detail += 1) {
    element.dispatchEvent(new PointerEvent('pointerdown', { ...pointer, buttons: 1 }));
    const isLeft = element.dispatchEvent(new MouseEvent('mousedown', { ...shared, detail, buttons: 1 }));
    if (isLeft) focusAt(element);
    element.dispatchEvent(new PointerEvent('pointerup', pointer));
    element.dispatchEvent(new MouseEvent('mouseup', { ...shared, detail }));
    if (button === 'right') element.dispatchEvent(new MouseEvent('contextmenu', shared));
    else if (button === 'left') element.dispatchEvent(new MouseEvent('click', { ...shared, detail }));
  }
  if (clickCount === 2) element.dispatchEvent(new MouseEvent('dblclick', { ...shared, detail: 2 }));
}

/** Gives the focus to what a press of the pointer there gives it to. */
function focusAt(element: Element): void {
  const target = element.closest(FOCUSABLE);
  if (target && canTakeFocus(target)) (target as HTMLElement).focus();
  else (document.activeElement as HTMLElement | null)?.blur?.();
}

/** Moves the pointer over an element. */
export function hoverOver(element: Element): void {
  leaveFor(element);
  const shared = { bubbles: true, composed: true, pointerId: 1, pointerType: 'mouse', isPrimary: true };
  for (const type of ['pointerover', 'pointermove']) element.dispatchEvent(new PointerEvent(type, shared));
  element.dispatchEvent(new PointerEvent('pointerenter', { ...shared, bubbles: false }));
  for (const type of ['mouseover', 'mousemove']) element.dispatchEvent(new MouseEvent(type, { bubbles: true }));
  element.dispatchEvent(new MouseEvent('mouseenter'));
}

/** Replaces the text of a field. */
export function fillIn(element: Element, text: string): void {
  (element as HTMLElement).focus();
  const editor = editorOf(element);
  if (editor) {
    editor.dispatch({ selection: { anchor: 0, head: editor.state.doc.length } });
    typeInto(editor, text);
  } else if (element instanceof HTMLInputElement && element.type === 'range') {
    element.value = text;
    for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
  } else setText(element as Field, text, text.length);
}

function setText(field: Field, text: string, caret: number): void {
  field.value = text;
  if (!(field instanceof HTMLInputElement && field.type === 'number')) field.setSelectionRange(caret, caret);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  pending.add(field);
}

/** Fields whose text has changed since they got the focus: `change` follows when they lose it, or with Enter. */
const pending = new Set<Field>();

function commit(field: Field): void {
  if (pending.delete(field)) field.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Chooses an option of a select by its value or its label. Throws if there is no such option. */
export function choose(
  select: HTMLSelectElement,
  wanted: string | { label?: string; value?: string; index?: number },
): void {
  const is = (option: HTMLOptionElement, index: number) =>
    typeof wanted === 'string'
      ? option.value === wanted || (option.textContent ?? '').trim() === wanted
      : (wanted.label !== undefined && (option.textContent ?? '').trim() === wanted.label) ||
        (wanted.value !== undefined && option.value === wanted.value) ||
        wanted.index === index;
  const place = [...select.options].findIndex(is);
  if (place < 0) throw new Error(`no option ${JSON.stringify(wanted)}`);
  select.focus();
  select.selectedIndex = place;
  select.dispatchEvent(new Event('input', { bubbles: true }));
  select.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Keys that are held. */
const held = new Set<string>();

/** Presses a key without releasing it. Returns the event. */
export function keyDown(name: string, modifiers: readonly string[] = []): void {
  const target = focused() ?? document.body;
  const all = [...held, ...modifiers];
  const key = name === 'Space' ? ' ' : name;
  if (/^(Control|Shift|Alt|Meta)$/.test(key)) held.add(key);
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : /^\d$/.test(key) ? `Digit${key}` : key;
  const init = { key, code, bubbles: true, cancelable: true, composed: true, ...modifiersOf(all) };
  const isLeft = target.dispatchEvent(new KeyboardEvent('keydown', init));
  if (isLeft) byItself(target, key, init);
}

/** Releases a key. */
export function keyUp(name: string): void {
  held.delete(name);
  const key = name === 'Space' ? ' ' : name;
  (focused() ?? document.body).dispatchEvent(new KeyboardEvent('keyup', { key, bubbles: true }));
}

/** Presses and releases keys that are written as `Control+Shift+K`. */
export function pressKeys(keys: string): void {
  const parts = keys === '+' ? ['+'] : keys.split('+');
  const key = parts.pop() ?? '';
  keyDown(key, parts);
  keyUp(key);
}

/** Does what a browser does after a key that the page has left to it. */
function byItself(
  target: Element,
  key: string,
  init: { readonly ctrlKey: boolean; readonly shiftKey: boolean },
): unknown {
  if (key === 'Tab') return moveFocus(init.shiftKey ? -1 : 1);
  if (key === 'Escape') return closeDialog();
  if (key === 'ContextMenu' || (key === 'F10' && init.shiftKey)) {
    return target.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, button: -1 }));
  }
  const editor = editorOf(target);
  if (editor) return [...key].length === 1 && !init.ctrlKey && typeInto(editor, key);
  if (isField(target)) return edit(target, key, init.ctrlKey);
  if (target instanceof HTMLSelectElement) return moveChoice(target, key);
  const acts = target.matches('button, summary, a[href], input[type=checkbox], input[type=radio]');
  const isActed = acts && (key === 'Enter' || (key === ' ' && !target.matches('a')));
  const click = { bubbles: true, cancelable: true, composed: true, detail: 0 };
  return isActed && target.dispatchEvent(new MouseEvent('click', click));
}

function moveChoice(select: HTMLSelectElement, key: string): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (by === undefined) return;
  const next = select.selectedIndex + by;
  if (next >= 0 && next < select.options.length) choose(select, { index: next });
}

/** Changes the text or the caret of a field. */
function edit(field: Field, key: string, control: boolean): unknown {
  const { value } = field;
  const from = field.selectionStart ?? value.length;
  const to = field.selectionEnd ?? value.length;
  const put = (begin: number, end: number, text: string) =>
    setText(field, value.slice(0, begin) + text + value.slice(end), begin + text.length);
  if (control && key.toLowerCase() === 'a') return field.setSelectionRange(0, value.length);
  if (control) return;
  if (key === 'Enter' && field instanceof HTMLInputElement) {
    commit(field);
    return field.form?.requestSubmit();
  }
  if (key === 'Backspace') return put(from === to ? Math.max(0, from - 1) : from, to, '');
  if (key === 'Delete') return put(from, from === to ? to + 1 : to, '');
  const caret = { Home: 0, End: value.length, ArrowLeft: Math.max(0, from - 1), ArrowRight: from + 1 }[key];
  if (caret !== undefined) return field.setSelectionRange(caret, caret);
  const text = key === 'Enter' ? '\n' : key;
  return [...text].length === 1 && put(from, to, text);
}

/** Types a text, key by key. */
export async function typeKeys(text: string): Promise<void> {
  for (const key of text) {
    pressKeys(key === '\n' ? 'Enter' : key);
    await afterward();
  }
}

/** Inserts a text into the field that has the focus, as an input method does. */
export function insert(text: string): void {
  const field = focused();
  const editor = editorOf(field);
  if (editor) typeInto(editor, text);
  if (!isField(field)) return;
  const from = field.selectionStart ?? field.value.length;
  const to = field.selectionEnd ?? field.value.length;
  setText(field, field.value.slice(0, from) + text + field.value.slice(to), from + text.length);
}

function moveFocus(by: 1 | -1): void {
  const modal = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  const everything = [...modal.querySelectorAll<HTMLElement>('*')].flatMap((element) =>
    element.shadowRoot ? [...element.shadowRoot.querySelectorAll<HTMLElement>('*')] : element,
  );
  const isStop = (element: HTMLElement) => element.tabIndex >= 0 || element.matches('[contenteditable=true]');
  const stops = everything.filter((element) => element.matches(FOCUSABLE) && isStop(element) && canTakeFocus(element));
  const at = stops.indexOf(focused() as HTMLElement);
  const next = stops[at < 0 ? (by > 0 ? 0 : stops.length - 1) : at + by];
  if (next) next.focus();
  else (document.activeElement as HTMLElement | null)?.blur();
}

function closeDialog(): void {
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')].at(-1);
  if (dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close();
}

/** Has fields whose text has changed say so when they lose the focus. */
export function commitOnBlur(): void {
  document.addEventListener('focusout', ({ target }) => commit(target as Field));
}

/** The pointer over the timeline, whose corner is that of the page here. */
export class TimelinePointer {
  #at = { clientX: 0, clientY: 0 };
  #buttons = 0;

  #send(type: string, init: object = {}): void {
    const [area, ...others] = document.querySelectorAll('.area');
    if (!area || others.length > 0) throw new Error('the pointer has no timeline of its own');
    const modifiers = modifiersOf([...held]);
    const pointer = { pointerId: 1, pointerType: 'mouse', isPrimary: true, buttons: this.#buttons };
    const shared = { bubbles: true, cancelable: true, composed: true, ...this.#at, ...modifiers, ...init };
    const isPointer = type.startsWith('pointer');
    const event = isPointer ? new PointerEvent(type, { ...shared, ...pointer }) : new MouseEvent(type, shared);
    if (area.dispatchEvent(event) && type === 'pointerdown') focusAt(area);
  }

  async move(x: number, y: number): Promise<void> {
    this.#at = { clientX: x, clientY: y };
    leaveFor(null);
    this.#send('pointermove');
    await afterward();
  }

  async down(): Promise<void> {
    this.#buttons = 1;
    this.#send('pointerdown');
  }

  async up(): Promise<void> {
    this.#buttons = 0;
    this.#send('pointerup');
    this.#send('click', { detail: 1 });
    await afterward();
  }

  async click(x: number, y: number, { button = 'left', clickCount = 1 }: ClickOptions = {}): Promise<void> {
    await this.move(x, y);
    if (button === 'right') this.#send('contextmenu', { button: 2 });
    for (let count = 0; button === 'left' && count < clickCount; count += 1) {
      await this.down();
      await this.up();
    }
    if (clickCount === 2) this.#send('dblclick', { detail: 2 });
    await afterward();
  }

  async dblclick(x: number, y: number): Promise<void> {
    await this.click(x, y, { clickCount: 2 });
  }

  async wheel(deltaX: number, deltaY: number): Promise<void> {
    const target = under?.isConnected ? under : document.querySelector('.area');
    const init = { deltaX, deltaY, bubbles: true, cancelable: true, ...this.#at, ...modifiersOf([...held]) };
    const event = new WheelEvent('wheel', init);
    target?.dispatchEvent(event);
    await afterward();
  }
}
