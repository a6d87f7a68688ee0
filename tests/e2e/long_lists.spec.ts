import { expect, type Page } from '@playwright/test';
import { fixture, open, recording, showCalls, showPanel, test } from './page.ts';

const table = (page: Page, inside: string) => page.locator(`${inside} .table`);

/** The place of a table, and whether what is drawn below its head has writing in each of its rows. */
async function looks(page: Page, inside: string) {
  const of = table(page, inside);
  const { top, highest } = await of.evaluate((box) => ({
    top: box.scrollTop,
    highest: box.scrollHeight - box.clientHeight,
  }));
  const picture = (await of.screenshot()).toString('base64');
  const written = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d')!;
    context.drawImage(bitmap, 0, 0);
    const rows: boolean[] = [];
    // The head, and then whole rows. What is at the right edge is the scroll bar.
    for (let y = 25; y + 24 <= bitmap.height; y += 24) {
      const { data } = context.getImageData(0, y, bitmap.width - 20, 24);
      let dark = 0;
      for (let i = 0; i < data.length; i += 4) dark += Number(data[i]! + data[i + 1]! + data[i + 2]! < 450);
      rows.push(dark > 3);
    }
    return rows;
  }, picture);
  return { top, isWithin: top <= highest, isWritten: written.length > 2 && written.every(Boolean) };
}

const AT_TOP = { top: 0, isWithin: true, isWritten: true };

/** Sorts by a click on a head where it is: a click of a locator may scroll. */
async function sort(page: Page, inside: string, head: string): Promise<void> {
  const button = table(page, inside).locator('th button').filter({ hasText: head }).first();
  const { x, y, width, height } = (await button.boundingBox())!;
  await page.mouse.click(x + width / 2, y + height / 2);
}

async function scrollTo(page: Page, inside: string, top: number): Promise<void> {
  await table(page, inside).evaluate((box, to) => {
    box.scrollTop = to;
  }, top);
}

test.beforeEach(({ page }) => page.emulateMedia({ colorScheme: 'light' }));

test('sorting and filtering long lists leads to their top', { tag: '@layout' }, async ({ page }) => {
  await open(page, recording('xray/large/threads-20MB.xray.zst'));
  await showCalls(page, 'Functions');
  await page.getByRole('row', { name: /^#3 / }).first().dblclick();
  const calls = '.call-list';
  await expect(page.locator('#call-0')).toBeVisible();
  await scrollTo(page, calls, 5_000_000);
  await expect(page.locator('#call-208340')).toContainText('ms');
  // A call that is selected is not among the longest.
  await page.locator('#call-208338').click();
  await expect(page.locator('#call-208338')).toHaveAttribute('aria-selected', 'true');
  for (const first of ['32.06', '375', '32.06']) {
    await sort(page, calls, 'Duration');
    await expect(page.locator('#call-0')).toContainText(first);
    await expect.poll(() => looks(page, calls)).toEqual(AT_TOP);
    await page.mouse.move(600, 800);
    await page.mouse.wheel(0, 240_000);
    await expect.poll(() => looks(page, calls)).toMatchObject({ isWithin: true, isWritten: true });
    await scrollTo(page, calls, 300_000);
  }
  await sort(page, calls, 'Start');
  await expect.poll(() => looks(page, calls)).toEqual(AT_TOP);
  // Among the hits.
  await page.getByRole('combobox', { name: 'Search' }).fill('name:#3');
  await page.getByRole('button', { name: 'All hits' }).click();
  const hits = '.results';
  await expect(page.locator(hits)).toContainText('320,000 hits');
  await scrollTo(page, hits, 5_000_000);
  await expect(page.locator('#hit-208340')).toContainText('#3');
  await page.locator('#hit-208340').click();
  await sort(page, hits, 'Duration');
  await expect(page.locator('#hit-0')).toContainText('32.06');
  await expect.poll(() => looks(page, hits)).toEqual(AT_TOP);
  await scrollTo(page, hits, 5_000_000);
  await sort(page, hits, 'Position');
  await expect.poll(() => looks(page, hits)).toEqual(AT_TOP);
});

test('the rows of a query are at their top in another order', { tag: '@layout' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await showPanel(page, 'SQL');
  const rows = '.query-rows';
  const query = 'with recursive c(x) as (select 1 union all select x + 1 from c limit 100000) select x from c';
  await page.getByRole('textbox', { name: 'SQL query' }).fill(query);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.locator('.query')).toContainText('100,000 rows');
  for (const first of ['1', '100000', '1']) {
    await scrollTo(page, rows, 2_000_000);
    await expect(page.locator('#query-row-83340')).not.toBeEmpty();
    await sort(page, rows, 'x');
    await expect(page.locator('#query-row-0')).toHaveText(first);
    await expect.poll(() => looks(page, rows)).toEqual(AT_TOP);
  }
});
