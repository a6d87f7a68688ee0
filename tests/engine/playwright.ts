/*
 * What the tests of the page import as Playwright when they run in Node. A test with a tag needs a browser and is left to it; all others
 * run here, on the page that is mounted in a document without layout. Tests are run one after the other.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vitest from 'vitest';
import { type MountedPage, mountPage } from '../engine.ts';
import { WINDOW } from './browser.ts';
import {
  afterward,
  type Chosen,
  commitOnBlur,
  insert,
  keyDown,
  keyUp,
  pressKeys,
  putFiles,
  TimelinePointer,
  typeKeys,
} from './hands.ts';
import { documentLocator, forbidLayout, NeedsBrowser, type NodeLocator, PATIENCE, until } from './locator.ts';
import { blobAt, endWorkers, liveWorkers } from './workers.ts';

export { expect } from './expectations.ts';

/** An object each of whose members throws, because only a browser has it. */
function needsBrowser(what: string): never {
  return new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === 'then') return undefined;
        throw new NeedsBrowser(`${what}.${String(name)}`);
      },
    },
  ) as never;
}

/** Notes what listens to the window from now on. Returns what ends that, as the end of a page does. */
function recordListeners(): () => void {
  const noted: (readonly [
    string,
    EventListenerOrEventListenerObject,
    boolean | AddEventListenerOptions | undefined,
  ])[] = [];
  const { addEventListener } = window;
  window.addEventListener = (
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ) => {
    noted.push([type, listener, options]);
    addEventListener.call(window, type, listener, options);
  };
  return () => {
    window.addEventListener = addEventListener;
    for (const each of noted) window.removeEventListener(...each);
  };
}

type Hear = (what: never) => void;

/** A download that the page has begun. */
function downloadOf(link: HTMLAnchorElement) {
  const blob = blobAt(link.href);
  const path = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unspool-'));
    const file = join(folder, link.download);
    writeFileSync(file, new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0)));
    return file;
  };
  return { suggestedFilename: () => link.download, path };
}

/** Drives the page that is mounted, in the words of Playwright's `Page`. */
class NodePage {
  #mounted: MountedPage | null = null;
  #isOpened = false;
  #stopListening = () => {};
  readonly #heard = new Map<string, Set<Hear>>();
  readonly #listen = (event: MouseEvent) => {
    const link = (event.target as Element | null)?.closest?.('a[download]');
    if (link) {
      event.preventDefault();
      this.#tell('download', downloadOf(link as HTMLAnchorElement));
    }
    const input = event.target as HTMLInputElement;
    if (input.matches?.('input[type=file]')) {
      const setFiles = (chosen: Chosen | readonly Chosen[]) => putFiles(input, chosen);
      this.#tell('filechooser', { setFiles, isMultiple: () => input.multiple });
    }
  };

  readonly keyboard = {
    press: async (keys: string) => {
      pressKeys(keys);
      await afterward();
    },
    type: typeKeys,
    insertText: async (text: string) => {
      insert(text);
      await afterward();
    },
    down: async (key: string) => keyDown(key),
    up: async (key: string) => keyUp(key),
  };
  readonly mouse = new TimelinePointer();
  readonly touchscreen = needsBrowser('the touch screen');

  /** Opens the page, or a link to a view of it. Only a browser has other addresses. */
  async goto(address: string): Promise<void> {
    if (address === 'about:blank') return this.close();
    // What draws makes no difference here.
    const { origin, pathname, search, hash } = new URL(address, `${location.origin}/`);
    const isKnown = /^(\?renderer=canvas2d|\?url=samples[^&]*(&with=samples[^&]*)?)?$/.test(search);
    if (origin !== location.origin || pathname !== '/' || !isKnown) {
      throw new NeedsBrowser(`the address ${address}`);
    }
    if (!this.#isOpened) {
      localStorage.clear();
      sessionStorage.clear();
    }
    const isSame = this.#mounted !== null && hash !== '';
    history.replaceState(null, '', `/${search.replace('?renderer=canvas2d', '')}${hash}`);
    if (isSame) window.dispatchEvent(new Event('hashchange'));
    else await this.reload();
  }

  /** Opens the page again, with its address and with what it has stored. */
  async reload(): Promise<void> {
    this.close();
    // A frame of the page before would say that this one has drawn.
    await afterward();
    this.#isOpened = true;
    document.addEventListener('click', this.#listen, true);
    // A link that is in no document sends its click nowhere else.
    HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
      const event = new MouseEvent('click', { bubbles: true, cancelable: true });
      document.body.append(this);
      this.dispatchEvent(event);
      this.remove();
    };
    this.#stopListening = recordListeners();
    this.#mounted = await mountPage();
    commitOnBlur();
    // As the entry of the page does.
    const { workbench } = this.#mounted.page;
    const addresses = new URLSearchParams(location.search);
    const [url, other] = [addresses.get('url'), addresses.get('with')];
    if (url) void workbench.openUrl(url).then(() => (other ? workbench.compareUrl(other) : undefined));
  }

  close(): void {
    this.#mounted?.unmount();
    this.#mounted = null;
    this.#stopListening();
    this.#stopListening = () => undefined;
    endWorkers();
    // A test may have put another one in its place.
    Reflect.deleteProperty(navigator, 'clipboard');
    document.removeEventListener('click', this.#listen, true);
    document.body.replaceChildren();
  }

  async goBack(): Promise<void> {
    history.back();
    await afterward();
  }

  async goForward(): Promise<void> {
    history.forward();
    await afterward();
  }

  #tell(event: string, what: unknown): void {
    for (const hear of this.#heard.get(event) ?? []) hear(what as never);
  }

  on(event: string, hear: Hear): void {
    const all = this.#heard.get(event) ?? new Set();
    this.#heard.set(event, all.add(hear));
  }

  async waitForEvent(event: string): Promise<unknown> {
    if (event !== 'download' && event !== 'filechooser') throw new NeedsBrowser(`the event ${event}`);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`there was no ${event}`)), PATIENCE);
      this.on(event, (what) => {
        clearTimeout(timer);
        resolve(what);
      });
    });
  }

  /** The part of the context that there is: no question about permissions is asked here. */
  context(): object {
    return Object.assign(Object.create(needsBrowser('the context')), { grantPermissions: async () => undefined });
  }

  /** Answers what may come up at any time, as long as the page is open. */
  async addLocatorHandler(found: NodeLocator, answer: () => Promise<void>): Promise<void> {
    let answered = Number.NEGATIVE_INFINITY;
    const timer = setInterval(() => {
      // Time enough for it to go. An answer to one that has gone by itself waits for the next one.
      if (performance.now() < answered + 500 || found.elements().length === 0) return;
      answered = performance.now();
      void answer().catch(() => undefined);
    }, 50);
    vitest.onTestFinished(() => clearInterval(timer));
  }

  /** Pages have a browser's properties here, which cannot be taken from them, except for the dialogs that it does not have anyway. */
  async addInitScript(script: unknown): Promise<void> {
    if (!String(script).includes('showOpenFilePicker')) throw new NeedsBrowser('a script before that of the page');
  }

  locator = documentLocator.locator.bind(documentLocator);
  getByRole = documentLocator.getByRole.bind(documentLocator);
  getByText = documentLocator.getByText.bind(documentLocator);
  getByLabel = documentLocator.getByLabel.bind(documentLocator);
  getByTitle = documentLocator.getByTitle.bind(documentLocator);
  getByPlaceholder = documentLocator.getByPlaceholder.bind(documentLocator);

  async setInputFiles(selector: string, chosen: Chosen | readonly Chosen[]): Promise<void> {
    await this.locator(selector).setInputFiles(chosen);
  }

  async evaluate<T, A>(read: (argument: A) => T, argument?: A): Promise<Awaited<T>> {
    if (typeof read !== 'function') throw new NeedsBrowser('a script');
    forbidLayout(read);
    return await read(argument as A);
  }

  async waitForFunction<T, A>(read: (argument: A) => T, argument?: A): Promise<{ jsonValue(): Promise<T> }> {
    forbidLayout(read);
    const value = await until(() => {
      const now = read(argument as A);
      if (!now) throw new Error(`${read} stays false`);
      return now;
    });
    return { jsonValue: async () => value };
  }

  /** All windows are equally wide here. A higher one shows more rows. */
  async setViewportSize({ width, height }: { width: number; height: number }): Promise<void> {
    if (width < 1000 || height < 700) throw new NeedsBrowser(`a window of ${width} by ${height}`);
    WINDOW.height = height;
  }

  viewportSize(): never {
    throw new NeedsBrowser('the size of the window');
  }

  workers(): readonly { url(): string }[] {
    return liveWorkers().map((name) => ({ url: () => `blob:#${name}` }));
  }

  async title(): Promise<string> {
    return document.title;
  }

  url(): string {
    return location.href;
  }

  async waitForTimeout(): Promise<never> {
    throw new NeedsBrowser('time that passes');
  }
}

for (const name of ['emulateMedia', 'screenshot', 'route', 'unroute']) {
  Object.defineProperty(NodePage.prototype, name, {
    value: () => {
      throw new NeedsBrowser(name);
    },
  });
}

/** Arguments of a test by name. */
type Fixtures = Readonly<Record<string, unknown>>;
type Body = (fixtures: never, info: never) => unknown;
/** A fixture that is made of those before it, and lasts as long as `use`. */
type Made = (fixtures: Fixtures, use: (made: unknown) => Promise<void>) => Promise<void>;

/** The hooks of a group of tests, and of the groups around it. */
interface Group {
  readonly hooks: Body[];
  readonly isTagged: boolean;
}

const groups: Group[] = [{ hooks: [], isTagged: false }];

/** The test that runs. */
let current: vitest.TestContext | null = null;
/** Its folder, once it has asked for one. */
let folder = '';

/** The facts about a test that Playwright has. */
function infoNow() {
  const folderNow = () => {
    folder ||= mkdtempSync(join(tmpdir(), 'unspool-test-'));
    return folder;
  };
  return {
    title: current?.task.name ?? '',
    annotations: [],
    setTimeout: () => undefined,
    outputPath: (name: string) => join(folderNow(), name),
    get outputDir() {
      return folderNow();
    },
  };
}

interface Details {
  readonly tag?: string | readonly string[];
}

/** Splits the optional details off. */
function withDetails(args: readonly unknown[]): { details: Details; body: Body } {
  const [first, second] = args;
  return typeof first === 'function'
    ? { details: {}, body: first as Body }
    : { details: (first ?? {}) as Details, body: second as Body };
}

/** The height of the window of a test that does not say one. */
const HEIGHT = WINDOW.height;

const isTaggedNow = () => groups.some(({ isTagged }) => isTagged);

function createTest(made: readonly Readonly<Record<string, Made>>[]): object {
  const withFixtures = async (run: (fixtures: Fixtures) => Promise<void>) => {
    const page = new NodePage();
    const base: Fixtures = {
      page,
      context: page.context(),
      browser: needsBrowser('the browser'),
      request: needsBrowser('a request'),
    };
    const layers = made.flatMap((layer) => Object.entries(layer));
    const provide = async (fixtures: Fixtures, [next, ...others]: typeof layers): Promise<void> => {
      if (!next) return run(fixtures);
      const [name, make] = next;
      if (typeof make !== 'function') return provide({ ...fixtures, [name]: make }, others);
      return make(fixtures, (value) => provide({ ...fixtures, [name]: value }, others));
    };
    try {
      await provide(base, layers);
    } finally {
      page.close();
      WINDOW.height = HEIGHT;
    }
  };
  const define = (only: typeof vitest.it | typeof vitest.it.skip, title: string, args: readonly unknown[]) => {
    const { details, body } = withDetails(args);
    if (isTaggedNow() || details.tag !== undefined) return;
    const hooks = groups.flatMap((group) => group.hooks);
    only(title, async (context: vitest.TestContext) => {
      current = context;
      folder = '';
      await withFixtures(async (fixtures) => {
        for (const hook of hooks) await hook(fixtures as never, infoNow() as never);
        await body(fixtures as never, infoNow() as never);
      });
    });
  };
  const describe = (title: string, ...args: readonly unknown[]) => {
    const { details, body } = withDetails(args);
    vitest.describe(title, () => {
      groups.push({ hooks: [], isTagged: details.tag !== undefined });
      (body as () => void)();
      groups.pop();
      // A group whose tests all need a browser must have one test.
      vitest.it.skip('has tests with a tag');
    });
  };
  const skip = (...args: readonly unknown[]) => {
    if (typeof args[0] === 'string') define(vitest.it.skip, args[0], args.slice(1));
    else if (args[0] && current) current.skip(String(args[1] ?? ''));
  };
  const use = (options: object) => {
    if (Object.keys(options).some((name) => name !== 'permissions' && name !== 'viewport')) {
      groups[groups.length - 1] = { hooks: [], isTagged: true };
    }
  };
  return Object.assign((title: string, ...args: readonly unknown[]) => define(vitest.it, title, args), {
    describe: Object.assign(describe, { configure: () => undefined, serial: describe }),
    beforeEach: (hook: Body) => groups.at(-1)?.hooks.push(hook),
    skip,
    use,
    slow: () => undefined,
    setTimeout: () => undefined,
    extend: (more: Readonly<Record<string, Made>>) => createTest([...made, more]),
    step: (_: string, body: () => unknown) => body(),
    info: infoNow,
  });
}

/** As Playwright's `test`. */
export const test = createTest([]);
