import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { details, fixture, functions, open, pictured, plain, showCalls, test } from './page.ts';

const FOLDER = join(import.meta.dirname, '../../../shared/corpus/findings');

/** What the first finding of a planted trace says, and what is selected by it: one for each format. */
const PLANTED = [
  { file: 'slow-callee.xray', says: '#9', selects: ['#9', '4.200 ms'] },
  { file: 'smashed-return.frames.gz', says: 'step 11,505', selects: ['11,505'] },
  { file: 'stray-return.sqlite', says: 'transition 26,726', selects: ['26,726'] },
  { file: 'overrun.trace', says: 'p leaves its buffer', selects: ['0x55d0a000135d'] },
  { file: 'finish.trace', says: 'glFinish', selects: ['glFinish'] },
];
const ORDINARY = ['ordinary-1.xray', 'ordinary-1.frames.gz', 'ordinary-1.sqlite', 'ordinary-1.trace', 'ordinary.trace'];

const summary = (page: Page) => page.getByRole('region', { name: 'Summary' });
const rows = (page: Page) => summary(page).getByRole('listitem');
/** Resolves once all of the trace was looked at. */
const looked = (page: Page) => expect(summary(page)).toHaveAttribute('aria-busy', 'false');

if (!existsSync(FOLDER)) test.skip('planted and ordinary traces: the corpus is not here', () => undefined);
else {
  for (const { file, says, selects } of PLANTED) {
    test(`the first finding of ${file} leads to its planted cause`, async ({ page }) => {
      await open(page, join(FOLDER, file));
      await expect(rows(page).first()).toContainText(says);
      await rows(page).first().getByRole('button').first().click();
      for (const text of selects) await expect(details(page)).toContainText(text);
    });
  }
  test('ordinary traces have nothing to list', async ({ page }) => {
    for (const file of ORDINARY) {
      await open(page, join(FOLDER, file));
      await looked(page);
      await expect(rows(page)).toHaveCount(0);
    }
  });
}

const SLOW = join(FOLDER, '../xray/stats/lua-fdr-1thread.xray');
if (!existsSync(SLOW)) test.skip('places of slow calls that are alike: the corpus is not here', () => undefined);
else {
  test('calls that are slow for one reason are one finding with its places', async ({ page }) => {
    await open(page, SLOW);
    const alike = rows(page).filter({ hasText: 'and 4 alike' });
    await alike.getByRole('button', { name: 'Places' }).click();
    const places = alike.locator('p').last().getByRole('button');
    await expect(places).toHaveCount(5);
    await places.nth(1).click();
    await expect(details(page)).toContainText('#330');
  });
  test('time without records is a row of its own', async ({ page }) => {
    await open(page, join(FOLDER, 'lost.xray'));
    await expect(rows(page).filter({ hasText: 'thread 7303 are lost' })).toContainText(/nothing is known of 4.09.ms/);
    await showCalls(page, 'Functions');
    const row = functions(page).getByRole('row').filter({ hasText: 'time without records' });
    await expect(row).toContainText(/4.085.ms/);
    await page.getByRole('combobox', { name: 'Search', exact: true }).fill('time without records');
    await page.keyboard.press('Enter');
    await expect(details(page)).toContainText('Nothing is known of this time');
  });
}

test('places where records are missing lead there', async ({ page }) => {
  await open(page, fixture('gaps.xray'));
  const lost = rows(page).filter({ hasText: 'main thread 4711 are lost' });
  await expect(lost).toContainText(/in 2.places/);
  await lost.getByRole('button', { name: 'Places', exact: true }).click();
  const places = lost.locator('p').last().getByRole('button');
  await expect(places).toHaveCount(2);
  await places.nth(1).click();
  await expect(details(page)).toContainText('main thread 4711');
  await expect(details(page)).toContainText('tick 7,140,220,618,000');
});

test('a finding says why it is listed, and kinds that are not wanted are remembered', async ({ page }) => {
  await open(page, fixture('trace_db/overrun.trace'));
  await pictured(page);
  await expect(rows(page)).toHaveCount(2);
  const sentence = plain((await summary(page).locator('p').first().textContent()) ?? '');
  expect(sentence).toMatch(/^trace-db, .* layout: [\d,]+ points/);
  const pointer = rows(page).filter({ hasText: 'p leaves its buffer' });
  await pointer.getByRole('button', { name: 'Why listed' }).click();
  await expect(pointer).toContainText('The trace says where buffers are');
  await pointer.getByRole('button', { name: 'Not this kind again' }).click();
  await expect(rows(page)).toHaveCount(0);
  await page.reload();
  await open(page, fixture('trace_db/overrun.trace'));
  await expect(summary(page)).toContainText('Not listed in this trace: Pointers outside of buffers');
  await expect(rows(page)).toHaveCount(0);
  await summary(page).getByRole('button', { name: 'List again' }).click();
  await expect(rows(page)).toHaveCount(2);
});

test('the Findings panel has what the summary has looked at already', async ({ page }) => {
  await open(page, join(import.meta.dirname, '../../web/public/samples/scene.trace'));
  await expect(rows(page).first()).toContainText('GL_INVALID_OPERATION');
  await expect(page.getByRole('tab', { name: 'Findings' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Findings', exact: true }).click();
  await expect(page.getByRole('grid', { name: 'Findings' })).toBeVisible();
});
