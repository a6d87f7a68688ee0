import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test as base, expect, type Page } from '@playwright/test';
import { SAMPLES } from '../../web/app/formats.ts';
import { SWIFTSHADER } from './gpu.ts';
import { fixture, inked, open, pictured, settled, showCalls, showPanel } from './page.ts';

const FILE = join(import.meta.dirname, '../../dist-file/unspool.html');

const test = base.extend<{ page: Page }>({
  launchOptions: SWIFTSHADER,
  page: async ({ page }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    // Nothing is fetched but the page.
    page.on('request', (request) => /^(file|https?):/.test(request.url()) && requests.add(request.url()));
    const requests = new Set<string>();
    await page.addInitScript(() => {
      for (const picker of ['showOpenFilePicker', 'showSaveFilePicker']) Reflect.deleteProperty(window, picker);
    });
    expect(existsSync(FILE), 'run `npx vite build --mode one-file`').toBe(true);
    await page.goto(pathToFileURL(FILE).href);
    await use(page);
    expect([...requests]).toEqual([pathToFileURL(FILE).href]);
    expect(errors).toEqual([]);
  },
});

test('opens all samples from a disk, and says what it cannot do', { tag: '@start' }, async ({ page }) => {
  test.slow();
  await expect(page.getByText('This page is a file.')).toBeVisible();
  for (const { path, name, about } of SAMPLES) {
    await page.getByRole('button', { name: `${name} ${about}` }).click();
    await settled(page, 'ready', path.split('/').at(-1));
    await pictured(page);
    expect(await inked(page)).toBeGreaterThan(0);
    await page.reload();
  }
});

test('has the licences of all that is in it', { tag: '@start' }, async ({ page }) => {
  await page.getByRole('button', { name: 'Help' }).click();
  await page.getByRole('button', { name: 'About' }).click();
  await expect(page.getByText('This page is one file.')).toBeVisible();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /Licences/ }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('licenses.txt');
  expect(readFileSync(await saved.path(), 'utf8')).toContain('Licences of what this page contains');
});

test('answers questions about a trace from a disk', { tag: '@start' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await showCalls(page, 'Flame');
  await expect(page.locator('.flame')).toBeVisible();
  await page.keyboard.press('Control+f');
  await page.getByRole('combobox', { name: 'Search' }).fill('dur>0');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('search').getByRole('status')).toHaveText(/^([1-9]\d* hits?|\d+ of \d+)$/);
  await showPanel(page, 'SQL');
  await page.getByRole('textbox', { name: 'SQL query' }).fill('select count(*) as found from slices');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('columnheader', { name: 'found' })).toBeVisible();
  await page.getByRole('button', { name: 'Help' }).click();
  await expect(page.getByRole('dialog')).toContainText('Documentation');
});

test('shows what a trace draws from a disk', { tag: '@start' }, async ({ page }) => {
  await open(page, fixture('replay_views.trace'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  await expect(page.getByRole('img', { name: /^Picture of/ })).toBeVisible({ timeout: 30_000 });
});
