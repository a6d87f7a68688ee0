import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { area, DIALOG, details, fixture, open, pictured, showCalls, test } from './page.ts';

const heading = (page: Page) => details(page).getByRole('heading').first();
const menu = (page: Page) => page.getByRole('menu');
const entry = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });
const field = (page: Page) => page.getByRole('combobox', { name: 'Search commands' });
const options = (page: Page) => page.getByRole('listbox', { name: 'Results of the search' }).getByRole('option');
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test.beforeEach(async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
});

/** Right-clicks the outermost call of the second thread. */
async function openOnCall(page: Page): Promise<void> {
  const head = (await page.locator('.track', { hasText: 'thread 4712' }).boundingBox())!;
  const box = (await area(page).boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, head.y + 10, { button: 'right' });
  await expect(menu(page)).toBeVisible();
}

test.describe('the menu of a call', () => {
  test('selects the call and acts on it', async ({ page }) => {
    await openOnCall(page);
    await expect(heading(page)).toHaveText('#2');
    await entry(page, 'Copy the name').click();
    await expect(menu(page)).toHaveCount(0);
    await expect.poll(() => clipboard(page)).toBe('#2');
    await openOnCall(page);
    await entry(page, 'Set range to this').click();
    await expect(page.getByRole('navigation', { name: 'Range' })).toBeVisible();
    await openOnCall(page);
    await entry(page, 'List its calls').click();
    await expect(page.getByRole('group', { name: 'Calls of #2' })).toBeVisible();
    await openOnCall(page);
    await entry(page, 'Find all with this name').click();
    await expect(page.locator('.find input')).toHaveValue('name:#2');
    await expect(page.locator('#tab-results')).toBeVisible();
  });

  test('is complete by keyboard', async ({ page }) => {
    await page.keyboard.press('Enter');
    await expect(heading(page)).toHaveText('#1');
    await page.keyboard.press('Shift+F10');
    await expect(entry(page, 'Zoom to the selection')).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(entry(page, 'Copy the position')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(entry(page, 'Zoom to the selection')).toBeFocused();
    await page.keyboard.type('copy the p');
    await expect(entry(page, 'Copy the position')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect.poll(() => clipboard(page)).toMatch(/^[\d.,]+ [nµm]?s$/);
    await expect(area(page)).toBeFocused();
    for (const key of ['Escape', 'Tab']) {
      await page.keyboard.press('ContextMenu');
      await expect(menu(page)).toBeVisible();
      await page.keyboard.press(key);
      await expect(menu(page)).toHaveCount(0);
      await expect(area(page)).toBeFocused();
    }
    // Escape closed the menu only.
    await expect(heading(page)).toHaveText('#1');
  });

  test('closes with a click elsewhere, and when the focus leaves', async ({ page }) => {
    await openOnCall(page);
    await page.mouse.click(5, 5);
    await expect(menu(page)).toHaveCount(0);
    await openOnCall(page);
    await page.locator('#tab-calls').focus();
    await expect(menu(page)).toHaveCount(0);
    await expect(page.locator('#tab-calls')).toBeFocused();
  });
});

test('a menu fits in a small window', { tag: '@layout' }, async ({ page }) => {
  await page.setViewportSize({ width: 420, height: 380 });
  await area(page).focus();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('ContextMenu');
  const box = (await menu(page).boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(420);
  expect(box.y + box.height).toBeLessThanOrEqual(380);
  await page.keyboard.press('End');
  await expect(entry(page, 'Copy the name of the track')).toBeInViewport();
});

test('the overview has a menu, fields keep that of the browser', async ({ page }) => {
  await page.locator('.overview-strip').click({ button: 'right' });
  await entry(page, 'Set range to visible area').click();
  await expect(page.getByRole('navigation', { name: 'Range' })).toBeVisible();
  await page.locator('.overview-strip').click({ button: 'right' });
  await entry(page, 'Clear range').click();
  await expect(page.getByRole('navigation', { name: 'Range' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Filter tracks' }).click();
  await page.locator('#track-filter').click({ button: 'right' });
  await page.locator('#find-field').click({ button: 'right' });
  await expect(menu(page)).toHaveCount(0);
});

test.describe('the menu of a row', () => {
  test('of the functions', async ({ page }) => {
    await showCalls(page, 'Functions');
    const row = page.locator('.functions tbody tr:not(.spacer)').nth(2);
    await expect(row).toBeVisible();
    const texts = (await row.locator('td').allInnerTexts()).map((text) => text.trim().replaceAll('\u00a0', ' '));
    await row.click({ button: 'right' });
    // It acts on the row without choosing it.
    await expect(row).toHaveAttribute('aria-selected', 'false');
    await entry(page, 'Copy the row').click();
    await expect.poll(() => clipboard(page)).toBe(texts.join('\t'));
    await row.click({ button: 'right' });
    await entry(page, 'List its calls').click();
    await expect(page.getByRole('group', { name: `Calls of ${texts[0]}` })).toBeVisible();
    await page
      .getByRole('grid', { name: 'Call list' })
      .locator('tbody tr:not(.spacer)')
      .first()
      .click({ button: 'right' });
    await entry(page, 'Show in the timeline').click();
    await expect(heading(page)).toHaveText(texts[0]!);
  });

  test('of the call tree, by key', async ({ page }) => {
    await showCalls(page, 'Tree');
    const tree = page.getByRole('tree', { name: 'Call tree' });
    await tree.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ContextMenu');
    const name = await tree.locator('[aria-selected=true] .text').innerText();
    await expect(menu(page)).toHaveAttribute('aria-label', name);
    await page.keyboard.press('Escape');
    await expect(tree).toBeFocused();
  });

  test('of the records and of the hits', async ({ page }) => {
    await page.locator('#tab-events').click();
    const row = page.locator('#event-3');
    await row.click({ button: 'right' });
    await entry(page, 'Show in the timeline').click();
    await expect(row).toHaveAttribute('aria-selected', 'true');
    const name = await heading(page).innerText();
    await row.click({ button: 'right' });
    await entry(page, 'Find all with this name').click();
    await expect(page.locator('.find input')).toHaveValue(`name:${name}`);
    await page.locator('#tab-results').click();
    // Its row may have to be fetched.
    await expect(page.locator('#hit-0')).toContainText(name);
    await page.locator('#hit-0').click({ button: 'right' });
    await expect(menu(page)).toHaveAttribute('aria-label', name);
    await entry(page, 'Show in the timeline').click();
    await expect(page.locator('#hit-0')).toHaveAttribute('aria-selected', 'true');
  });
});

test.describe('the search for commands', () => {
  test('runs commands by keyboard, and offers what was used before first', async ({ page }) => {
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await field(page).fill('whole trace');
    await expect(options(page).first()).toContainText('Show the whole trace');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await expect(field(page)).toHaveAttribute('aria-activedescendant', 'find-field-option-0');
    await page.keyboard.press('Enter');
    await expect(field(page)).toHaveCount(0);
    await expect(area(page)).toBeFocused();
    await page.keyboard.press('Control+k');
    await expect(options(page).first()).toContainText('Show the whole trace');
    await page.keyboard.press('Escape');
    await expect(field(page)).toHaveCount(0);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+k');
    await expect(field(page)).toHaveCount(0);
  });

  test('offers only what has an effect', async ({ page }) => {
    await page.keyboard.press('Control+Shift+P');
    await field(page).fill('caller');
    await expect(options(page).filter({ hasText: 'Select the caller' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await expect(heading(page)).toHaveText('#1');
    await page.keyboard.press('Control+k');
    await field(page).fill('caller');
    await expect(options(page).filter({ hasText: 'Select the caller' })).toHaveCount(1);
  });

  test('leads to panels, tracks, positions and hits', async ({ page }) => {
    const everything = page.getByRole('combobox', { name: 'Search', exact: true });
    const run = async (query: string, title: string | RegExp) => {
      await page.keyboard.press('Control+f');
      await everything.fill(query);
      await options(page).filter({ hasText: title }).first().click();
    };
    await run('records', 'Show Records');
    await expect(page.locator('#tab-events')).toHaveAttribute('aria-selected', 'true');
    await run('4713', 'Go to thread 4713');
    await expect(page.locator('.track.current')).toContainText('thread 4713');
    await run('100 µs', /^Place\s*Go to/);
    await expect(details(page)).toContainText('Duration');
    await page.keyboard.press('Control+p');
    await page.getByRole('combobox', { name: 'Go to a position or a name' }).fill('nowhere');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText('No name contains “nowhere”');
    await run('name:#3', 'Records that match “name:#3”');
    await expect(page.locator('.find input')).toHaveValue('name:#3');
    await run('select 1 + 1', /^SQL/);
    await expect(page.locator('#tab-query')).toHaveAttribute('aria-selected', 'true');
    await expect(page.locator('.query')).toContainText('1 row');
  });

  test('leads the focus to a panel, and to what the pane about the selection shows', async ({ page }) => {
    await open(page, fixture('frames/calls.frames'));
    const run = async (query: string, tab: string) => {
      await page.keyboard.press('Control+k');
      await field(page).fill(query);
      await page.keyboard.press('Enter');
      await expect(page.locator(tab)).toBeFocused();
      await expect(page.locator(tab)).toHaveAttribute('aria-selected', 'true');
    };
    await run('show coverage', '#tab-coverage');
    await run('show sql', '#tab-query');
    await run('show state', '#tab-of-state');
    await run('show details', '#tab-of-details');
  });

  test('offers to open a file without a trace', DIALOG, async ({ page }) => {
    await page.goto('./');
    await page.keyboard.press('Control+k');
    await field(page).fill('open');
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Enter');
    await chooser;
  });
});
