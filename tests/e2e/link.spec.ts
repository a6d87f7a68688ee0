import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { details, fixture, open, pictured, settled, showCalls, stay, test } from './page.ts';

/** Copies a link to what is shown by the menu, and returns it. */
async function copied(page: Page): Promise<string> {
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: async (text: string) => Object.assign(window, { copied: text }) },
      configurable: true,
    });
    // Of the copy before.
    Object.assign(window, { copied: '' });
  });
  await page.getByRole('button', { name: 'Export', exact: true }).first().click();
  await page.getByRole('button', { name: 'Copy link to this view' }).click();
  await expect(page.locator('.notice')).toContainText('Copied a link');
  const text = await page.waitForFunction(() => (window as unknown as { copied: string }).copied);
  return text.jsonValue();
}

test('a link leads to the same view when its file is opened', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await page.keyboard.press('Enter');
  await page.keyboard.press(']');
  await page.keyboard.press('f');
  await page.keyboard.press('r');
  const filter = page.getByLabel('Filter functions');
  await filter.fill('dur>1us');
  await page
    .locator('.tracks .pin')
    .first()
    .evaluate((it: HTMLElement) => it.click());
  const head = page.locator('.details-head');
  const name = (await head.textContent()) ?? '';
  const link = await copied(page);
  expect(link).toContain('#unspool=1&name=threads.xray');
  expect(link).toMatch(/tracks=[^&]*pinned/);
  expect(link).toMatch(/range=\d+\.\.\d+/);
  // As another person, who has chosen nothing.
  await page.evaluate(() => localStorage.clear());
  await page.goto('about:blank');
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'This link leads to threads.xray' })).toBeVisible();
  await open(page, fixture('threads.xray'));
  await expect(head).toHaveText(name);
  await expect(page.getByRole('list', { name: 'Pinned tracks' })).toBeVisible();
  await expect(filter).toHaveValue('dur>1us');
  // The link of what is shown now is the same one.
  await expect.poll(() => copied(page)).toBe(link);
});

/** Opens a link as another person, who has chosen nothing, and then its file. */
async function followed(page: Page, link: string, path: string): Promise<void> {
  await page.evaluate(() => localStorage.clear());
  await page.goto('about:blank');
  await page.goto(link);
  await open(page, path);
}

test('a link has the changes of call paths, and what is in focus of the flame graph', async ({ page }) => {
  const chips = page.getByRole('list', { name: 'Changes to call paths' });
  const inFocus = page.locator('.way [aria-current]');
  const mode = page.getByRole('combobox', { name: 'Mode' });
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await showCalls(page, 'Flame');
  await page.getByRole('searchbox', { name: 'Filter call paths' }).fill('/#(2|3)$/');
  await page.keyboard.press('Enter');
  await expect(chips).toContainText('Only: /#(2|3)$/');
  const graph = page.getByRole('application', { name: 'Flame graph' });
  await graph.focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await expect(inFocus).toHaveText(/^#\d+$/);
  const focus = (await inFocus.textContent()) ?? '';
  const link = await copied(page);
  expect(new URLSearchParams(new URL(link).hash.slice(1)).get('paths')).toBe('[["only","/#(2|3)$/"]]');
  await followed(page, link, fixture('threads.xray'));
  await expect(chips).toContainText('Only: /#(2|3)$/');
  await expect(inFocus).toHaveText(focus);
  await expect.poll(() => copied(page)).toBe(link);
  // And a sandwich of the function.
  await page.keyboard.press('Escape');
  await graph.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('button', { name: 'Sandwich' }).click();
  const callees = page.getByRole('application', { name: /^Callees/ });
  await expect(callees).toBeVisible();
  const sandwich = await copied(page);
  await followed(page, sandwich, fixture('threads.xray'));
  await expect(mode).toHaveValue('sandwich');
  await expect(callees).toBeVisible();
  await expect.poll(() => copied(page)).toBe(sandwich);
});

test('a link has the values that narrow the list of records', async ({ page }) => {
  const field = page.getByLabel('Find points by values');
  const rows = page.locator('.events tbody tr[aria-rowindex]');
  const path = fixture('trace_db/variables.trace');
  await open(page, path);
  await pictured(page);
  await page.getByRole('tab', { name: 'Points' }).click();
  await page.getByRole('button', { name: 'Values', exact: true }).click();
  await field.fill('key < 0 and values.size = 40');
  await field.press('Enter');
  const status = page.locator('.events [role=status]').first();
  await expect(status).toHaveText(/^\d points? found/);
  const found = Number((await status.innerText())[0]);
  await expect(rows).toHaveCount(found);
  const link = await copied(page);
  await followed(page, link, path);
  await expect(field).toHaveValue('key < 0 and values.size = 40');
  await expect(rows).toHaveCount(found);
  await expect(page.getByRole('listbox', { name: 'Results of the search' })).toHaveCount(0);
  await expect.poll(() => copied(page)).toBe(link);
});

test('a link to another file says so', async ({ page }) => {
  await page.goto('./#unspool=1&name=other.xray&size=9&at=1,1,0');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link leads to other.xray');
  const place = page.locator('.awaited');
  await expect(place).toContainText('It shows a selection. The link does not contain the file (9');
  await expect(place).toContainText('Drop other.xray here, or');
  await expect(place.getByRole('button', { name: 'Choose it' })).toBeVisible();
  await open(page, fixture('threads.xray'));
  await expect(page.locator('.notice')).toContainText('another file');
  await expect(page.getByRole('complementary', { name: 'Trace' })).toBeVisible();
});

test('a link with values is followed in a trace without any', async ({ page }) => {
  await page.goto('about:blank');
  await page.goto('./?url=samples/threads.xray#unspool=1&name=threads.xray&tab=events&events=name:%2316&values=x');
  await settled(page, 'ready', 'threads.xray');
  const rows = page.locator('.events tbody tr[aria-rowindex]');
  await expect(rows.first()).toContainText('#16');
  // Its call never ended.
  await expect(rows).toHaveCount(1);
});

test('a link from a row of a data set selects its slice', async ({ page }) => {
  // As the query of docs/fleet.md makes it: crate/cli/tests/convert.rs makes the same one. The thread has calls without a begin.
  await page.goto('about:blank');
  await page.goto(
    './?url=samples%2Fthreads.xray#unspool=1&name=threads.xray&range=7140221766841..7140221949296&at=7140221766841,4,-1',
  );
  await settled(page, 'ready', 'threads.xray');
  await expect(details(page).locator('.details-head')).toContainText('#6');
  await expect(details(page)).toContainText('thread 4714');
  await expect(details(page)).toContainText('182,455 ticks');
});

test('with ?url= a link needs no file', async ({ page }) => {
  await page.goto('./?url=samples/threads.xray');
  await settled(page, 'ready', 'threads.xray');
  await pictured(page);
  await page.keyboard.press('Enter');
  const head = page.locator('.details-head');
  const name = (await head.textContent()) ?? '';
  const link = await copied(page);
  expect(link).toContain('?url=samples%2Fthreads.xray#unspool=1');
  await page.goto('about:blank');
  await page.goto(link);
  await settled(page, 'ready', 'threads.xray');
  await expect(head).toHaveText(name);
});

/** Waits until the address is that of a view with a range or without. */
async function written(page: Page, hasRange: boolean): Promise<void> {
  await expect.poll(() => new URL(page.url()).hash.includes('&range='), { timeout: 15_000 }).toBe(hasRange);
}

test('the address follows the view, with Back and Forward, and leads to it after a reload', {
  tag: '@network',
}, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await expect.poll(() => page.url(), { timeout: 15_000 }).toContain('#unspool=1&name=threads.xray');
  await page.keyboard.press('m');
  await page.keyboard.type('private');
  await page.keyboard.press('Enter');
  await page.locator('.area').focus();
  await page.keyboard.press('Enter');
  await stay(page);
  await page.keyboard.press('r');
  await written(page, true);
  const head = page.locator('.details-head');
  const name = (await head.textContent()) ?? '';
  // Notes come back with the file.
  expect(page.url()).not.toContain('private');
  await page.goBack();
  await written(page, false);
  await page.goForward();
  await written(page, true);
  const range = page.getByRole('navigation', { name: 'Range' });
  await expect(range).toBeVisible();
  await page.reload();
  const main = page.locator('.awaited');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^threads\.xray, [\d.,]+.kB, was open here$/);
  await expect(main).toContainText('Drop it here, or');
  await expect(main.getByRole('button', { name: 'Choose it again' })).toBeVisible();
  await open(page, fixture('threads.xray'));
  await expect(range).toBeVisible();
  await expect(head).toHaveText(name);
  await expect(page.locator('.note-flag')).toHaveCount(1);
  // Nothing of it was done by the user since.
  await page.keyboard.press('Control+z');
  await expect(range).toBeVisible();
});

test('a sample comes back by itself after a reload', async ({ page }) => {
  await page.getByRole('button', { name: /^Threads/ }).click();
  await settled(page, 'ready', 'threads.xray');
  await expect.poll(() => page.url(), { timeout: 15_000 }).toContain('?url=samples%2Fthreads.xray#unspool=1');
  await page.reload();
  await settled(page, 'ready', 'threads.xray');
  // Another file has no such address.
  await open(page, fixture('events.xray'));
  await expect.poll(() => page.url(), { timeout: 15_000 }).toContain('name=events.xray');
  expect(new URL(page.url()).search).toBe('');
});
