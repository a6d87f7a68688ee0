// `npm run firefox`: opens the built page in Firefox: online, without a network, and as one file from a disk. Needs `dist` and `dist-file`
// (`npm run release` makes both).
//
// Firefox is that of the system, or Debian's firefox-esr, unpacked into the cache. puppeteer-core speaks WebDriver BiDi to it, and comes
// from npm. With a screen of its own (Xvfb) it has WebGL2, which Firefox without windows has not.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from '../tests/perf/serve.mjs';
import { cache, fail, find, must, root, say } from './lib.mjs';

const PUPPETEER = '24.43.1';
/** Milliseconds for anything that is waited for. Machines are shared. */
const PATIENCE_MS = 30_000;
const SAMPLES = ['threads.xray', 'scene.trace', 'calls.frames', 'variables.trace', 'blocks.sqlite'];
const DRAWN = join(root, 'tests', 'fixtures', 'apitrace', 'replay_views.trace');
const ONE_FILE = join(root, 'dist-file', 'unspool.html');

/** Starts Firefox with a screen of its own. `open` returns a page and the errors that it reports. */
export async function startFirefox() {
  const executablePath = await firefox();
  const { default: puppeteer } = await driver();
  const screen = await display();
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: false,
    timeout: PATIENCE_MS,
    protocolTimeout: 2 * PATIENCE_MS,
    env: { ...process.env, DISPLAY: screen.name, LIBGL_ALWAYS_SOFTWARE: '1' },
    extraPrefsFirefox: { 'webgl.force-enabled': true },
  });
  return {
    version: await browser.version(),
    open: async () => {
      const page = await browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.setViewport({ width: 1440, height: 900 });
      const errors = [];
      page.on('pageerror', (error) => errors.push(error.message));
      return { page, errors };
    },
    stop: async () => {
      await browser.close();
      screen.end();
    },
  };
}

/** The path of Firefox. Unpacks it where it is not installed, which needs Debian, but not root. */
async function firefox() {
  const folder = join(cache, 'firefox');
  const unpacked = join(folder, 'usr', 'lib', 'firefox-esr', 'firefox-esr');
  const found = find(process.env.FIREFOX, 'firefox-esr', 'firefox', unpacked);
  if (found) return found;
  if (!find('apt-get') || !find('dpkg')) fail('Firefox is needed: install it, or set FIREFOX to its path.');
  say(`unpacking firefox-esr into ${folder}`);
  mkdirSync(folder, { recursive: true });
  const script = 'cd "$1" && apt-get download -q firefox-esr && dpkg -x firefox-esr_*.deb . && rm firefox-esr_*.deb';
  await must('sh', ['-c', script, 'sh', folder]);
  return unpacked;
}

async function driver() {
  const folder = join(cache, `puppeteer-core-${PUPPETEER}`);
  const module = join(folder, 'node_modules', 'puppeteer-core', 'lib', 'esm', 'puppeteer', 'puppeteer-core.js');
  if (!existsSync(module)) {
    say(`installing puppeteer-core into ${folder}`);
    mkdirSync(folder, { recursive: true });
    await must('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', `puppeteer-core@${PUPPETEER}`]);
  }
  return import(pathToFileURL(module).href);
}

/** A screen of its own. Resolves once it is there. */
function display() {
  const program = find('Xvfb');
  if (!program) fail('Xvfb is needed: on Debian, `apt-get install xvfb`.');
  const child = spawn(program, ['-displayfd', '1', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.stdout.once('data', (number) => resolve({ name: `:${String(number).trim()}`, end: () => child.kill() }));
  });
}

/** Waits until a trace is open and drawn. */
async function ready(page, name) {
  const drawn = (wanted) =>
    document.querySelector('h1')?.textContent.includes(wanted) &&
    document.body.dataset.state === 'ready' &&
    performance.getEntriesByName('unspool:first-picture').length > 0;
  await page.waitForFunction(drawn, {}, name);
}

async function choose(page, file) {
  const input = await page.waitForSelector('#file-input');
  await input.uploadFile(file);
  await ready(page, basename(file));
}

/** Clicks the first element that a selector finds with a text, once there is one. */
async function click(page, selector, text) {
  const found = await page.waitForFunction(
    (of, wanted) => [...document.querySelectorAll(of)].find((element) => element.textContent.trim() === wanted),
    {},
    selector,
    text,
  );
  await found.evaluate((element) => element.click());
}

/** Opens the samples by their buttons, which are in the order of the list. */
async function samples(page, url) {
  for (const sample of SAMPLES) {
    await page.goto(url);
    await page.waitForSelector('.samples button');
    await page.evaluate((place) => document.querySelectorAll('.samples')[place].querySelector('button').click(), SAMPLES.indexOf(sample));
    await ready(page, sample);
  }
}

/** Replays a trace, in a worker of its own. */
async function replayed(page) {
  await choose(page, DRAWN);
  await click(page, '[role=tab]', 'Picture');
  await page.waitForSelector('.picture-canvas');
}

const CHECKS = {
  online: async (page, { url }) => {
    await samples(page, url);
    await replayed(page);
  },
  'without a network': async (page, { url, stop }) => {
    await page.goto(url);
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 100));
    });
    stop();
    await samples(page, url);
    await replayed(page);
  },
  'from a disk': async (page) => {
    await samples(page, pathToFileURL(ONE_FILE).href);
    await replayed(page);
  },
};

/** Runs the checks in one browser, and fails after the first that does not hold. */
async function main() {
  for (const path of [join(root, 'dist', 'index.html'), ONE_FILE]) {
    if (!existsSync(path)) fail(`${path} is missing: npm run release makes it.`);
  }
  const host = await serve(join(root, 'dist'));
  const browser = await startFirefox();
  say(browser.version);
  try {
    for (const [name, check] of Object.entries(CHECKS)) {
      const { page, errors } = await browser.open();
      const start = performance.now();
      await check(page, host);
      if (errors.length > 0) throw new Error(errors.join('\n'));
      say(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
      await page.close();
    }
  } finally {
    host.stop();
    await browser.stop();
  }
}

if (process.argv[1] === import.meta.filename) await main();
