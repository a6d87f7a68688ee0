import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { fixture, open, pictured, showPanel, test } from './page.ts';

async function show(page: Page, path: string, tab: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, fixture(path));
  await pictured(page);
  await showPanel(page, tab);
}

/** Saves the table in front, by keyboard, and returns its rows. */
async function saved(page: Page): Promise<string[]> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Copy or save the table' }).press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Copy' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  return readFileSync(await (await saving).path(), 'utf8')
    .split('\r\n')
    .slice(0, -1);
}

test('functions, call trees and calls are saved with lengths in seconds', async ({ page }) => {
  await show(page, 'xray/threads.xray', 'Functions');
  await page.getByRole('row', { name: /#3/ }).first().click();
  const functions = await saved(page);
  expect(functions[0]).toBe('Function,Count,Total (s),Self (s),Min (s),Median (s),p90 (s),p99 (s),Max (s)');
  expect(functions.slice(1).every((row) => /^#\d+,\d+,0(\.\d{1,12})?,/.test(row))).toBe(true);
  await page.getByRole('button', { name: 'List calls' }).click();
  await expect(page.locator('#call-0')).toContainText('1');
  const count = Number(functions.find((row) => row.startsWith('#3,'))!.split(',')[1]);
  const calls = await saved(page);
  expect(calls[0]).toBe('#,Start (s),Duration (s),Track');
  expect(calls).toHaveLength(count + 1);
  expect(calls.at(-1)).toMatch(new RegExp(`^${count},0\\.\\d+,0\\.\\d+,thread`));
  await page.getByRole('button', { name: '‹ Back' }).click();
  await page.getByRole('radio', { name: 'Tree' }).click();
  await expect(page.getByRole('treeitem').first()).toBeVisible();
  const tree = await saved(page);
  expect(tree[0]).toBe('Level,Function,Total (s),Self (s),Count');
  expect(tree).toHaveLength((await page.getByRole('treeitem').count()) + 1);
});

test('a narrowed list of records is saved, and copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await show(page, 'scene.trace', 'Calls');
  await page.getByRole('combobox', { name: 'Filter calls' }).fill('name:glDrawElements arg.count:108');
  await expect(page.locator('.events .panel-bar')).toContainText('24 calls found');
  const rows = await saved(page);
  expect(rows[0]).toBe('Call,Frame,Thread,Function,Arguments,Result,Flags');
  expect(rows).toHaveLength(25);
  expect(rows.slice(1).every((row) => /^\d+,\d+,.*glDrawElements,.*count = 108/.test(row))).toBe(true);
  await page.getByRole('button', { name: 'Copy or save the table' }).click();
  await page.getByRole('menuitem', { name: 'Copy' }).click();
  await expect(page.locator('.take-table')).toContainText('24 rows copied');
  expect((await page.evaluate(() => navigator.clipboard.readText())).split('\n').length).toBe(26);
  // The menu closes without a choice.
  await page.getByRole('button', { name: 'Copy or save the table' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Copy or save the table' })).toBeFocused();
});

test('rows of a query are saved', async ({ page }) => {
  await show(page, 'rvn/blocks.sqlite', 'SQL');
  await page.getByRole('textbox', { name: 'SQL query' }).fill("select 1 as a, null as b, 'x,y' as c");
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.locator('.query')).toContainText('1 row');
  expect(await saved(page)).toEqual(['a,b,c', '1,,"x,y"']);
});

const heads = (page: Page) => page.getByRole('grid', { name: 'Functions' }).getByRole('columnheader');
const titles = async (page: Page) =>
  (await heads(page).allInnerTexts()).map((title) => title.replace(/[▾▴]/, '').trim());
const head = (page: Page, name: string) => heads(page).filter({ hasText: name });
const boxOf = async (page: Page, name: string) => (await head(page, name).boundingBox())!;

test('columns are resized, moved and hidden by the pointer, and stay so', { tag: '@pointer' }, async ({ page }) => {
  await show(page, 'xray/threads.xray', 'Functions');
  await expect(heads(page)).toHaveCount(10);
  const before = await boxOf(page, 'Count');
  const edge = { x: before.x + before.width - 3, y: before.y + before.height / 2 };
  await page.mouse.move(edge.x, edge.y);
  await page.mouse.down();
  await page.mouse.move(edge.x + 40, edge.y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Math.round((await boxOf(page, 'Count')).width - before.width)).toBe(40);
  // The edge followed the pointer, and what is to the left of it did not move.
  expect(Math.abs((await boxOf(page, 'Count')).x - before.x)).toBeLessThan(1);
  const self = await boxOf(page, 'Self');
  const total = await boxOf(page, 'Total');
  await page.mouse.move(self.x + 20, self.y + 10);
  await page.mouse.down();
  await page.mouse.move(total.x + 20, total.y + 10, { steps: 6 });
  await page.mouse.up();
  await expect
    .poll(() => titles(page))
    .toEqual([...['Function', 'Count', 'Self', 'Total', 'Share', 'Min', 'Median', 'p90', 'p99', 'Max']]);
  // A drag does not sort.
  await expect(head(page, 'Total')).toHaveAttribute('aria-sort', 'descending');
  await head(page, 'p90').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Hide column' }).click();
  const left = ['Function', 'Count', 'Self', 'Total', 'Share', 'Min', 'Median', 'p99', 'Max'];
  await expect.poll(() => titles(page)).toEqual(left);
  const width = (await boxOf(page, 'Count')).width;
  await page.reload();
  await show(page, 'xray/threads.xray', 'Functions');
  await expect.poll(() => titles(page)).toEqual(left);
  expect(Math.abs((await boxOf(page, 'Count')).width - width)).toBeLessThan(1);
  // Back by keyboard.
  await head(page, 'Count').getByRole('button').focus();
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitemcheckbox', { name: 'p90' })).toHaveAttribute('aria-checked', 'false');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(heads(page)).toHaveCount(10);
});

test('a table is as wide as its panel, and ends between two columns', { tag: '@layout' }, async ({ page }) => {
  await page.setViewportSize({ width: 1180, height: 800 });
  await open(page, fixture('xray/threads.xray'));
  await pictured(page);
  await showPanel(page, 'Functions');
  const gap = () =>
    page.locator('.functions .table').evaluate((box) => {
      const last = [...box.querySelectorAll('th')].at(-1)!;
      return box.getBoundingClientRect().left + box.clientWidth - last.getBoundingClientRect().right;
    });
  await expect.poll(async () => Math.abs(await gap())).toBeLessThan(2);
  await page.getByRole('row', { name: /#3/ }).first().click();
  await expect.poll(async () => Math.abs(await gap())).toBeLessThan(2);
});

test('records are sorted by their heads, and saved in that order', async ({ page }) => {
  await show(page, 'scene.trace', 'Calls');
  const heads = page.getByRole('grid', { name: 'calls' });
  const first = page.locator('.events tbody tr:not(.spacer)').first();
  const call = async () => (await first.locator('td').first().innerText()).trim();
  await expect(first).toContainText('glX');
  const begins = await call();
  await heads.getByRole('button', { name: 'Call', exact: true }).click();
  await expect(heads.getByRole('columnheader', { name: 'Call' })).toHaveAttribute('aria-sort', 'descending');
  await expect.poll(call).not.toBe(begins);
  await heads.getByRole('button', { name: 'Function' }).click();
  await expect(first).toContainText('gl');
  await page.getByRole('combobox', { name: 'Filter calls' }).fill('name:glDraw*');
  const found = page.locator('.events .panel-bar');
  await expect(found).toContainText('117 calls found');
  await heads.getByRole('button', { name: 'Function' }).click();
  await expect(heads.getByRole('columnheader', { name: 'Function' })).toHaveAttribute('aria-sort', 'descending');
  await expect(found).toContainText('117 calls found');
  const names = (await saved(page)).slice(1).map((row) => row.split(',')[3]!);
  expect(names.length).toBeGreaterThan(1);
  expect(names).toEqual([...names].sort().reverse());
  // A third click leads back to the order of the trace.
  await heads.getByRole('button', { name: 'Function' }).click();
  await expect(heads.getByRole('columnheader', { name: 'Function' })).not.toHaveAttribute('aria-sort', 'descending');
  await expect(found).toContainText('117 calls found');
  const calls = (await saved(page)).slice(1).map((row) => Number(row.split(',')[0]));
  expect(calls).toEqual([...calls].sort((a, b) => a - b));
});
