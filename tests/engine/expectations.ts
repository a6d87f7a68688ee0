/* Expectations of elements, which wait until they are met, in the words of Playwright. All others are Vitest's. */

import { expect as expectValue } from 'vitest';
import { isChecked, isDisabled, isHidden, nameOf, type Wanted } from './aria.ts';
import { focused } from './hands.ts';
import { fits, NeedsBrowser, NodeLocator, PATIENCE, until } from './locator.ts';

type Wants = Wanted | readonly Wanted[];

/** What an expectation finds: whether it is met, and what is there. */
interface Finding {
  readonly isMet: boolean;
  readonly is: unknown;
}

type Look = (elements: readonly Element[], found: NodeLocator) => Finding;

function only(found: NodeLocator): Element {
  return found.only();
}

/** Whether the texts are the wanted ones: one of the only element, or all of a list. Of a list of parts, others may be between them. */
function compare(found: NodeLocator, wanted: Wants, isPart: boolean): Finding {
  if (!Array.isArray(wanted)) {
    only(found);
    const [is = ''] = found.texts();
    return { isMet: fits(is, wanted as Wanted, isPart), is };
  }
  const is = found.texts();
  const each = wanted as readonly Wanted[];
  if (!isPart) return { isMet: is.length === each.length && is.every((text, i) => fits(text, each[i]!, false)), is };
  let at = 0;
  for (const text of is) if (at < each.length && fits(text, each[at]!, true)) at += 1;
  return { isMet: at === each.length, is };
}

const attribute = (found: NodeLocator, name: string, wanted?: Wanted): Finding => {
  const is = only(found).getAttribute(name);
  const isMet = is !== null && (wanted === undefined || (wanted instanceof RegExp ? wanted.test(is) : is === wanted));
  return { isMet, is };
};

const needsBrowser = (what: string) => () => {
  throw new NeedsBrowser(what);
};

/** The expectations, by name: what each finds of the elements for its arguments. */
const LOOKS: Readonly<Record<string, (...args: never[]) => Look>> = {
  toBeVisible: () => (elements, found) => {
    if (elements.length > 1) only(found);
    return { isMet: elements.length === 1 && !isHidden(elements[0]!), is: elements.length };
  },
  toBeHidden: () => (elements) => ({ isMet: elements.every(isHidden), is: elements.length }),
  toBeAttached: () => (elements) => ({ isMet: elements.length > 0, is: elements.length }),
  toHaveCount: (count: number) => (elements) => ({ isMet: elements.length === count, is: elements.length }),
  toHaveText: (wanted: Wants) => (_, found) => compare(found, wanted, false),
  toContainText: (wanted: Wants) => (_, found) => compare(found, wanted, true),
  toBeEmpty: () => (_, found) => {
    const is = only(found) as HTMLInputElement;
    return { isMet: (is.localName === 'input' ? is.value : (is.textContent ?? '')) === '', is: is.textContent };
  },
  toHaveAttribute: (name: string, wanted?: Wanted) => (_, found) => attribute(found, name, wanted),
  toHaveClass: (wanted: Wanted) => (_, found) => attribute(found, 'class', wanted),
  toHaveAccessibleName: (wanted: Wanted) => (_, found) => {
    const is = nameOf(only(found));
    return { isMet: fits(is, wanted, false), is };
  },
  toHaveValue: (wanted: Wanted) => (_, found) => {
    const is = (only(found) as HTMLInputElement).value;
    return { isMet: wanted instanceof RegExp ? wanted.test(is) : is === wanted, is };
  },
  toBeFocused: () => (_, found) => ({
    isMet: focused() === only(found),
    is: focused()?.outerHTML,
  }),
  toBeDisabled: () => (_, found) => ({ isMet: isDisabled(only(found)), is: 'enabled' }),
  toBeEnabled: () => (_, found) => ({ isMet: !isDisabled(only(found)), is: 'disabled' }),
  toBeChecked: () => (_, found) => ({ isMet: isChecked(only(found)), is: 'unchecked' }),
  toBeInViewport: needsBrowser('what is in sight'),
  toHaveCSS: needsBrowser('a style'),
  toMatchAriaSnapshot: needsBrowser('a snapshot for assistive technology'),
};

/** The expectations of a locator. */
function expectLocator(found: NodeLocator, message: string, isNot = false): object {
  const each = Object.entries(LOOKS).map(([name, make]) => [
    name,
    async (...args: never[]) => {
      const look = make(...args);
      await until(() => {
        // An element that is missing has no text that could differ, so a `not` waits for it, too.
        const finding = look(found.elements(), found);
        if (finding.isMet !== isNot) return;
        const what = `${found.what} ${isNot ? 'not ' : ''}${name}(${args.map(String).join(', ')})`;
        throw new Error(`${message}${message && ': '}${what}: it is ${JSON.stringify(finding.is)}`);
      });
    },
  ]);
  return { ...Object.fromEntries(each), ...(isNot ? {} : { not: expectLocator(found, message, true) }) };
}

/** The part of a page that expectations ask. */
interface Titled {
  title(): Promise<string>;
  url(): string;
}

function isTitled(value: unknown): value is Titled {
  return typeof value === 'object' && value !== null && 'title' in value && 'setInputFiles' in value;
}

function expectAnything(value: unknown, message?: string): unknown {
  if (value instanceof NodeLocator) return expectLocator(value, message ?? '');
  if (isTitled(value)) {
    return {
      toHaveTitle: (wanted: Wanted) => until(() => expectValue(document.title).toMatch(wanted)),
      toHaveURL: (wanted: Wanted) => until(() => expectValue(location.href).toMatch(wanted)),
    };
  }
  if (typeof value !== 'function') return expectValue(value, message);
  const toPass = async () => {
    const end = performance.now() + PATIENCE;
    for (;;) {
      try {
        return await value();
      } catch (error) {
        if (error instanceof NeedsBrowser || performance.now() > end) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return Object.assign(expectValue(value, message), { toPass });
}

interface PollOptions {
  readonly timeout?: number;
  readonly message?: string;
}

const poll = (read: () => unknown, { message }: PollOptions = {}) =>
  expectValue.poll(read as never, { timeout: PATIENCE, interval: 10, ...(message !== undefined && { message }) });

/** As Playwright's `expect`. */
export const expect: unknown = Object.assign(expectAnything, expectValue, { poll, soft: expectAnything });
