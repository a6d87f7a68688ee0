import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { choose, chosen, fixture, settled, test } from './page.ts';

/** The runs of the example of Jones and Harrold, of which the last one fails, and the names of its statements. */
const NAMES = ['335-pass', '123-pass', '321-pass', '555-pass', '534-pass', '213-fail'].map((run) => `mid-${run}.trace`);
const RUNS = NAMES.map((name) => chosen(name, readFileSync(fixture(`trace_db/${name}`))));
const LINES = chosen('mid.csv', readFileSync(fixture('trace_db/mid.csv')));
const LIST = chosen('runs.txt', NAMES.map((name) => `${name.includes('fail') ? 'fail' : 'pass'} ${name}\n`).join(''));

const panel = (page: Page) => page.locator('.differences');
const sentence = (page: Page) => panel(page).locator('.difference-sentence');
const table = (page: Page, of: 'statements' | 'values') => panel(page).getByRole('grid', { name: `Suspicious ${of}` });
const question = (page: Page) => page.getByRole('dialog', { name: 'Which of these failed?' });

/** Opens the runs with a list that says which of them failed. */
async function rank(page: Page): Promise<void> {
  await choose(page, ...RUNS, LINES, LIST);
  await settled(page, 'ready', 'mid-213-fail.trace');
  await expect(sentence(page)).toContainText('1 of 6 runs failed.');
}

test('the published example of Jones and Harrold comes out as published, once the user says which run failed', async ({
  page,
}) => {
  await choose(page, ...RUNS, LINES);
  await expect(question(page).getByRole('checkbox')).toHaveCount(6);
  await expect(question(page).getByRole('checkbox', { checked: true })).toHaveCount(1);
  await question(page).getByLabel('mid-213-fail.trace').uncheck();
  await expect(question(page)).toContainText('Choose at least one run that failed.');
  await expect(question(page).getByRole('button', { name: 'Find suspects' })).toBeDisabled();
  await question(page).getByLabel('mid-213-fail.trace').check();
  await question(page).getByRole('button', { name: 'Find suspects' }).click();
  await expect(sentence(page)).toHaveText(
    /^1 of 6 runs failed\. Most suspicious is m = y \(x is meant\).*, reached by 1 of 1 runs that failed and by 1 of 5 that passed\./,
  );
  await expect(panel(page).locator('summary')).toHaveText('A: 5 passed · B: 1 failed');
  const published: readonly (readonly [string, string])[] = [
    ['m = y (x is meant)', '0.83'],
    ['else if x < z', '0.71'],
    ['if x < y', '0.63'],
    ['print m', '0.50'],
  ];
  for (const [name, tarantula] of published) {
    const cells = table(page, 'statements').getByRole('row', { name: name, exact: false }).getByRole('gridcell');
    await expect(cells.nth(4)).toHaveText(tarantula);
  }
});

test('a list that is dropped along says which runs failed, and a row leads to the point in the run that failed', {
  tag: '@focus',
}, async ({ page }) => {
  await rank(page);
  await expect(question(page)).toHaveCount(0);
  await table(page, 'statements').getByRole('row').nth(1).getByText('m = y').click();
  await expect(page.locator('.details')).toContainText('m = y (x is meant)');
  // A run that passed and was not open takes the place of the one that is.
  await table(page, 'statements').getByRole('row').nth(1).getByRole('button', { name: '1 of 5' }).click();
  await page.getByRole('menuitem', { name: /^mid-335-pass\.trace: 1 point, first 5$/ }).click();
  await settled(page, 'ready', 'mid-335-pass.trace');
  await expect(page.locator('.details')).toContainText('m = y (x is meant)');
  await expect(sentence(page)).toContainText('1 of 6 runs failed.');
});

test('values are ranked by lift, and lead to where they hold', async ({ page }) => {
  await rank(page);
  await panel(page).getByRole('radio', { name: 'Values' }).click();
  await panel(page).getByRole('searchbox', { name: 'Filter suspects' }).fill('x > y m = y (x');
  const row = table(page, 'values').getByRole('row').nth(1);
  await expect(row).toContainText(/x > y.*1 of 1.*0 of 1.*2\.00.*1\.00/);
  await row.getByText('x > y').click();
  await expect(page.locator('.details')).toContainText('m = y (x is meant)');
});

test('without an answer only the first trace stays open', async ({ page }) => {
  await choose(page, ...RUNS.slice(0, 3));
  await question(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(question(page)).toHaveCount(0);
  await settled(page, 'ready', 'mid-335-pass.trace');
  await expect(page.getByRole('group', { name: 'Both timelines' })).toHaveCount(0);
});
