import { expect, type Page } from '@playwright/test';
import { details, fixture, open, pictured, stay, test } from './page.ts';

const OVERRUN = fixture('trace_db/overrun.trace');
const bar = (page: Page) => page.locator('.variables .panel-bar');

/** Opens a trace with a tab in front. */
async function tab(page: Page, path: string, name: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, path);
  await pictured(page);
  await page.getByRole('tab', { name }).click();
}

/** The cells of a row. */
const cells = (page: Page, id: string) => page.locator(`#${id} td`);

test('variables are summed up, and lead to their tracks and extremes', async ({ page }) => {
  await tab(page, fixture('trace_db/variables.trace'), 'Variables');
  const grid = page.getByRole('grid', { name: 'Variables' });
  await expect(grid).toHaveAttribute('aria-rowcount', '12');
  await grid.getByRole('button', { name: 'Variable' }).click();
  // As `unspool dump` has them: n is always 12, key goes from -42 to 120.
  await page.getByRole('searchbox', { name: 'Filter variables' }).fill('n');
  await page.getByRole('searchbox', { name: 'Filter variables' }).fill('key');
  await expect(cells(page, 'variable-0').nth(2)).toHaveText('47');
  await expect(cells(page, 'variable-0').nth(3)).toHaveText('−42');
  await expect(cells(page, 'variable-0').nth(4)).toHaveText('120');
  await page.locator('#variable-0').getByRole('button', { name: '120' }).click();
  await expect(details(page)).toContainText('Point 6');
  await expect(page.locator('.track.current')).toContainText('key');
  await page.getByRole('searchbox', { name: 'Filter variables' }).fill('values');
  await expect(cells(page, 'variable-0').nth(7)).toHaveText('never');
  await page.getByRole('searchbox', { name: 'Filter variables' }).fill('int');
  await expect(page.locator('.variables tbody')).toContainText('constant');
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('#variable-0')).toHaveAttribute('aria-selected', 'true');
});

test('a variable of a point leads to all its values, and Back to the panel before', { tag: '@network' }, async ({
  page,
}) => {
  await tab(page, fixture('trace_db/variables.trace'), 'Points');
  await page.locator('#event-6').click();
  const point = await details(page).getByRole('heading').textContent();
  await stay(page);
  await details(page).getByRole('button', { name: 'key', exact: true }).click();
  await expect(page.getByRole('tab', { name: 'Variables' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.variables tr[aria-selected="true"] td').first()).toContainText('key');
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Points' })).toHaveAttribute('aria-selected', 'true');
  await expect(details(page).getByRole('heading')).toHaveText(point!);
});

test('buffers have lifetimes, and pointers that leave them are found', async ({ page }) => {
  await tab(page, OVERRUN, 'Variables');
  await page.getByRole('radio', { name: 'Buffers' }).click();
  await expect(bar(page).locator('> [role="status"]')).toHaveText(/^40.lifetimes · 0 never freed · at most 32.bytes/);
  await expect(page.getByRole('grid', { name: 'Buffers' })).toHaveAttribute('aria-rowcount', '41');
  await expect(cells(page, 'buffer-0').first()).toHaveText('0x55810a200000');
  await expect(cells(page, 'buffer-0').nth(3)).toHaveText('8 freed');
  await page.getByRole('grid', { name: 'Buffers' }).getByRole('button', { name: 'Size' }).click();
  await expect(cells(page, 'buffer-0').nth(1)).toHaveText('32');
  await page.getByRole('radio', { name: 'Out of bounds' }).click();
  const rows = page.locator('.variables tbody tr[aria-rowindex]');
  await expect(rows.filter({ hasText: '1 byte past the end' })).not.toHaveCount(0);
  await expect(rows.filter({ hasText: 'were freed' }).first()).toContainText('last');
  await rows.filter({ hasText: '1 byte past the end' }).first().click();
  await expect(details(page)).toContainText('Point 116');
  // They are findings, too, with all their points.
  await page.getByRole('button', { name: 'Findings', exact: true }).click();
  await expect(page.getByRole('button', { name: '8 findings' })).toBeVisible();
  const found = page.getByRole('grid', { name: 'Findings' }).locator('tbody tr[aria-selected]');
  await expect(found).toHaveCount(8);
  await found.filter({ hasText: 'p is 1 byte past the end' }).first().click();
  await expect(details(page)).toContainText('0x55810a200121');
  await page.getByRole('button', { name: 'Next place' }).click();
  await expect(details(page)).toContainText('0x55810a200111');
});

test('what likely always holds at a statement leads to its exceptions', async ({ page }) => {
  await tab(page, OVERRUN, 'Statements');
  await page.locator('#statement-0').click();
  await expect(page.getByRole('grid', { name: 'Occurrences' })).toBeVisible();
  await page.getByRole('radio', { name: 'Invariants' }).click();
  const rows = page.locator('.statements tbody tr[aria-rowindex]');
  await expect(rows.filter({ hasText: 'length < n' })).toContainText('none');
  // `unspool query tests/fixtures/trace_db/overrun.trace 'i > n'` finds as many.
  const bound = rows.filter({ hasText: 'i ≤ n' });
  await expect(bound.locator('td').nth(3)).toHaveText('4');
  await bound.click();
  await expect(page.getByRole('grid', { name: 'Occurrences' })).toHaveAttribute('aria-rowcount', '5');
  await page.getByRole('radio', { name: 'Invariants' }).click();
  await expect(page.getByRole('combobox', { name: 'Narrow the occurrences by values' })).toHaveValue('');
  await expect(bound).toBeVisible();
});

test('a source map names statements wherever they are shown', async ({ page }) => {
  await tab(page, OVERRUN, 'Statements');
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveCount(0);
  await page.locator('#file-input').setInputFiles(fixture('trace_db/overrun.csv'));
  await expect(page.getByRole('complementary').last()).toContainText('It names 5 statements of this trace.');
  await expect(cells(page, 'statement-0')).toContainText(['3', '33', 'p = copy + i (lines.c:16)']);
  await page.locator('#statement-0').click();
  await expect(page.locator('.statements .panel-bar b')).toHaveText('p = copy + i (lines.c:16)');
  await page.getByRole('tab', { name: 'Points' }).click();
  await expect(page.locator('#event-0')).toContainText('n = (length + 16) / 16 * 16 (lines.c:12)');
  await page.locator('#event-1').click();
  await expect(details(page)).toContainText('copy = malloc(n) (lines.c:13)');
});

test('a point shows what has changed since the last point and the last visit', async ({ page }) => {
  await tab(page, OVERRUN, 'Variables');
  await page.getByRole('radio', { name: 'Out of bounds' }).click();
  await page.locator('.variables tbody tr', { hasText: '1 byte past the end' }).first().click();
  // `unspool dump`: that is point 116, and point 115 has i 32 and p 0x55810a200120.
  const row = details(page).locator('.point-variables tbody tr');
  await expect(row.filter({ hasText: /^i/ }).locator('td')).toHaveText(['33', '32', '32']);
  await expect(row.filter({ hasText: /^length/ }).locator('td')).toHaveText(['31', '', '']);
  await expect(row.filter({ hasText: /^p/ }).locator('td').nth(1)).toContainText('0x55810a2001200 left');
  await details(page).getByRole('button', { name: 'Last point' }).click();
  await expect(row.filter({ hasText: /^i/ }).locator('td')).toHaveText(['32', '31', '31']);
});

test('the values of a track look as the person wants', async ({ page }) => {
  await tab(page, fixture('trace_db/variables.trace'), 'Variables');
  const track = page.locator('li.track', { has: page.getByText('key', { exact: true }) });
  await expect(track).toContainText('−42 … 120');
  const height = (await track.boundingBox())!.height;
  const choose = async (name: string) => {
    await track.click({ button: 'right' });
    await page.getByRole('menuitem', { name }).click();
    // Its layer would be clicked in place of the track.
    await expect(page.getByRole('menu')).toHaveCount(0);
  };
  await choose('Show values as hexadecimal numbers');
  await expect(track).toContainText('−0x2a … 0x78');
  await choose('Make the graph higher');
  await expect.poll(async () => (await track.boundingBox())?.height ?? 0).toBeGreaterThan(height + 50);
  await choose('Draw values as dots');
  await choose('Use a logarithmic scale');
  await choose('Show values as characters');
  await expect(track).toContainText("'x'");
  await choose('Show values as decimal numbers');
  await expect(track).toContainText('−42 … 120');
  // The same four bytes, as other numbers.
  await choose('Show values as unsigned numbers');
  await expect(track).toContainText('highest 4,294,967,289');
  await choose('Show values as floating-point numbers');
  await expect(track).toContainText('e-43');
  await choose('Show values as signed numbers');
  await expect(track).toContainText('−42 … 120');
});

test('statements and variables are those of the range', async ({ page }) => {
  await tab(page, OVERRUN, 'Statements');
  const statements = page.locator('.statements .panel-bar');
  await expect(statements).toContainText(/[\d,]+.points/);
  const points = async (text: Promise<string>) => Number(/([\d,]+).points?/.exec(await text)?.[1]?.replace(',', ''));
  const whole = await points(statements.innerText());
  const box = (await page.locator('.area').boundingBox())!;
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + 300, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 350, box.y + 40);
  await page.mouse.move(box.x + 400, box.y + 40);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect.poll(() => points(statements.innerText())).toBeLessThan(whole);
  const within = await points(statements.innerText());
  await page.getByRole('tab', { name: 'Points' }).click();
  const listed = page.locator('.events .panel-bar > [role="status"]');
  await expect.poll(() => points(listed.innerText())).toBe(within);
  await page.getByRole('tab', { name: 'Variables' }).click();
  // Points name it once each, and only some do.
  await page.getByRole('searchbox', { name: 'Filter variables' }).fill('copy');
  await expect
    .poll(async () => Number((await cells(page, 'variable-0').nth(2).innerText()).replace(',', '')))
    .toBeLessThanOrEqual(within);
  await page.getByRole('radio', { name: 'Out of bounds' }).click();
  await page.getByRole('radio', { name: 'Buffers' }).click();
  await expect(bar(page).locator('> [role="status"]')).toHaveText(/^\d+.lifetimes?$/);
  await page.getByRole('button', { name: 'Show whole trace' }).click();
  await expect(bar(page).locator('> [role="status"]')).toHaveText(/^40.lifetimes/);
  await page.getByRole('tab', { name: 'Statements' }).click();
  await expect.poll(() => points(statements.innerText())).toBe(whole);
});
