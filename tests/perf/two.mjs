// `node tests/perf/two.mjs A B [--runs N]`: what two traces in one page cost: the time until both are open, and until they are compared
// (functions and flame graph), memory of the renderer beyond the empty page, what is given back with B, and the work of frames beside
// that with one trace. Needs the built page (`npm run build`), and logs such as `unspool generate` makes.

import { parseArgs } from 'node:util';
import { findChromium, say } from '../../scripts/lib.mjs';
import { choose, memoryOf, moving, rendererOf, startPage } from './browser.mjs';
import { percentile } from './frames.mjs';
import { serve } from './serve.mjs';

/** @import { Page } from '@playwright/test' */
/** @import { Started } from './browser.mjs' */
/** @typedef {{ ms: number, now: number, peak: number, after: number, work: number[] }} Cost In ms and bytes. */
/** @typedef {{ one: Cost, both: Cost, compared: Cost }} Run */

const OPEN_MS = 300_000;
const { values, positionals } = parseArgs({ options: { runs: { type: 'string' } }, allowPositionals: true });
const [a, b] = positionals;
if (!b) throw new Error('Give two traces.');
const chromium = /** @type {string} */ (findChromium());
if (!chromium) throw new Error('Chromium is needed: run `node scripts/prepare.mjs test`.');
const server = await serve('dist');
/** @type {Run[]} */
const runs = [];
try {
  for (let run = 0; run < Number(values.runs ?? 3); run += 1) {
    const one = await inPage([a], async ({ page }) => opened(page, 1), true);
    const both = await inPage([a, b], async ({ page }) => opened(page, 2), false);
    const compared = await inPage([a, b], compare, true);
    runs.push({ one, both, compared });
    /** @param {number} ms */
    const seconds = (ms) => (ms / 1000).toFixed(2);
    say(`one ${seconds(one.ms)} s, both ${seconds(both.ms)} s, compared ${seconds(compared.ms)} s`);
  }
} finally {
  server.stop();
}
/** @type {(of: (run: Run) => number, digits: number) => string} */
const spread = (of, digits) => {
  const all = runs.map(of).sort((x, y) => x - y);
  const [low, middle, high] = [all[0], all[Math.floor(all.length / 2)], all[all.length - 1]].map((it) =>
    it.toFixed(digits),
  );
  return `${middle} (${low} to ${high})`;
};
/** @param {(run: Run) => number} of */
const gigabytes = (of) => spread((run) => of(run) / 1e9, 2);
say(`one trace: ${spread(({ one }) => one.ms / 1000, 2)} s, ${gigabytes(({ one }) => one.now)} GB`);
say(`both: ${spread(({ both }) => both.ms / 1000, 2)} s, ${gigabytes(({ both }) => both.now)} GB`);
say(`compared: ${spread(({ compared }) => compared.ms / 1000, 2)} s`);
say(`compared / both: ${spread(({ both, compared }) => compared.ms / both.ms, 2)}`);
say(
  `memory, compared: ${gigabytes(({ compared }) => compared.now)} GB, at most ${gigabytes(({ compared }) => compared.peak)} GB`,
);
say(`memory after B was closed: ${gigabytes(({ compared }) => compared.after)} GB`);
/** @type {[name: string, of: (run: Run) => Cost][]} */
const frames = [
  ['one trace', ({ one }) => one],
  ['two', ({ compared }) => compared],
];
for (const [name, of] of frames) {
  say(`work of frames, ${name}: p95 ${spread((run) => percentile(of(run).work, 0.95), 1)} ms`);
}

/**
 * Opens files in a new page. `wait` resolves once they are as wanted. Returns ms and bytes beyond the empty page, and frame work.
 *
 * @param {readonly string[]} files
 * @param {(started: Started) => Promise<unknown>} wait
 * @param {boolean} moves
 * @returns {Promise<Cost>}
 */
async function inPage(files, wait, moves) {
  const started = await startPage(chromium, server.url);
  try {
    const pid = await rendererOf(started.browser, started.page);
    const empty = memoryOf(pid).now;
    const began = performance.now();
    await choose(started.client, files);
    await wait(started);
    const ms = performance.now() - began;
    const { now, peak } = memoryOf(pid);
    const { work } = moves ? await moving(started) : { work: [] };
    let after = Number.NaN;
    if (files.length > 1) {
      await started.page.getByRole('button', { name: 'Close B' }).click();
      await started.page.waitForTimeout(3000);
      after = memoryOf(pid).now - empty;
    }
    return { ms, now: now - empty, peak: peak - empty, after, work };
  } finally {
    await started.close();
  }
}

/**
 * Waits until a number of traces have been read.
 *
 * @param {Page} page
 * @param {number} count
 */
function opened(page, count) {
  /** @param {number} wanted */
  const isRead = (wanted) => performance.getEntriesByName('unspool:complete').length >= wanted;
  return page.waitForFunction(isRead, count, { timeout: OPEN_MS, polling: 50 });
}

/**
 * Asks for the differences, as soon as there are two traces, and waits for the flame graph.
 *
 * @param {Started} started
 */
async function compare({ page }) {
  await page.getByRole('tab', { name: 'Differences' }).click({ timeout: OPEN_MS });
  await page.locator('.difference-sentence:not(:empty)').waitFor({ timeout: OPEN_MS });
  await page.locator('.differences').getByRole('radio', { name: 'Flame graph' }).click();
  await page.locator('.differences [role=application][aria-busy=false]').waitFor({ timeout: OPEN_MS });
}
