// `npm run firefox`, `npm run webkit` and `npm run chromium`: tries the built page in a browser.
//
//   node scripts/browsers.mjs firefox|webkit|chromium [--only CHECK,…] [--write]
//
// Needs `dist`, `dist-file` and `target/debug/unspool`. Prints what works, and what the page says in place of the rest. --write puts that
// into the browser's column of docs/browsers.md. Exit status 1 if a check fails: if what is tried neither works nor is there a sentence.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../tests/perf/serve.mjs';
import { CHECKS, DIST, NATIVE, ONE_FILE } from './browsers/checks.mjs';
import { writeColumn } from './browsers/document.mjs';
import { lacking, startBrowser } from './browsers/drivers.mjs';
import { fail, root, say } from './lib.mjs';

/** @import { BrowserName, BrowserPage } from './browsers/drivers.mjs' */
/** @import { Check, Host } from './browsers/checks.mjs' */

const MAKES = {
  [join(DIST, 'index.html')]: 'npx vite build',
  [ONE_FILE]: 'npx vite build --mode one-file',
  [NATIVE]: 'cargo build -p unspool-cli',
};

/**
 * Tries the page in a browser. Resolves to the number of checks that failed. With `isWhole`, all must work: a sentence in place of what is
 * tried is a failure.
 *
 * @param {BrowserName} name
 * @param {{ only?: string | undefined, isWhole?: boolean, isWritten?: boolean }} [how]
 */
export async function tryIn(name, { only, isWhole = false, isWritten = false } = {}) {
  for (const [path, command] of Object.entries(MAKES))
    if (!existsSync(path)) fail(`${path} is missing: \`${command}\` makes it.`);
  const host = await serve(DIST);
  let browser;
  const results = [];
  let failures = 0;
  try {
    browser = await startBrowser(name);
    say(`${name} ${browser.version}`);
    for (const { name: what, about, check, isFirstVisit } of CHECKS.filter(
      ({ name: each }) => only?.split(',').includes(each) ?? true,
    )) {
      const began = performance.now();
      if (isFirstVisit) {
        await browser.stop();
        browser = await startBrowser(name);
      }
      const { sentence, error } = await tried(browser.page, check, host);
      results.push({ about, sentence, error });
      const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`;
      console.log(`  ${what}: ${error ?? (sentence === '' ? 'works' : `“${sentence}”`)} (${seconds})`);
      if (error === undefined && (sentence === '' || !isWhole)) continue;
      failures += 1;
      const folder = join(root, 'tests', 'results', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${what.replace(/ /g, '-')}.png`), await browser.page.picture());
    }
  } finally {
    host.stop();
    await browser?.stop();
  }
  if (isWritten) writeColumn(name, browser.version, results);
  return failures;
}

/**
 * What came of a check: a sentence of the page, empty if all works, or an error.
 *
 * @param {BrowserPage} page
 * @param {Check['check']} check
 * @param {Host} host
 */
async function tried(page, check, host) {
  try {
    const sentence = await check(page, host);
    const errors = await page.errors();
    if (errors.length > 0) throw new Error(errors.join('; '));
    return { sentence };
  } catch (error) {
    const others = await page.errors();
    return { sentence: '', error: [/** @type {Error} */ (error).message, ...others].join('; ') };
  }
}

async function main() {
  const [given, ...rest] = process.argv.slice(2);
  const name = /** @type {BrowserName} */ (given);
  if (!['firefox', 'webkit', 'chromium'].includes(name))
    fail('Usage: node scripts/browsers.mjs firefox|webkit|chromium [--only CHECK,…] [--write]');
  const only = rest.includes('--only') ? rest[rest.indexOf('--only') + 1] : undefined;
  const missing = lacking(name);
  if (missing) fail(`${missing}.`);
  const failures = await tryIn(name, { only, isWhole: name !== 'webkit', isWritten: rest.includes('--write') });
  if (failures > 0) fail(`${failures} checks failed in ${name}. Pictures are in tests/results/${name}.`);
}

if (process.argv[1] === import.meta.filename) await main();
