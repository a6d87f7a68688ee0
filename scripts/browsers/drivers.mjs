// Three browsers behind one interface: Chromium by Playwright, Firefox by WebDriver BiDi (puppeteer-core), WebKitGTK by WebDriver.
//
// Firefox and WebKitGTK get a screen of their own (Xvfb), and draw with Mesa's software. Firefox has no WebGL2 without windows.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { cache, find, findChromium, must, say } from '../lib.mjs';

/** @typedef {'chromium' | 'firefox' | 'webkit'} BrowserName */
/**
 * The page of a driver.
 *
 * @typedef {object} DriversPage
 * @property {(url: string) => Promise<unknown>} goto
 * @property {(text: string) => Promise<any>} evaluate The value of an expression, awaited.
 * @property {(path: string) => Promise<void>} choose A file, in the page's input.
 * @property {(key: string) => Promise<unknown>} press As in `Control+f`.
 * @property {(text: string) => Promise<unknown>} type
 * @property {() => Promise<Buffer>} picture A PNG of what it shows.
 * @property {() => Promise<string[]>} errors The uncaught errors since the last call.
 * @property {import('@playwright/test').Page} [own] Playwright's page, for what only Chromium tells.
 */
/**
 * What waits for a page. Functions run in it, and their arguments and results are JSON.
 *
 * @typedef {object} Waiting
 * @property {<Given extends unknown[], Found>(work: (...args: Given) => Found, ...args: Given) => Promise<Awaited<Found>>} run
 * @property {<Found>(what: string, ask: () => Promise<Found>) => Promise<NonNullable<Found>>} polled Asks until the answer is true, and
 *   resolves to it. Fails with what the page says in its place.
 * @property {<Given extends unknown[], Found>(what: string, work: string | ((...args: Given) => Found), ...args: Given) =>
 *   Promise<NonNullable<Awaited<Found>>>} until The same of a function in the page.
 */
/** @typedef {DriversPage & Waiting} BrowserPage */
/**
 * A browser that runs. `version` is what it says of itself.
 *
 * @typedef {{ version: string, page: DriversPage, stop: () => Promise<void> }} Started
 */

const PUPPETEER = '24.43.1';
/** Milliseconds for anything that is waited for. Machines are shared. */
const PATIENCE_MS = 30_000;
const POLL_MS = 50;
const VIEW = { width: 1440, height: 900 };
/** Codes of keys in WebDriver: https://www.w3.org/TR/webdriver2/#keyboard-actions */
/** @type {Record<string, string>} */
const KEYS = {
  Enter: '\uE007',
  Escape: '\uE00C',
  Control: '\uE009',
  Shift: '\uE008',
  ArrowDown: '\uE015',
  ArrowUp: '\uE013',
  End: '\uE010',
};
const LIBRARIES = '/usr/lib/x86_64-linux-gnu';

/** Lists uncaught errors where a driver does not tell them: the last is that of a policy that was broken. */
const HOOK = `if (!window.hooked) {
  window.hooked = [];
  addEventListener('error', (event) => event.message && hooked.push(event.message));
  addEventListener('unhandledrejection', (event) => hooked.push(String(event.reason)));
  addEventListener('securitypolicyviolation', (event) => hooked.push(event.violatedDirective + ' ' + event.blockedURI));
}`;

/**
 * What a browser lacks to be started here, as a sentence; undefined if nothing.
 *
 * @param {BrowserName} name
 */
export function lacking(name) {
  const needs = {
    chromium: [['Chromium', findChromium(), 'chromium']],
    firefox: [
      ['Firefox', findFirefox(), 'firefox-esr'],
      ['Xvfb', find('Xvfb'), 'xvfb'],
    ],
    webkit: [
      ['WebKitGTK', findWebKit(), 'webkit2gtk-driver'],
      ['Xvfb', find('Xvfb'), 'xvfb'],
    ],
  };
  const missing = needs[name].filter(([, path]) => !path);
  if (missing.length === 0) return undefined;
  const packages = missing.map(([, , debian]) => debian).join(' ');
  return `${missing.map(([thing]) => thing).join(' and ')} missing: on Debian, \`apt-get install ${packages}\``;
}

export const findWebKit = () => find('WebKitWebDriver') && miniBrowser();
export const findFirefox = () => find(process.env['FIREFOX'], 'firefox-esr', 'firefox');

/**
 * Starts a browser that keeps nothing of earlier runs. `page` is its only page.
 *
 * @param {BrowserName} name
 */
export async function startBrowser(name) {
  const { page, ...browser } = await { chromium, firefox, webkit }[name]();
  return { name, ...browser, page: withWaiting(page) };
}

/**
 * The page of a driver with what waits.
 *
 * @param {DriversPage} page
 * @returns {BrowserPage}
 */
function withWaiting(page) {
  /** @type {(work: unknown, ...args: readonly unknown[]) => Promise<any>} */
  const run = (work, ...args) => page.evaluate(`(${work})(...${JSON.stringify(args)})`);
  /** @type {(what: string, ask: () => Promise<any>) => Promise<any>} */
  const polled = async (what, ask) => {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = await ask();
      if (found) return found;
      if (Date.now() > end)
        throw new Error(`${what}: not after ${PATIENCE_MS / 1000} s. The page says: ${await run(sentences)}`);
      await delay(POLL_MS);
    }
  };
  return {
    ...page,
    run,
    polled,
    until: (what, work, ...args) => polled(what, () => run(work, ...args)),
  };
}

/** What a page says just now, for a test that has waited in vain. */
function sentences() {
  const all = [...document.querySelectorAll('[role=alert], [role=status], .notice, .panel-note')].map((it) =>
    it.textContent.trim(),
  );
  return [document.body.dataset['state'], ...all.filter(Boolean)].join(' | ').slice(0, 500);
}

/** @returns {Promise<Started>} */
async function chromium() {
  const { chromium: engine } = await import('@playwright/test');
  const args = [
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
  ];
  const browser = await engine.launch({ executablePath: /** @type {string} */ (findChromium()), args });
  const page = await (await browser.newContext({ viewport: VIEW })).newPage();
  /** @type {string[]} */
  const found = [];
  page.on('pageerror', (error) => found.push(error.message));
  return {
    version: browser.version(),
    page: {
      goto: (url) => page.goto(url),
      evaluate: (text) => page.evaluate(text),
      choose: (path) => page.setInputFiles('#file-input', path),
      press: (key) => page.keyboard.press(key),
      type: (text) => page.keyboard.type(text),
      picture: () => page.screenshot(),
      errors: async () => found.splice(0),
      own: page,
    },
    stop: () => browser.close(),
  };
}

/** @returns {Promise<Started>} */
async function firefox() {
  const { default: puppeteer } = await puppeteerCore();
  const screen = await startScreen();
  const starting = puppeteer.launch({
    browser: 'firefox',
    executablePath: findFirefox(),
    headless: false,
    timeout: PATIENCE_MS,
    protocolTimeout: 2 * PATIENCE_MS,
    env: { ...process.env, ...screen.env },
    extraPrefsFirefox: { 'webgl.force-enabled': true },
  });
  starting.catch(screen.end);
  const browser = await starting;
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.setViewport(VIEW);
  /** @type {string[]} */
  const found = [];
  page.on('pageerror', (/** @type {Error} */ error) => found.push(error.message));
  return {
    version: (await browser.version()).replace(/^firefox\//, ''),
    page: {
      goto: async (url) => {
        // An import that a navigation breaks off is an uncaught error.
        await page.waitForNetworkIdle({ idleTime: 200 });
        await page.goto(url);
      },
      evaluate: (text) => page.evaluate(text),
      choose: async (path) => (await page.waitForSelector('#file-input')).uploadFile(path),
      press: async (key) => {
        const keys = key.split('+');
        for (const each of keys) await page.keyboard.down(each);
        for (const each of keys.reverse()) await page.keyboard.up(each);
      },
      type: (text) => page.keyboard.type(text),
      picture: async () => Buffer.from(await page.screenshot()),
      errors: async () => found.splice(0),
    },
    stop: async () => {
      await browser.close();
      screen.end();
    },
  };
}

/**
 * The driver of Firefox, from npm, which is not installed where types are checked.
 *
 * @returns {Promise<any>}
 */
async function puppeteerCore() {
  const folder = join(cache, `puppeteer-core-${PUPPETEER}`);
  const module = join(folder, 'node_modules', 'puppeteer-core', 'lib', 'esm', 'puppeteer', 'puppeteer-core.js');
  if (!existsSync(module)) {
    say(`installing puppeteer-core into ${folder}`);
    mkdirSync(folder, { recursive: true });
    await must('npm', [
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `puppeteer-core@${PUPPETEER}`,
    ]);
  }
  return import(pathToFileURL(module).href);
}

/** The browser that WebKitGTK comes with. */
function miniBrowser() {
  const folders = existsSync(LIBRARIES) ? readdirSync(LIBRARIES).filter((name) => name.startsWith('webkit2gtk-')) : [];
  return find('MiniBrowser', ...folders.map((name) => join(LIBRARIES, name, 'MiniBrowser')));
}

/** @returns {Promise<Started>} */
async function webkit() {
  const screen = await startScreen();
  const port = await freePort();
  const driver = spawn(/** @type {string} */ (find('WebKitWebDriver')), [`--port=${port}`, '--host=127.0.0.1'], {
    stdio: 'ignore',
    // Its sandbox needs user namespaces, which root in a container may not have.
    env: { ...process.env, ...screen.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' },
  });
  /** @type {(method: string, path: string, body?: unknown) => Promise<any>} */
  const ask = async (method, path, body) => {
    const init = { method, ...(body ? { body: JSON.stringify(body) } : {}) };
    const { value } = await (await fetch(`http://127.0.0.1:${port}${path}`, init)).json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(POLL_MS)) {
    if (await ask('GET', '/status').catch(() => null)) break;
  }
  const options = { binary: miniBrowser(), args: ['--automation'] };
  const end = () => {
    driver.kill();
    screen.end();
  };
  const starting = ask('POST', '/session', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } });
  starting.catch(end);
  const { sessionId, capabilities } = await starting;
  const session = `/session/${sessionId}`;
  await ask('POST', `${session}/window/rect`, { x: 0, y: 0, ...VIEW });
  await ask('POST', `${session}/timeouts`, { script: 2 * PATIENCE_MS, pageLoad: PATIENCE_MS });
  /** @param {string} text */
  const evaluate = async (text) => {
    const script = `const done = arguments[0];
      (async () => ${text})().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = await ask('POST', `${session}/execute/async`, { script, args: [] });
    if (error) throw new Error(error);
    return value;
  };
  /** @param {readonly { type: string, value: string }[]} actions */
  const keys = (actions) => ask('POST', `${session}/actions`, { actions: [{ type: 'key', id: 'keyboard', actions }] });
  /** @param {string} type */
  const key = (type) => (/** @type {string} */ value) => ({ type, value: KEYS[value] ?? value });
  return {
    version: capabilities.browserVersion,
    page: {
      goto: async (url) => {
        await ask('POST', `${session}/url`, { url });
        await evaluate(`{ ${HOOK} }`);
      },
      evaluate,
      choose: async (path) => {
        const element = await ask('POST', `${session}/element`, { using: 'css selector', value: '#file-input' });
        await ask('POST', `${session}/element/${Object.values(element)[0]}/value`, { text: path });
      },
      press: (value) => {
        const parts = value.split('+');
        return keys([...parts.map(key('keyDown')), ...parts.reverse().map(key('keyUp'))]);
      },
      type: (text) => keys([...text].flatMap((letter) => [key('keyDown')(letter), key('keyUp')(letter)])),
      picture: async () => Buffer.from(await ask('GET', `${session}/screenshot`), 'base64'),
      errors: () => evaluate('window.hooked?.splice(0) ?? []'),
    },
    stop: async () => {
      await ask('DELETE', session).catch(() => undefined);
      end();
    },
  };
}

/**
 * A screen of its own. Resolves once it is there.
 *
 * @returns {Promise<{ env: NodeJS.ProcessEnv, end: () => void }>}
 */
function startScreen() {
  const args = ['-displayfd', '1', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'];
  const child = spawn(/** @type {string} */ (find('Xvfb')), args, { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.stdout.once('data', (number) => {
      const env = { DISPLAY: `:${String(number).trim()}`, LIBGL_ALWAYS_SOFTWARE: '1' };
      resolve({ env, end: () => child.kill() });
    });
  });
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
