// How long a newcomer waits: from a clean clone, for the page of `npm start` and for `npm test`, and for `npm test` again.
//
//   node scripts/measure.mjs [--only start|test]
//
// Measures the last commit, in a folder that is removed at the end. Downloads are cached beforehand; the machine should have nothing
// else to do, so its load is printed.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { fail, findChromium, options, output, root, say } from './lib.mjs';

const PORT = 4399;
const LONGEST_MS = 3_600_000;

const { only } = options(['only']);
const executablePath = /** @type {string} */ (findChromium());
if (!executablePath) fail('Chromium is needed: run `node scripts/prepare.mjs test`.');
const folder = mkdtempSync(join(tmpdir(), 'unspool-measure-'));
const clone = join(folder, 'unspool');
const shared = join(root, '..', 'shared');
/** @type {string[]} */
const times = [];
try {
  if (existsSync(shared)) symlinkSync(shared, join(folder, 'shared'));
  if (only !== 'test') {
    fresh();
    times.push(`a trace in the page of npm start: ${await measured(untilUsable)}`);
  }
  if (only !== 'start') {
    fresh();
    times.push(`npm test: ${await measured(test)}`, `again: ${await measured(test)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${output('git', ['rev-parse', '--short', 'HEAD'])}`;
say([machine, ...times].join('\n  '));

/** Clones the last commit and downloads crates. Packages of npm are in its cache from the folder that this runs in. */
function fresh() {
  rmSync(clone, { recursive: true, force: true });
  /** @type {[program: string, args: string[], cwd: string][]} */
  const commands = [
    ['git', ['clone', '--quiet', root, clone], folder],
    ['cargo', ['fetch', '--locked'], clone],
    ['cargo', ['fetch', '--locked', '--manifest-path', 'xtask/Cargo.toml'], clone],
  ];
  for (const [program, args, cwd] of commands) {
    if (spawnSync(program, args, { cwd, stdio: 'inherit' }).status !== 0) fail(`${program} ${args[0]} failed.`);
  }
}

/**
 * Seconds that something takes, with the load of the machine before it.
 *
 * @param {() => Promise<void>} what
 */
async function measured(what) {
  const load = loadavg()[0].toFixed(2);
  const began = performance.now();
  await what();
  return `${((performance.now() - began) / 1000).toFixed(0)} s, load before ${load}`;
}

/** Starts the development server, and opens a sample as soon as the page is there. */
async function untilUsable() {
  const server = spawn('npm', ['start', '--', '--port', String(PORT), '--strictPort'], {
    cwd: clone,
    stdio: 'inherit',
    detached: true,
  });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const url = `http://localhost:${PORT}/`;
    while (!(await page.goto(url).catch(() => null))) await delay(200);
    await page.locator('.samples button').first().click({ timeout: LONGEST_MS });
    await page.getByText('Compiling unspool_browser').waitFor();
    await page.waitForFunction(() => performance.getEntriesByName('unspool:first-picture').length > 0, null, {
      timeout: LONGEST_MS,
    });
  } finally {
    await browser.close();
    process.kill(-(/** @type {number} */ (server.pid)));
  }
}

/** To its end, also after a failure: only what passes says how long it takes. */
/** @returns {Promise<void>} */
function test() {
  return new Promise((done) => {
    spawn('npm', ['test', '--', '--keep-going'], { cwd: clone, stdio: 'inherit' }).on('exit', (code) => {
      if (code !== 0) times.push('npm test failed: its time does not count');
      done();
    });
  });
}
