/*
 * Finds elements of the document as Playwright does, whose vocabulary it has: a test that needs no browser reads as one that does, and
 * moves between them without being written again. What only a browser knows, such as where an element is, throws.
 */

import {
  hasState,
  innerTextOf,
  isChecked,
  isDisabled,
  isHidden,
  isLike,
  isUnheard,
  nameOf,
  normalised,
  roleOf,
  type States,
  type Wanted,
} from './aria.ts';
import { shadows } from './browser.ts';
import {
  afterward,
  type Chosen,
  type ClickOptions,
  choose,
  clickOn,
  fillIn,
  hoverOver,
  pressKeys,
  putFiles,
  typeKeys,
} from './hands.ts';

/** Milliseconds that an action waits for its element, and an expectation for what it expects: for what hangs, on any machine. */
export const PATIENCE = Number(process.env['ENGINE_PATIENCE'] ?? 20_000);
/** Milliseconds between two looks. */
const LOOK = 4;

/** A question that only a browser can answer. Such a test has a tag, and runs there. */
export class NeedsBrowser extends Error {
  constructor(what: string) {
    super(`${what} needs a browser: give the test a tag that says so`);
  }
}

/** Reads of the layout or of pixels, which the document of a test does not have. */
const LAYOUT =
  /getBoundingClientRect|getClientRects|getComputedStyle|getImageData|toDataURL|elementFromPoint|innerWidth|innerHeight|\b(client|offset|scroll)(Width|Height|Top|Left)\b|matchMedia|getAnimations/;

/** Throws if a function of a test reads what only a browser has. */
export function forbidLayout(read: unknown): void {
  const [what] = LAYOUT.exec(String(read)) ?? [];
  if (what) throw new NeedsBrowser(what);
}

/** Waits until `look` returns without throwing. Rejects with what it threw last. */
export async function until<T>(look: () => T, patience = PATIENCE): Promise<T> {
  const end = performance.now() + patience;
  for (;;) {
    try {
      return look();
    } catch (error) {
      if (error instanceof NeedsBrowser || performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A place on the page, in CSS pixels. */
interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** The place of the timeline, which begins at the corner of the page here, of what is over it, or of a track beside it; null of anything else. */
function placeOf(element: HTMLElement): Box | null {
  const { clientWidth: width, clientHeight } = element;
  const area = element.closest('.area');
  if (area === element || (area && element.localName === 'canvas')) return { x: 0, y: 0, width, height: clientHeight };
  // What has its place by a style.
  const { left, width: own } = element.style;
  if (area)
    return own ? { x: Number.parseFloat(left), y: 0, width: Number.parseFloat(own), height: clientHeight } : null;
  if (!element.matches('.track') || document.querySelectorAll('.area').length > 1) return null;
  const moved = Number(/translateY\((-?[\d.]+)px\)/.exec(element.style.transform)?.[1] ?? 0);
  const top = Number.parseFloat(element.parentElement?.style.top || '0');
  return { x: 0, y: top + moved, width, height: Number.parseFloat(element.style.height) };
}

type Named = States & { readonly name?: Wanted; readonly exact?: boolean; readonly includeHidden?: boolean };

interface Filter {
  readonly hasText?: Wanted;
  readonly hasNotText?: Wanted;
  readonly has?: NodeLocator;
  readonly hasNot?: NodeLocator;
  readonly visible?: boolean;
}

type Find = (root: ParentNode) => readonly Element[];

/** Elements by a plain selector, in shadow trees, too. */
function all(root: ParentNode, selector: string): readonly Element[] {
  const found = [...root.querySelectorAll(selector)];
  for (const shadow of shadows) {
    if (!shadow.host.isConnected) shadows.delete(shadow);
    else if (root.contains(shadow.host)) found.push(...shadow.querySelectorAll(selector));
  }
  return found;
}

/** Elements by a selector. `:visible` is Playwright's. */
function select(root: ParentNode, selector: string): readonly Element[] {
  const plain = selector.replaceAll(':visible', '').trim();
  if (plain.startsWith('+')) {
    const next = (root as Element).nextElementSibling;
    return next?.matches(plain.slice(1).trim()) ? [next] : [];
  }
  const within = plain.startsWith('>') ? `:scope ${plain}` : plain;
  const found = all(root, within);
  return selector.includes(':visible') ? found.filter((element) => !isHidden(element)) : found;
}

/** The smallest elements with a text. */
function withText(root: ParentNode, wanted: Wanted, exact = false): readonly Element[] {
  const has = (element: Element) => isLike(textOf(element), wanted, exact);
  return all(root, '*').filter((element) => has(element) && ![...element.children].some(has));
}

function textOf(element: Element): string {
  if (element instanceof HTMLInputElement && /^(button|submit)$/.test(element.type)) return element.value;
  return element.textContent ?? '';
}

/** Elements of the document, looked for again whenever they are used. */
export class NodeLocator {
  readonly #find: Find;
  readonly #root: NodeLocator | null;
  readonly what: string;

  constructor(find: Find, what: string, root: NodeLocator | null = null) {
    this.#find = find;
    this.#root = root;
    this.what = root ? `${root.what} › ${what}` : what;
  }

  /** The elements in the order of the document. */
  elements(within: ParentNode = document): readonly Element[] {
    if (!this.#root) return this.#find(within);
    const found = new Set(this.#root.elements(within).flatMap((root) => this.#find(root)));
    return [...found];
  }

  /** The only element. Throws if there is none, or several. */
  only(): Element {
    const [first, ...others] = this.elements();
    if (!first) throw new Error(`there is no ${this.what}`);
    if (others.length > 0) throw new Error(`there are ${others.length + 1} of ${this.what}`);
    return first;
  }

  #within(find: Find, what: string): NodeLocator {
    return new NodeLocator(find, what, this);
  }

  #picked(pick: (found: readonly Element[]) => readonly Element[], what: string): NodeLocator {
    return new NodeLocator((root) => pick(this.elements(root)), `${this.what}${what}`);
  }

  locator(selector: string | NodeLocator, filter: Filter = {}): NodeLocator {
    const found =
      selector instanceof NodeLocator
        ? this.#within((root) => selector.elements(root), selector.what)
        : this.#within((root) => select(root, selector), selector);
    return found.filter(filter);
  }

  getByRole(role: string, { name, exact, includeHidden = false, ...states }: Named = {}): NodeLocator {
    const find: Find = (root) =>
      all(root, '*').filter(
        (element) =>
          roleOf(element) === role &&
          (includeHidden || !isUnheard(element)) &&
          hasState(element, states) &&
          (name === undefined || isLike(nameOf(element), name, exact)),
      );
    return this.#within(find, `${role} ${name ?? ''}`);
  }

  getByText(text: Wanted, { exact }: { exact?: boolean } = {}): NodeLocator {
    return this.#within((root) => withText(root, text, exact), `text ${text}`);
  }

  getByLabel(text: Wanted, { exact }: { exact?: boolean } = {}): NodeLocator {
    const named = '[aria-label], [aria-labelledby], input, select, textarea';
    const find: Find = (root) => all(root, named).filter((element) => isLike(nameOf(element), text, exact));
    return this.#within(find, `label ${text}`);
  }

  getByTitle(text: Wanted, { exact }: { exact?: boolean } = {}): NodeLocator {
    const find: Find = (root) =>
      [...root.querySelectorAll('[title]')].filter((it) => isLike(it.getAttribute('title') ?? '', text, exact));
    return this.#within(find, `title ${text}`);
  }

  getByPlaceholder(text: Wanted): NodeLocator {
    const find: Find = (root) =>
      [...root.querySelectorAll('[placeholder]')].filter((it) => isLike(it.getAttribute('placeholder') ?? '', text));
    return this.#within(find, `placeholder ${text}`);
  }

  filter({ hasText, hasNotText, has, hasNot, visible }: Filter): NodeLocator {
    if (hasText === undefined && hasNotText === undefined && !has && !hasNot && visible === undefined) return this;
    const fits = (element: Element) =>
      (hasText === undefined || isLike(textOf(element), hasText)) &&
      (hasNotText === undefined || !isLike(textOf(element), hasNotText)) &&
      (!has || has.elements(element).length > 0) &&
      (!hasNot || hasNot.elements(element).length === 0) &&
      (visible === undefined || isHidden(element) !== visible);
    return this.#picked((found) => found.filter(fits), ` with ${hasText ?? has?.what ?? 'something'}`);
  }

  nth(place: number): NodeLocator {
    return this.#picked((found) => found.slice(place, place === -1 ? undefined : place + 1), ` #${place}`);
  }

  first(): NodeLocator {
    return this.nth(0);
  }

  last(): NodeLocator {
    return this.nth(-1);
  }

  or(other: NodeLocator): NodeLocator {
    const find: Find = (root) => {
      const either = new Set([...this.elements(root), ...other.elements(root)]);
      return [...either].sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    };
    return new NodeLocator(find, `${this.what} or ${other.what}`);
  }

  and(other: NodeLocator): NodeLocator {
    return new NodeLocator((root) => this.elements(root).filter((it) => other.elements(root).includes(it)), this.what);
  }

  /** Waits for the only element, and does something with it. */
  async #act<T>(act: (element: HTMLElement) => T, check: (element: Element) => boolean = () => true): Promise<T> {
    const element = await until(() => {
      const only = this.only();
      if (!check(only)) throw new Error(`${this.what} cannot be used`);
      return only as HTMLElement;
    });
    const done = act(element);
    await afterward();
    return done;
  }

  async click({ position, ...options }: ClickOptions & { readonly position?: Point } = {}): Promise<void> {
    await this.#act(
      (element) => {
        const box = placeOf(element);
        if (position && !box) throw new NeedsBrowser('a click at a place');
        const { x, y } = position ?? { x: 0, y: 0 };
        clickOn(element, options, { clientX: (box?.x ?? 0) + x, clientY: (box?.y ?? 0) + y });
      },
      (element) => !isHidden(element) && !isDisabled(element),
    );
  }

  async dblclick(): Promise<void> {
    await this.click({ clickCount: 2 });
  }

  async hover(): Promise<void> {
    await this.#act(hoverOver, (element) => !isHidden(element));
  }

  async focus(): Promise<void> {
    await this.#act((element) => element.focus());
  }

  async blur(): Promise<void> {
    await this.#act((element) => element.blur());
  }

  async fill(text: string): Promise<void> {
    await this.#act(
      (element) => fillIn(element, text),
      (element) => !isHidden(element) && !isDisabled(element),
    );
  }

  async clear(): Promise<void> {
    await this.fill('');
  }

  async press(keys: string): Promise<void> {
    await this.#act((element) => {
      element.focus();
      pressKeys(keys);
    });
  }

  async pressSequentially(text: string): Promise<void> {
    await this.focus();
    await typeKeys(text);
  }

  async check(): Promise<void> {
    if (!(await this.isChecked())) await this.click();
  }

  async uncheck(): Promise<void> {
    if (await this.isChecked()) await this.click();
  }

  async selectOption(option: string | { label?: string; value?: string; index?: number }): Promise<void> {
    await until(() => choose(this.only() as HTMLSelectElement, option));
    await afterward();
  }

  async setInputFiles(chosen: Chosen | readonly Chosen[]): Promise<void> {
    await putFiles(await until(() => this.only()), chosen);
  }

  async dispatchEvent(type: string, init: object = {}): Promise<void> {
    await this.#act((element) =>
      element.dispatchEvent(Object.assign(new Event(type, { bubbles: true, cancelable: true }), init)),
    );
  }

  async evaluate<T, A>(read: (element: never, argument: A) => T, argument?: A): Promise<Awaited<T>> {
    forbidLayout(read);
    return await this.#act((element) => read(element as never, argument as A));
  }

  async evaluateAll<T, A>(read: (elements: never, argument: A) => T, argument?: A): Promise<Awaited<T>> {
    forbidLayout(read);
    return await read(this.elements() as never, argument as A);
  }

  async waitFor({ state = 'visible' }: { state?: 'visible' | 'hidden' | 'attached' | 'detached' } = {}): Promise<void> {
    await until(() => {
      const [first] = this.elements();
      const isThere = first !== undefined && (state === 'attached' || state === 'detached' || !isHidden(first));
      if (isThere !== (state === 'visible' || state === 'attached')) throw new Error(`${this.what} is not ${state}`);
    });
  }

  async textContent(): Promise<string | null> {
    return this.#act((element) => element.textContent);
  }

  async innerText(): Promise<string> {
    return this.#act(innerTextOf);
  }

  async allTextContents(): Promise<string[]> {
    return this.elements().map((element) => element.textContent ?? '');
  }

  async allInnerTexts(): Promise<string[]> {
    return this.elements().map(innerTextOf);
  }

  async getAttribute(name: string): Promise<string | null> {
    return this.#act((element) => element.getAttribute(name));
  }

  async inputValue(): Promise<string> {
    return this.#act((element) => (element as HTMLInputElement).value);
  }

  async count(): Promise<number> {
    return this.elements().length;
  }

  async all(): Promise<NodeLocator[]> {
    return this.elements().map((_, place) => this.nth(place));
  }

  async isVisible(): Promise<boolean> {
    return this.elements().some((element) => !isHidden(element));
  }

  async isHidden(): Promise<boolean> {
    return !(await this.isVisible());
  }

  async isChecked(): Promise<boolean> {
    return this.#act(isChecked);
  }

  async isDisabled(): Promise<boolean> {
    return this.#act(isDisabled);
  }

  async isEnabled(): Promise<boolean> {
    return !(await this.isDisabled());
  }

  /** The place of the timeline or of one of its tracks, which the page itself computes. */
  async boundingBox(): Promise<Box> {
    return this.#act((element) => {
      const box = placeOf(element);
      if (!box) throw new NeedsBrowser('the place of an element');
      return box;
    });
  }

  async screenshot(): Promise<never> {
    throw new NeedsBrowser('a picture');
  }

  async ariaSnapshot(): Promise<never> {
    throw new NeedsBrowser('a snapshot for assistive technology');
  }

  async scrollIntoViewIfNeeded(): Promise<never> {
    throw new NeedsBrowser('scrolling');
  }

  /** The texts of the elements as expectations compare them. */
  texts(): readonly string[] {
    return this.elements().map(textOf);
  }

  toString(): string {
    return this.what;
  }
}

/** Whether a text is what an expectation wants: normalised unless it is compared with a pattern. */
export function fits(text: string, wanted: Wanted, isPart: boolean): boolean {
  if (wanted instanceof RegExp) return wanted.test(text);
  return isPart ? normalised(text).includes(normalised(wanted)) : normalised(text) === normalised(wanted);
}

/** All of the document. */
export const documentLocator = new NodeLocator((root) => [root as Element], 'the page');
