// Pictures of an apitrace in the built page: from the click on Picture until the last frame is there, and jumps after that.
//
//   node tests/perf/pictures.mjs [FILE:FRAME …]     # without any, recordings of the corpus

import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { fail, findChromium, root } from '../../scripts/lib.mjs';
import { choose, startPage } from './browser.mjs';
import { serve } from './serve.mjs';

/** @typedef {typeof window & { longest: number }} Watched */

const RUNS = 5;
const JUMPS = 6;
const OPEN_MS = 240_000;
/** WebGL2 without a GPU, as in the browser tests. */
const ARGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

const apitrace = join(root, '..', 'shared', 'corpus', 'apitrace');
const recordings = [
  'recorded/glmark2_medium.trace:4330',
  'modern/gtk4_widgets.trace:24',
  'recorded/glxgears_3s.trace:448',
  'recorded/glmix_3f.trace:2',
];
const given = process.argv.length > 2 ? process.argv.slice(2) : recordings.map((name) => join(apitrace, name));
const chromium = /** @type {string} */ (findChromium());
if (!chromium) fail('Chromium is needed: run `node scripts/prepare.mjs test`.');
const server = await serve('dist');
try {
  for (const each of given) {
    const [path = '', frame = '0'] = each.split(':');
    if (!existsSync(path)) console.log(`skipped: ${path} is not here`);
    else console.log(await measured(path, frame));
  }
} finally {
  server.stop();
}

/**
 * A line about a trace: the times of all runs in ms, in order.
 *
 * @param {string} path
 * @param {string} frame
 */
async function measured(path, frame) {
  /** @type {[number[], number[], number[]]} */
  const [firsts, jumps, tasks] = [[], [], []];
  for (let run = 0; run < RUNS; run += 1) {
    const found = await once(path, frame);
    firsts.push(found.first);
    jumps.push(...found.jumps);
    tasks.push(found.longest);
  }
  /** @param {readonly number[]} times */
  const inOrder = (times) => times.map(Math.round).sort((a, b) => a - b);
  const [fastest, slowest] = [inOrder(jumps)[0], inOrder(jumps).at(-1)];
  const longest = Math.round(Math.max(...tasks));
  const load = loadavg()[0].toFixed(1);
  return `${basename(path)}: frame ${frame} after ${inOrder(firsts).join(' ')} ms; jumps ${fastest} to ${slowest} ms; longest task ${longest} ms; load ${load}`;
}

/**
 * @param {string} path
 * @param {string} frame
 */
async function once(path, frame) {
  const { page, client, close } = await startPage(chromium, server.url, undefined, ARGS);
  try {
    await choose(client, path);
    await page.waitForFunction(() => document.body.dataset['state'] === 'ready', null, {
      timeout: OPEN_MS,
      polling: 100,
    });
    await page.keyboard.press('Control+p');
    const field = page.locator('#find-field');
    await field.fill(`frame ${frame}`);
    await field.press('Enter');
    // The page is idle by then.
    await page.waitForTimeout(2000);
    const first = await page.evaluate(fromClick);
    const calls = await page.evaluate(
      () => /** @type {PerformanceMark} */ (performance.getEntriesByName('unspool:complete')[0]).detail.events,
    );
    /** @type {number[]} */
    const jumps = [];
    for (let i = 1; i <= JUMPS; i += 1) {
      // Back and forth, to calls that were not shown.
      const call = Math.floor((calls * (((i * 5) % JUMPS) + 1)) / (JUMPS + 1));
      jumps.push(await page.evaluate(untilPicture, call));
    }
    return { first, jumps, longest: await page.evaluate(() => /** @type {Watched} */ (window).longest) };
  } finally {
    await close();
  }
}

/**
 * Clicks on Picture. Resolves with the milliseconds until there is one.
 *
 * @returns {Promise<number>}
 */
function fromClick() {
  const watched = /** @type {Watched} */ (window);
  watched.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest, duration);
  }).observe({ type: 'longtask' });
  const began = performance.now();
  /** @type {NodeListOf<HTMLElement>} */
  const tabs = document.querySelectorAll('[role=tab]');
  /** @type {HTMLElement} */ ([...tabs].find((tab) => tab.textContent.trim() === 'Picture')).click();
  return new Promise((resolve) => {
    const look = () => {
      if (document.querySelector('[role=img][aria-label^="Picture of"]')) resolve(performance.now() - began);
      else requestAnimationFrame(look);
    };
    look();
  });
}

/**
 * Resolves with the milliseconds until the picture after a call is there.
 *
 * @param {number} call
 * @returns {Promise<number>}
 */
function untilPicture(call) {
  const began = performance.now();
  return new Promise((resolve) => {
    /** @param {MessageEvent} event */
    const hear = ({ data }) => {
      if (data?.type !== 'unspool:pictured') return;
      window.removeEventListener('message', hear);
      resolve(performance.now() - began);
    };
    window.addEventListener('message', hear);
    window.postMessage({ type: 'unspool:picture', call });
  });
}
