import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import manifest from '../../package.json' with { type: 'json' };
import { fixture, open, pictured, recordWorkers, test, traceWorkers } from './page.ts';

const DIST = join(import.meta.dirname, '../../dist');
/** All files of the page are loaded. */
const CHECKED = { timeout: 20_000 };

test('shows version, commit and licences, and checks the hashes of its files', { tag: '@network' }, async ({
  page,
}) => {
  await page.getByRole('button', { name: 'Help' }).click();
  await page.getByRole('button', { name: 'About' }).click();
  const about = page.getByRole('dialog', { name: `Unspool ${manifest.version}` });
  await expect(about).toContainText(/Commit ([\da-f]{40}|unknown)/);
  await expect(about.locator('.about-hash')).toHaveText(/^[\da-f]{64}$/);
  await about.getByRole('button', { name: 'Check files' }).click();
  await expect(about.getByRole('status')).toContainText(/All \d+.files have the hashes of the list/, CHECKED);
  const [licences] = await Promise.all([
    page.waitForEvent('popup'),
    about.getByRole('link', { name: /Licences/ }).click(),
  ]);
  await expect(licences.locator('body')).toContainText('Licences of what this page contains');
});

test('says which files are not those of the list', { tag: '@network' }, async ({ page }) => {
  await page.route('**/icon.svg', (route) => route.fulfill({ body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }));
  // The command is there once the page is idle.
  await expect(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('about unspool');
    await page.getByRole('option', { name: /About Unspool/ }).click({ timeout: 1000 });
  }).toPass();
  await page.getByRole('button', { name: 'Check files' }).click();
  await expect(page.getByRole('dialog').getByRole('status')).toContainText(/differ from the list: icon\.svg$/, CHECKED);
});

test('has the licences of all that is in dist', { tag: '@network' }, () => {
  const licences = readFileSync(join(DIST, 'licenses.txt'), 'utf8');
  // Modules say where a panic would be: they name most crates that they were built from.
  const assets = join(DIST, 'assets');
  const crates = new Set<string>();
  for (const name of readdirSync(assets).filter((file) => file.endsWith('.wasm'))) {
    const text = readFileSync(join(assets, name), 'latin1');
    for (const [, crate, version] of text.matchAll(
      /index\.crates\.io-[\da-f]+[/\\]([\w-]+?)-(\d+\.\d+\.\d+[\w.+-]*)[/\\]/g,
    )) {
      crates.add(`${crate} ${version}`);
    }
  }
  expect(crates.size).toBeGreaterThan(10);
  const packages = Object.entries(manifest.dependencies).map(([name, version]) => `${name} ${version}`);
  expect([...crates, ...packages].filter((name) => !licences.includes(`\n${name} (`))).toEqual([]);
});

test('offers a report of a failure, without names, and shows it before it is copied', { tag: '@worker' }, async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await traceWorkers(page)[0]!.evaluate(() => {
    setTimeout(() => {
      throw new Error('threads.xray of /home/anna/secret/threads.xray');
    });
  });
  await page.getByRole('button', { name: 'Copy report…' }).click();
  const report = page.getByRole('dialog', { name: 'Report' });
  const text = await report.getByRole('textbox').inputValue();
  expect(text).toContain(`Unspool ${manifest.version}, commit `);
  expect(text).toContain('browser: Mozilla/5.0');
  expect(text).toContain('trace: XRay FDR 5, ready');
  expect(text).toMatch(/[\d.]+ s, worker: .*Error: \[name\] of \[path\]/);
  expect(text).not.toMatch(/threads|anna|localhost|127\.0\.0\.1/);
  expect(await page.evaluate(() => navigator.clipboard.readText())).not.toBe(text);
  await report.getByRole('button', { name: 'Copy report' }).click();
  await expect(report.getByRole('status')).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
  await report.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Dismiss the failure' }).click();
  await expect(page.getByRole('button', { name: 'Copy report…' })).toBeHidden();
});

test('has the stack of a trap that a worker caught', { tag: '@worker' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await expect.poll(() => recordWorkers(page).length).toBe(1);
  // As what a service does with anything that should not have been thrown.
  await recordWorkers(page)[0]!.evaluate(() =>
    self.postMessage({ failed: 'RuntimeError: unreachable\n    at wasm-function[7]' }),
  );
  await page.getByRole('button', { name: 'Copy report…' }).click();
  await expect(page.getByRole('textbox', { name: 'Text of the report' })).toHaveValue(
    /records: RuntimeError: unreachable\n {4}at wasm-function\[7\]/,
  );
});
