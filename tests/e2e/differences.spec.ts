import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { barriers, choose, chosen, fixture, settled, test } from './page.ts';

const BEFORE = readFileSync(fixture('threads.xray'));
const AFTER = readFileSync(fixture('events.xray'));

const panel = (page: Page) => page.locator('.differences');
const sentence = (page: Page) => panel(page).locator('.difference-sentence');
const table = (page: Page) => panel(page).getByRole('grid', { name: 'Differences' });
const rows = (page: Page) => table(page).getByRole('row');
const flame = (page: Page) => panel(page).getByRole('application', { name: /^Flame graph of the difference/ });

/** Opens two logs together, with their differences in front. */
async function compare(page: Page, before = BEFORE, after = AFTER): Promise<void> {
  await choose(page, chosen('before.xray', before), chosen('after.xray', after));
  await settled(page, 'ready', 'before.xray');
  await page.getByRole('tab', { name: 'Differences' }).click();
  await expect(sentence(page)).not.toBeEmpty();
}

test('the differences of two traces are a sentence and a table by what changed most', async ({ page }) => {
  await compare(page);
  await expect(sentence(page)).toContainText(/^Functions take .* in A and .* in B: .* of A\. Most of that: #/);
  await expect(sentence(page)).toContainText('joined by numbers, because neither trace has names');
  await expect(rows(page).nth(1)).toContainText(/gone|new/);
  const all = await rows(page).count();
  const first = await rows(page).nth(1).innerText();
  await panel(page).getByRole('searchbox', { name: 'Filter functions' }).fill(first.split(/\s/)[0]!);
  await expect.poll(() => rows(page).count()).toBeLessThan(all);
  await expect(panel(page)).toContainText(/\d+ of \d+ functions/);
});

test('two copies of a trace have no differences', async ({ page }) => {
  await compare(page, BEFORE, Buffer.from(BEFORE));
  await expect(sentence(page)).toHaveText(/^Nothing differs: each function has the same figures in A and in B\./);
  await expect(rows(page).nth(1)).toContainText('same');
});

test('the panel follows both traces when they change places, and ends with the pair', async ({ page }) => {
  await compare(page);
  const before = await sentence(page).innerText();
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect(sentence(page)).not.toBeEmpty();
  await expect.poll(() => sentence(page).innerText()).not.toBe(before);
  await page.getByRole('button', { name: 'Close B' }).click();
  await expect(page.getByRole('tab', { name: 'Differences' })).toHaveCount(0);
});

test('the flame graph of the difference is walked, zoomed and normalised by keyboard', async ({ page }) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Flame graph' }).click();
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
  await flame(page).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const spoken = panel(page).locator('.unseen[role=status]');
  await expect(spoken).toContainText(/^#\d+, total .* → .*, self .* → .*\scalls?$/);
  const outer = await spoken.innerText();
  await page.keyboard.press('Enter');
  await expect(panel(page).getByRole('button', { name: 'Zoom out' })).toBeVisible();
  await flame(page).focus();
  await page.keyboard.press('Escape');
  await expect(panel(page).getByRole('button', { name: 'Zoom out' })).toHaveCount(0);
  expect(await spoken.innerText()).toBe(outer);
  await panel(page).getByRole('button', { name: 'Normalise' }).click();
  await expect(panel(page)).toContainText(/B ×\s[\d.]+/);
  await panel(page).getByRole('combobox', { name: 'Width' }).selectOption('a');
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
});

test('the calls of a function of both have one histogram and their quantiles', async ({ page }) => {
  await compare(page, BEFORE, Buffer.from(BEFORE));
  await rows(page).nth(1).click();
  await page.keyboard.press('Enter');
  const quantiles = panel(page).locator('.difference-quantiles');
  await expect(quantiles.getByRole('row', { name: /^Median/ })).toContainText(/×\s1\.00/);
  await expect(panel(page).getByRole('img', { name: /^Durations in A and in B/ })).toBeVisible();
  await expect(quantiles.getByRole('row')).toHaveCount(6);
});

test('records without a counterpart are listed, and a chosen difference is selected in both', async ({ page }) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Records' }).click();
  await expect(sentence(page)).toHaveText(/^\d+\sdifferences? in \d+\sthreads?\. The first one is at record /);
  const list = panel(page).getByRole('grid', { name: 'Differences between records' });
  const first = list.getByRole('row').nth(1);
  await expect(first).toContainText(/only in [AB]|changed| in A, /);
  await first.click();
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.details')).not.toContainText('Start here');
  await page.keyboard.press('n');
  await expect(list.getByRole('row').nth(2)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Shift+N');
  await expect(first).toHaveAttribute('aria-selected', 'true');
});

test('two copies of a trace have the same records', async ({ page }) => {
  await compare(page, BEFORE, Buffer.from(BEFORE));
  await panel(page).getByRole('radio', { name: 'Records' }).click();
  await expect(panel(page)).toContainText('Each record of A is in B, and the other way round, in the same order.');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing on a ${colorScheme} page with differences`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await compare(page);
    await rows(page).nth(1).click();
    expect(await barriers(page)).toEqual([]);
    await panel(page).getByRole('radio', { name: 'Flame graph' }).click();
    await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
    expect(await barriers(page)).toEqual([]);
    await panel(page).getByRole('radio', { name: 'Calls' }).click();
    expect(await barriers(page)).toEqual([]);
    await panel(page).getByRole('radio', { name: 'Records' }).click();
    await expect(panel(page).getByRole('grid', { name: 'Differences between records' })).toBeVisible();
    expect(await barriers(page)).toEqual([]);
  });
}
