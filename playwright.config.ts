import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const port = Number(process.env['E2E_PORT'] ?? 4173);
const prefix = '/a/b/';

const chromium = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
// Without windows, tests take two thirds of the time.
const headless = [process.env['CHROMIUM_HEADLESS'] ?? '/usr/bin/chromium-headless-shell'].find(existsSync);

/** A browser that only tests use. */
const browser = (executablePath: string) => ({
  launchOptions: {
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  },
});

/**
 * Tests say by a tag what they need a browser for. Those without one run in Node (`tests/engine/playwright.ts`): figures, rows, sentences,
 * keys, menus, links as text.
 */
const BROWSER = /@(axe|aria|dialog|drop|focus|layout|network|pixels|pointer|start|storage|webgl|worker)\b/;

export default defineConfig({
  testDir: 'tests/e2e',
  grep: BROWSER,
  // Waits are for what must happen: only what hangs fails by the clock, on any machine.
  timeout: 180_000,
  expect: { timeout: 45_000 },
  // Beginnings of names; see scripts/test.mjs.
  testIgnore: (process.env['E2E_LEAVE_OUT'] ?? '')
    .split(',')
    .filter(Boolean)
    .map((name) => `**/${name}*.spec.ts`),
  outputDir: 'tests/results',
  reporter: process.env['CI'] ? [['list'], ['github']] : 'list',
  forbidOnly: Boolean(process.env['CI']),
  // A test that needs a second try is a fault of the test or of the page: it is to be seen.
  retries: 0,
  // One worker per core of a typical machine; each page also has its own web worker.
  workers: 2,
  use: {
    baseURL: `http://127.0.0.1:${port}${prefix}`,
    viewport: { width: 1440, height: 900 },
    // Recording one takes a sixth of the browsers' time.
    trace: 'off',
    // Each test has an empty browser, which would keep all of the page.
    serviceWorkers: 'block',
  },
  projects: headless
    ? [
        { name: 'page', use: browser(headless), grepInvert: /@dialog\b/ },
        { name: 'dialogs', use: browser(chromium), grep: /@dialog\b/ },
      ]
    : [{ name: 'page', use: browser(chromium) }],
  webServer: {
    // A sub-path verifies that the page does not depend on its location.
    command: `node scripts/serve.mjs --dir dist --prefix ${prefix} --port ${port}`,
    url: `http://127.0.0.1:${port}${prefix}`,
    // A server that already runs could serve another build.
    reuseExistingServer: false,
  },
});
