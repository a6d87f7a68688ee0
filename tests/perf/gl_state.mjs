// OpenGL state in the built page: how long the reading of all calls takes, and the state at random calls.
//
//   node tests/perf/gl_state.mjs [FILE …]     # files of apitrace; without any, those of target/bench/corpus

import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { fail, findChromium, root } from '../../scripts/lib.mjs';
import { choose, startPage } from './browser.mjs';
import { percentile } from './frames.mjs';
import { serve } from './serve.mjs';

const ASKED = 200;
const READ_MS = 240_000;

const corpus = join(root, '..', 'shared', 'corpus', 'apitrace', 'recorded', 'glmark2_medium.trace');
const bulk = join(root, 'target', 'bench', 'corpus', 'apitrace-bulk.trace');
const files = process.argv.length > 2 ? process.argv.slice(2) : [corpus, bulk].filter(existsSync);
const chromium = /** @type {string} */ (findChromium());
if (!chromium) fail('Chromium is needed: run `node scripts/prepare.mjs test`.');
const server = await serve('dist');
try {
  for (const path of files) console.log(await measured(path));
} finally {
  server.stop();
}

/**
 * A line about a file: the time to read it, and percentiles of the times of states, in ms.
 *
 * @param {string} path
 */
async function measured(path) {
  const { page, client, close } = await startPage(chromium, server.url);
  try {
    await choose(client, path);
    const ready = () => document.body.dataset['state'] === 'ready';
    await page.waitForFunction(ready, null, { timeout: READ_MS, polling: 100 });
    await page.getByRole('tab', { name: 'State', exact: true }).click();
    const isRead = () => performance.getEntriesByName('unspool:state-read').length > 0;
    await page.waitForFunction(isRead, null, { timeout: READ_MS, polling: 100 });
    const read = await page.evaluate(() => performance.getEntriesByName('unspool:state-read')[0].duration);
    const calls = await page.evaluate(
      () => /** @type {PerformanceMark} */ (performance.getEntriesByName('unspool:complete')[0]).detail.events,
    );
    // The same calls in each run.
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    /** @type {number[]} */
    const times = [];
    for (let i = 0; i < ASKED; i += 1) {
      const call = Math.floor(random() * calls);
      await page.evaluate(() => performance.clearMeasures('unspool:state'));
      await page.keyboard.press('Control+p');
      const field = page.locator('#find-field');
      await field.fill(String(call));
      await field.press('Enter');
      await page.waitForFunction(() => performance.getEntriesByName('unspool:state').length > 0, null, { polling: 20 });
      times.push(await page.evaluate(() => performance.getEntriesByName('unspool:state')[0].duration));
    }
    times.sort((a, b) => a - b);
    /** @param {number} share */
    const at = (share) => `${percentile(times, share).toFixed(1)} ms`;
    const [p50, p95, worst] = [at(0.5), at(0.95), `${times[times.length - 1].toFixed(1)} ms`];
    const load = loadavg()[0].toFixed(1);
    return `${basename(path)}: ${calls} events, read in ${(read / 1000).toFixed(2)} s; state p50 ${p50}, p95 ${p95}, worst ${worst}; load ${load}`;
  } finally {
    await close();
  }
}
