// One run of one input in a new browser: the cost of opening, and the cost of moving around.

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { listing } from './events.mjs';
import { finding } from './finding.mjs';
import { frameWork } from './frames.mjs';
import { gestures } from './gestures.mjs';
import { showFunctions } from './panels.mjs';

/** @import { Browser, BrowserContext, CDPSession, Page } from '@playwright/test' */
/** @typedef {{ page: Page, client: CDPSession }} Session */
/** @typedef {Session & { browser: Browser, close: () => Promise<void> }} Started */
/** @typedef {{ start: number, end: number, exact: boolean, shapes: number }} SeenFrame A frame of the timeline. Times are in ms. */
/** @typedef {Awaited<ReturnType<typeof moving>>} Moved */
/** @typedef {Awaited<ReturnType<typeof exactOf>>} Statistics */
/** @typedef {Awaited<ReturnType<typeof listing>>} Listing */
/** @typedef {Awaited<ReturnType<typeof finding>>} Finding */
/**
 * What {@link measure} finds: with `move`, all but the statistics are there.
 *
 * @typedef {Opening & { peak: number, renderer: string, moved: Moved | null, statistics: Statistics | null, records: Listing | null,
 *   found: Finding | null }} Measured
 */
/** @typedef {{ ms: number, exact: boolean, slices: number }} Answer Statistics of some slices, and what they took. */
/** @typedef {typeof window & { seenFrames: SeenFrame[], lastGesture: number }} Watched */
/**
 * How a trace was opened. Times are in ms. Numbers are undefined if it could not be.
 *
 * @typedef {object} Opening
 * @property {string | undefined} state
 * @property {string} title
 * @property {string} text
 * @property {number} firstPicture
 * @property {number} complete
 * @property {number} events
 * @property {number} bytes
 * @property {number} slices
 * @property {number} storeBytes
 */

/**
 * Without gliding, because the duration of an animation is intentional, and without the service worker, which copies the page once, after the
 * first visit.
 */
const CONTEXT = /** @type {const} */ ({
  viewport: { width: 1440, height: 900 },
  reducedMotion: 'reduce',
  serviceWorkers: 'block',
});
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const OPEN_MS = 240_000;

/**
 * Starts a browser and loads the empty page. `renderer` is the value of `?renderer=`, `args` those of the browser.
 *
 * @param {string} executablePath
 * @param {string} url
 * @param {string} [renderer]
 * @returns {Promise<Started>}
 */
export async function startPage(executablePath, url, renderer, args = ARGS) {
  const browser = await chromium.launch({ executablePath, args });
  const started = await emptyPage(await browser.newContext(CONTEXT), url, renderer);
  return { browser, ...started, close: () => browser.close() };
}

/**
 * As {@link startPage}, with a profile on disk: the private file system of others is in memory.
 *
 * @param {string} executablePath
 * @param {string} url
 * @param {string} profile
 * @returns {Promise<Started>}
 */
export async function startOnDisk(executablePath, url, profile) {
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: ARGS, ...CONTEXT });
  return {
    browser: /** @type {Browser} */ (context.browser()),
    ...(await emptyPage(context, url)),
    close: () => context.close(),
  };
}

/**
 * @param {BrowserContext} context
 * @param {string} url
 * @param {string} [renderer]
 * @returns {Promise<Session>}
 */
async function emptyPage(context, url, renderer) {
  const page = await context.newPage();
  await page.addInitScript(foldDock);
  await page.addInitScript(watchFrames);
  await page.goto(renderer ? `${url}?renderer=${renderer}` : url);
  await page.waitForFunction(() => document.body.dataset['state'] === 'empty');
  return { page, client: await context.newCDPSession(page) };
}

/**
 * Opens `path` and measures; times in ms, memory in bytes. With `move` it also measures panning, zooming and
 * statistics.
 *
 * @param {string} executablePath
 * @param {string} url
 * @param {string} path
 * @param {{ renderer?: string | undefined, move: boolean }} how
 * @returns {Promise<Measured>}
 */
export async function measure(executablePath, url, path, { renderer, move }) {
  const started = await startPage(executablePath, url, renderer);
  const { browser, page, client, close } = started;
  try {
    const pid = await rendererOf(browser, page);
    const empty = memoryOf(pid).now;
    await choose(client, path);
    await page.waitForFunction(
      () => ['ready', 'failed'].includes(/** @type {string} */ (document.body.dataset['state'])),
      null,
      {
        timeout: OPEN_MS,
        polling: 100,
      },
    );
    const opened = await page.evaluate(openingOf);
    if (opened.state === 'failed') throw new Error(`${path} could not be opened: ${opened.text}`);
    await sleep(300);
    const peak = memoryOf(pid).peak - empty;
    const moved = move ? await moving(started) : null;
    const statistics = move && opened.slices > 0 ? await answering(page) : null;
    // A database's records are rows of SQL: a pass over hundreds of millions takes minutes.
    const records = move ? await listing(page, { passes: !path.endsWith('.sqlite') }) : null;
    const found = move ? await finding(page, opened.title, opened.slices) : null;
    return { ...opened, peak, renderer: await rendererName(page), moved, statistics, records, found };
  } finally {
    await close();
  }
}

/**
 * Time to read a file in the page without processing it, in ms.
 *
 * @param {string} executablePath
 * @param {string} url
 * @param {string} path
 */
export async function plainRead(executablePath, url, path) {
  const { page, client, close } = await startPage(executablePath, url);
  try {
    // A separate input, because the page's own input opens the file.
    await page.evaluate(() => {
      const input = document.createElement('input');
      Object.assign(input, { type: 'file', id: 'plain' });
      document.body.append(input);
    });
    await choose(client, path, '#plain');
    return await page.evaluate(async () => {
      const input = /** @type {HTMLInputElement} */ (document.querySelector('#plain'));
      const [file] = /** @type {FileList} */ (input.files);
      const began = performance.now();
      const reader = file.stream().getReader({ mode: 'byob' });
      let buffer = new ArrayBuffer(1024 * 1024);
      for (;;) {
        const { value, done } = await reader.read(new Uint8Array(buffer));
        if (done) return performance.now() - began;
        buffer = value.buffer;
      }
    });
  } finally {
    await close();
  }
}

/**
 * Time in ms from a file to the chart of speedscope, served at `url`.
 *
 * @param {string} executablePath
 * @param {string} url
 * @param {string} path
 */
export async function speedscopeOpens(executablePath, url, path) {
  const browser = await chromium.launch({ executablePath, args: ARGS });
  try {
    const page = await (await browser.newContext({ viewport: CONTEXT.viewport })).newPage();
    await page.goto(url);
    const input = await page.waitForSelector('input[type=file]', { state: 'attached' });
    const before = await page.title();
    const began = performance.now();
    await input.setInputFiles(path);
    // The title changes to the name of the profile once the chart is shown.
    await page.waitForFunction((title) => document.title !== title, before, { timeout: OPEN_MS, polling: 50 });
    return performance.now() - began;
  } finally {
    await browser.close();
  }
}

/**
 * Passes a file, or several, to an input by their paths, without a copy.
 *
 * @param {CDPSession} client
 * @param {string | readonly string[]} path
 */
export async function choose(client, path, selector = '#file-input') {
  const { root } = await client.send('DOM.getDocument');
  const { nodeId } = await client.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  await client.send('DOM.setFileInputFiles', { files: [path].flat().map((each) => resolve(each)), nodeId });
}

/**
 * Pans and zooms. Returns the work of each frame, sorted, and what {@link gestures} returns.
 *
 * @param {Started} started
 */
export async function moving({ browser, page, client }) {
  await browser.startTracing(page, {
    categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  const settled = await gestures(page, client);
  /** @type {import('./frames.mjs').TraceEvent[]} */
  const events = JSON.parse((await browser.stopTracing()).toString()).traceEvents;
  const shapes = await page.evaluate(() => {
    const { seenFrames } = /** @type {Watched} */ (window);
    return Math.max(...seenFrames.map((frame) => frame.shapes));
  });
  return { settled, shapes, ...frameWork(events) };
}

/**
 * Unfolds the dock, which requests the functions of the whole trace. Returns the ms from the request to the first reply
 * and to the exact one.
 *
 * @param {Page} page
 */
export async function answering(page) {
  await showFunctions(page);
  return exactOf(page, Number.POSITIVE_INFINITY);
}

/**
 * The same of a question that was asked before, about fewer than `most` slices.
 *
 * @param {Page} page
 * @param {number} most
 */
export async function exactOf(page, most) {
  const answers = await page.waitForFunction(
    (slices) => {
      const answers = /** @type {PerformanceMeasure[]} */ (performance.getEntriesByName('unspool:statistics'));
      /** @type {Answer[]} */
      const told = answers.map(({ duration, detail }) => ({ ms: duration, ...detail }));
      return told.some((it) => it.exact && it.slices < slices) && told;
    },
    most,
    { timeout: OPEN_MS, polling: 50 },
  );
  const told = /** @type {Answer[]} */ (await answers.jsonValue());
  const { ms: exact } = /** @type {{ ms: number }} */ (told.find((it) => it.exact));
  return { first: told[0].ms, exact, slices: told[0].slices };
}

/** @param {Page} page */
const rendererName = (page) =>
  page.evaluate(() => {
    /** @type {HTMLElement | null} */
    const drawn = document.querySelector('[data-renderer]');
    return drawn?.dataset['renderer'] ?? 'unknown';
  });

/**
 * The renderer process of the page: not one of the browser's own, and busy when the page is.
 *
 * @param {Browser} browser
 * @param {Page} page
 */
export async function rendererOf(browser, page) {
  const client = await browser.newBrowserCDPSession();
  const times = async () => {
    const { processInfo } = await client.send('SystemInfo.getProcessInfo');
    const pages = processInfo.filter(({ type, id }) => type === 'renderer' && !isBrowsersOwn(id));
    return new Map(pages.map(({ id, cpuTime }) => [id, cpuTime]));
  };
  const before = await times();
  await page.evaluate(() => {
    const until = performance.now() + 200;
    while (performance.now() < until);
  });
  const after = await times();
  await client.detach();
  /** @param {number} id */
  const worked = (id) => (after.get(id) ?? 0) - (before.get(id) ?? 0);
  return [...after.keys()].sort((a, b) => worked(b) - worked(a))[0];
}

/** @param {number} pid */
function isBrowsersOwn(pid) {
  return /--(top-chrome-webui|extension-process)/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
}

/**
 * Bytes of a process in memory, now and at most so far.
 *
 * @param {number} pid
 */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  /** @param {string} name */
  const bytes = (name) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN);
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/**
 * Has the peak of a process' memory begin with what it has now. Only Linux can.
 *
 * @param {number} pid
 */
export function forgetPeak(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/**
 * Runs in the page.
 *
 * @returns {Opening}
 */
export function openingOf() {
  /** @type {(name: string) => any} */
  const mark = (name) => performance.getEntriesByName(name)[0];
  const [open, first, complete] = ['open', 'first-picture', 'complete'].map((name) => mark(`unspool:${name}`));
  const { events, bytes, slices, storeBytes } = complete?.detail ?? {};
  return {
    state: document.body.dataset['state'],
    title: document.querySelector('.chip')?.textContent ?? '',
    text: document.body.innerText.slice(0, 200),
    firstPicture: first && first.startTime - open.startTime,
    complete: complete && complete.startTime - open.startTime,
    events,
    bytes,
    slices,
    storeBytes,
  };
}

/** Runs in the page before its scripts: folds the dock, because statistics and table rows are measured later. */
function foldDock() {
  localStorage.setItem('unspool:dock', JSON.stringify({ open: false }));
}

/** Runs in the page before its scripts: records the details of `unspool:frame` and the time of the last gesture. */
function watchFrames() {
  const watched = /** @type {Watched} */ (window);
  watched.seenFrames = [];
  watched.lastGesture = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration, detail } of /** @type {PerformanceMeasure[]} */ (list.getEntries())) {
      if (detail?.frame) watched.seenFrames.push({ start: startTime, end: startTime + duration, ...detail });
    }
  }).observe({ type: 'measure' });
  for (const type of ['wheel', 'pointermove', 'keydown']) {
    addEventListener(type, () => (watched.lastGesture = performance.now()), { capture: true, passive: true });
  }
}
