// What is tried in each browser, with what the native command or the Chromium tests say about the same file.
//
// A check gets a page (see drivers.mjs) and a host, and resolves to '' if all of it works. Where the page says that the browser cannot do
// it, the check resolves to that sentence. It fails if neither comes. Functions that are passed to a page name nothing outside themselves.

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { askPicture, FIXED, SQUARES, squaresOf } from '../../tests/alike.mjs';
import { root, windows } from '../lib.mjs';

/** @import { BrowserPage } from './drivers.mjs' */
/** @typedef {{ url: string, stop: () => unknown }} Host */
/**
 * @typedef {object} Check
 * @property {string} name
 * @property {string} about What it is.
 * @property {(page: BrowserPage, host: Host) => Promise<string>} check
 * @property {boolean} [isFirstVisit] In a browser that knows nothing of the page.
 */

export const NATIVE = join(root, 'target', 'debug', windows ? 'unspool.exe' : 'unspool');
export const DIST = join(root, 'dist');
export const ONE_FILE = join(root, 'dist-file', 'unspool.html');
/** @param {string} name */
const fixture = (name) => join(root, 'tests', 'fixtures', name);
/** @type {(name: string) => any} */
const known = (name) => JSON.parse(readFileSync(join(root, 'tests', name), 'utf8'));

/** @typedef {typeof window & { saved: Blob | null }} Saving Keeps what was saved. */

/** A sample of each format, in the order of the list of formats. */
export const SAMPLES = ['threads.xray', 'scene.trace', 'calls.frames', 'variables.trace', 'blocks.sqlite'];
/** A file of each kind: formats, versions that are read in another way, containers. */
const KINDS = [
  'xray/events.xray',
  'xray/copies.xray',
  'apitrace/values.trace',
  'apitrace/direct3d9.trace',
  'apitrace/scene.brotli.trace',
  'frames/plugin.frames',
  'trace_db/overrun.trace',
  'rvn/beyond_2_53.sqlite',
  'rvn/tables_of_2020.sqlite',
  'containers/threads.xray.gz',
  'containers/threads.xray.zst',
  'containers/threads.xray.xz',
];
const [FOUND] = known('find.json');
const EXPORTED = 'apitrace/scene.trace';
const EXPORTS = known('exports.json')[EXPORTED];
const COUNT = 'select count(*) as found from slices';

/**
 * What is tried, in the order of docs/browsers.md.
 *
 * @type {readonly Check[]}
 */
export const CHECKS = [
  {
    name: 'samples',
    about: 'A sample of each format opens by a click, with the digest of the native command',
    check: async (page, { url }) => {
      await samples(page, url);
      return '';
    },
  },
  {
    name: 'kinds',
    about: 'A file of each kind opens from the disk, with the digest of the native command',
    check: async (page, { url }) => {
      await page.goto(url);
      for (const kind of KINDS) await opened(page, fixture(kind));
      return '';
    },
  },
  {
    name: 'timeline',
    about: 'The timeline is drawn, on the GPU and without it',
    check: async (page, { url }) => {
      for (const renderer of ['webgl2', 'canvas2d']) {
        await openedAt(page, `${url}?renderer=${renderer}`, fixture('xray/threads.xray'));
        const used = await page.run(
          () => /** @type {HTMLElement} */ (document.querySelector('[data-renderer]')).dataset['renderer'],
        );
        if (used !== renderer) return `${renderer} is asked for, and ${used} draws`;
        await page.polled('slices on the screen', () => inked(page));
      }
      return '';
    },
  },
  {
    name: 'flame graph',
    about: 'Flame graph',
    check: async (page, { url }) => {
      await openedAt(page, url, fixture('xray/threads.xray'));
      await showTab(page, 'Functions');
      await page.until('Flame', choose, '[role=radio], input[type=radio]', 'Flame');
      await page.until('the flame graph', () => document.querySelector('.flame')?.textContent.trim() !== '');
      return '';
    },
  },
  {
    name: 'find',
    about: 'Find has the hits of the native command',
    check: async (page, { url }) => {
      await openedAt(page, url, fixture(FOUND.file));
      await page.press('Control+f');
      await page.type(FOUND.expression);
      const wanted = `${FOUND.hits.length} hits`;
      await page.until(wanted, (text) => document.querySelector('.find-count')?.textContent === text, wanted);
      return '';
    },
  },
  {
    name: 'sql',
    about: 'SQL has the rows of the native command',
    check: async (page, { url }) => {
      const file = fixture('xray/threads.xray');
      await openedAt(page, url, file);
      await showEditor(page);
      await page.press('Control+a');
      await page.type(COUNT);
      await page.press('Control+Enter');
      const [wanted] = /** @type {RegExpMatchArray} */ (native('sql', file, COUNT).match(/\d+/));
      await page.until(
        wanted,
        (count) => document.querySelector('.query-rows tbody')?.textContent.includes(count),
        wanted,
      );
      return '';
    },
  },
  {
    name: 'keyboard',
    about: 'Keyboard: select a call, go to the next row, read the help',
    check: async (page, { url }) => {
      await openedAt(page, url, fixture('xray/threads.xray'));
      await selectCall(page);
      const said = await page.until('an announcement', () => document.querySelector('#announcer')?.textContent);
      await page.press('ArrowDown');
      await page.until(
        'another',
        (before) => /** @type {Element} */ (document.querySelector('#announcer')).textContent !== before,
        said,
      );
      await page.press('?');
      await page.until('the help', () =>
        document.querySelector('[role=dialog], dialog[open]')?.textContent.includes('Documentation'),
      );
      await page.press('Escape');
      await page.until('no help', () => !document.querySelector('dialog[open]'));
      return '';
    },
  },
  {
    name: 'notes',
    about: 'Notes are written, and are there after a reload',
    check: async (page, { url }) => {
      await openedAt(page, url, fixture('xray/threads.xray'));
      await selectCall(page);
      await page.press('m');
      await page.until('the field', () => /** @type {Element} */ (document.activeElement).matches('input, textarea'));
      await page.press('Control+a');
      await page.type('kept here');
      await page.press('Enter');
      const flagged = () =>
        [...document.querySelectorAll('[aria-label=Notes] button')].some((it) => it.textContent === 'kept here');
      await page.until('the flag', flagged);
      await openedAt(page, url, fixture('xray/threads.xray'));
      await page.until('the flag again', flagged);
      await page.run(() => localStorage.clear());
      return '';
    },
  },
  {
    name: 'export',
    about: 'Exports have the bytes of those of the native command',
    check: async (page, { url }) => {
      await openedAt(page, url, fixture(EXPORTED));
      // In place of the dialogs and downloads of the browser.
      await page.run(() => {
        const saving = /** @type {Saving} */ (window);
        Reflect.deleteProperty(window, 'showSaveFilePicker');
        if (saving.saved !== undefined) return;
        saving.saved = null;
        const create = URL.createObjectURL;
        URL.createObjectURL = (/** @type {Blob} */ blob) => {
          // Workers are scripts.
          if (blob.type !== 'text/javascript') saving.saved = blob;
          return create(blob);
        };
        HTMLAnchorElement.prototype.click = () => undefined;
      });
      await page.until('the button', choose, '.header button', 'Export');
      for (const [format, label] of [
        ['chrome', 'Chrome JSON'],
        ['csv', 'CSV'],
        ['perfetto', 'Perfetto'],
      ]) {
        await page.until(label, choose, '.export-format', label);
        const base64 = await page.until(`${label}, saved`, async () => {
          const saving = /** @type {Saving} */ (window);
          if (saving.saved === null) return null;
          const bytes = new Uint8Array(await saving.saved.arrayBuffer());
          saving.saved = null;
          return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
        });
        const bytes = Buffer.from(base64, 'base64');
        const found = `${bytes.length} bytes, CRC-32 ${crc32(bytes).toString(16).padStart(8, '0')}`;
        if (found !== EXPORTS[format]) throw new Error(`${label}: ${found}, and natively ${EXPORTS[format]}`);
      }
      return '';
    },
  },
  {
    name: 'registers',
    about: 'State of a program: registers and memory at a step',
    check: async (page, { url }) => {
      await openedAt(page, url, fixture('frames/calls.frames'));
      await showTab(page, 'State');
      await goTo(page, 40);
      const shown = () => document.querySelector('[aria-label=Registers]')?.textContent.includes('RAX');
      return said(page, 'registers', shown);
    },
  },
  {
    name: 'state',
    about: 'State of OpenGL at a call',
    check: async (page, { url }) => {
      await openedAt(page, url, fixture(FOUND.file));
      await showTab(page, 'State');
      await goTo(page, FOUND.hits[0]);
      const shown = () => document.querySelector('.gl-head')?.textContent.includes('glDrawElements');
      return said(page, 'OpenGL state', shown);
    },
  },
  {
    name: 'picture',
    about: 'Pictures of OpenGL have the colours of a native replay',
    check: async (page, { url }) => {
      await openedAt(page, `${url}?pictures=now`, fixture(`apitrace/${FIXED.trace}`));
      const sentence = await picture(page);
      if (sentence !== '') return sentence;
      const squares = await page.evaluate(
        `(async () => (${squaresOf})(await (${askPicture})({ call: ${FIXED.call} })))()`,
      );
      if (squares.join() !== SQUARES.join()) throw new Error(`the squares are ${squares.join('; ')}`);
      return '';
    },
  },
  {
    name: 'command',
    about: '`unspool open` serves a trace',
    check: async (page) => {
      const file = fixture('trace_db/variables.trace');
      const child = spawn(NATIVE, ['open', '--no-browser', '--port', '0', '--page', DIST, file], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      try {
        await page.goto(await new Promise((resolve) => createInterface(child.stdout).once('line', resolve)));
        await ready(page, file);
        await sameDigest(page, file);
      } finally {
        child.kill();
      }
      return '';
    },
  },
  {
    name: 'file',
    about: '`unspool.html` from a disk opens the samples',
    check: async (page) => {
      const url = pathToFileURL(ONE_FILE).href;
      await page.goto(url);
      await page.until('the button', choose, '.samples button', '');
      const state = await page.until('an end', () =>
        ['ready', 'failed'].find((it) => it === document.body.dataset['state']),
      );
      if (state === 'failed')
        return page.run(() => /** @type {Element} */ (document.querySelector('[role=alert] p')).textContent.trim());
      await samples(page, url, false);
      await opened(page, fixture('apitrace/replay_views.trace'), false);
      return picture(page);
    },
  },
  {
    // The last one, as the host is gone then.
    name: 'offline',
    about: 'Without a network after one visit: samples, SQL, and pictures where there are any',
    isFirstVisit: true,
    check: async (page, { url, stop }) => {
      await page.goto(url);
      const kept = await page.run(async () => {
        if (!navigator.serviceWorker) return false;
        await navigator.serviceWorker.ready;
        while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 100));
        return true;
      });
      if (!kept) return 'The browser has no service workers.';
      await stop();
      await samples(page, url);
      // All that the page loads when it is first needed.
      const missing = await page.run(async () => {
        const list = await (await fetch('hashes.txt')).text();
        const names = [...list.matchAll(/^\w{64} {2}(?!embedding\/|index\.html$)(.+)$/gm)].map(([, name]) => name);
        const found = await Promise.all(
          names.map((name) =>
            fetch(name).then(
              ({ ok }) => ok,
              () => false,
            ),
          ),
        );
        return names.length > 50 ? names.filter((_, i) => !found[i]).join(' ') : 'the list of files';
      });
      if (missing !== '') throw new Error(`Without a network there is no ${missing}`);
      await showEditor(page);
      await opened(page, fixture('apitrace/replay_views.trace'));
      const sentence = await picture(page);
      return sentence.includes('WebGL2') ? '' : sentence;
    },
  },
];

/**
 * What the native command prints.
 *
 * @param {...string} args
 */
function native(...args) {
  return execFileSync(NATIVE, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
}

/** @type {Map<string, string>} */
const digests = new Map();
/**
 * The digest of a file, of the native command.
 *
 * @param {string} file
 */
function digestOf(file) {
  if (!digests.has(file)) digests.set(file, JSON.parse(native('info', '--json', file)).digest);
  return digests.get(file);
}

/**
 * @param {BrowserPage} page
 * @param {string} file
 */
async function sameDigest(page, file) {
  const found = await page.run(
    () =>
      new Promise((resolve) => {
        /** @param {MessageEvent} event */
        const hear = ({ data }) => {
          if (data?.type !== 'unspool:digested') return;
          window.removeEventListener('message', hear);
          resolve(data.digest);
        };
        window.addEventListener('message', hear);
        window.postMessage({ type: 'unspool:digest' });
      }),
  );
  if (found !== digestOf(file)) throw new Error(`${basename(file)}: digest ${found}, and natively ${digestOf(file)}`);
}

/**
 * Waits until a trace is open and drawn.
 *
 * @param {BrowserPage} page
 * @param {string} file
 */
async function ready(page, file) {
  /** @param {string} name */
  const drawn = (name) => {
    /** @type {NodeListOf<HTMLButtonElement>} */
    const buttons = document.querySelectorAll('.notice button');
    // On a busy machine the trace before took long to read, so the page asks whether it may go.
    [...buttons].find((it) => it.textContent.startsWith('Open'))?.click();
    return (
      document.querySelector('h1')?.textContent.includes(name) &&
      document.body.dataset['state'] === 'ready' &&
      performance.getEntriesByName('unspool:first-picture').length > 0
    );
  };
  await page.until(`${basename(file)}, drawn`, drawn, basename(file));
}

/**
 * Opens a file, which has the digest of the native command. A page from a disk cannot be asked for that: it answers no messages.
 *
 * @param {BrowserPage} page
 * @param {string} file
 */
export async function opened(page, file, isAsked = true) {
  await page.until('the page', () => document.querySelector('#file-input') !== null);
  // A trace of the same name may be open already.
  await page.run(() => performance.clearMarks('unspool:first-picture'));
  await page.choose(file);
  await ready(page, file);
  if (isAsked) await sameDigest(page, file);
}

/**
 * Opens a file in the page of an address.
 *
 * @param {BrowserPage} page
 * @param {string} url
 * @param {string} file
 */
async function openedAt(page, url, file) {
  await page.goto(url);
  await opened(page, file);
}

/**
 * Opens the samples by their buttons.
 *
 * @param {BrowserPage} page
 * @param {string} url
 */
async function samples(page, url, isAsked = true) {
  for (const [place, sample] of SAMPLES.entries()) {
    await page.goto(url);
    /** @param {number} at */
    const click = (at) => {
      const button = document.querySelectorAll('.samples')[at]?.querySelector('button');
      button?.click();
      return button !== undefined && button !== null;
    };
    await page.until('the samples', click, place);
    await ready(page, sample);
    if (isAsked) await sameDigest(page, join(root, 'web', 'public', 'samples', sample));
  }
}

/**
 * Brings a tab to the front.
 *
 * @param {BrowserPage} page
 * @param {string} name
 */
export async function showTab(page, name) {
  await page.until(`the tab ${name}`, choose, '[role=tab]', name);
}

/**
 * Brings the picture to the front. Resolves to what the page says in its place.
 *
 * @param {BrowserPage} page
 */
async function picture(page) {
  await showTab(page, 'Picture');
  return said(page, 'a picture', () => document.querySelector('.picture-canvas') !== null);
}

/**
 * Brings the editor of queries to the front, with the focus.
 *
 * @param {BrowserPage} page
 */
async function showEditor(page) {
  await showTab(page, 'SQL');
  await page.until('the editor', editor);
}

/**
 * Selects a call by the keyboard, and waits for its details. An editor that has the focus keeps it when a file is opened.
 *
 * @param {BrowserPage} page
 */
async function selectCall(page) {
  await page.run(() => /** @type {HTMLElement} */ (document.querySelector('.area')).focus());
  await page.press('Enter');
  await page.until('details', () => document.querySelector('.details')?.textContent.includes('Duration'));
}

/**
 * Selects what is at a position, by the keyboard.
 *
 * @param {BrowserPage} page
 * @param {number} position
 */
async function goTo(page, position) {
  await page.press('Control+p');
  await page.until('the field', () => document.activeElement?.id === 'find-field');
  await page.type(String(position));
  await page.press('Enter');
}

/**
 * Waits for something, or for a sentence of an alert in its place. Resolves to the sentence.
 *
 * @param {BrowserPage} page
 * @param {string} what
 * @param {() => unknown} shown
 * @returns {Promise<string>}
 */
async function said(page, what, shown) {
  const sentence = await page.until(
    what,
    `() => {
    if ((${shown})()) return 'shown';
    return document.querySelector('[role=alert] .remark, .remark[role=alert]')?.textContent.trim();
  }`,
  );
  return sentence === 'shown' ? '' : sentence;
}

/**
 * Runs in the page: clicks the first element that a selector finds and whose text or label begins so.
 *
 * @param {string} selector
 * @param {string} name
 */
function choose(selector, name) {
  /** @type {NodeListOf<HTMLButtonElement>} */
  const all = document.querySelectorAll(selector);
  /** @param {HTMLButtonElement} element */
  const label = (element) => (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent).trim();
  const found = [...all].find((element) => label(element).startsWith(name) && !element.disabled);
  found?.click();
  return found !== undefined;
}

/** Runs in the page: gives the focus to the editor of queries, which has a tree of its own. */
function editor() {
  /** @type {HTMLElement | null | undefined} */
  const text = document.querySelector('.query-editor')?.shadowRoot?.querySelector('[contenteditable]');
  text?.focus();
  const tree = /** @type {ShadowRoot | undefined} */ (text?.getRootNode());
  return tree?.activeElement === text && text !== undefined;
}

/**
 * The number of coloured pixels of the timeline on the screen: what WebGL drew cannot be read from its canvas.
 *
 * @param {BrowserPage} page
 */
async function inked(page) {
  const png = (await page.picture()).toString('base64');
  return page.run(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const box = /** @type {Element} */ (document.querySelector('.area')).getBoundingClientRect();
    const canvas = Object.assign(document.createElement('canvas'), { width: box.width, height: box.height });
    const drawing = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    drawing.drawImage(bitmap, -box.x, -box.y);
    const { data } = drawing.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const parts = [data[i], data[i + 1], data[i + 2]];
      if (Math.max(...parts) - Math.min(...parts) > 24) count += 1;
    }
    return count;
  }, png);
}
