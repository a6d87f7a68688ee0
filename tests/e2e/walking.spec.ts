import { expect, type Page } from '@playwright/test';
import { fixture, open, pictured, recording, test, typeGoTo } from './page.ts';

const listing = (page: Page) => page.getByRole('tabpanel', { name: 'Steps' });

/** Opens a trace and selects a step in the listing. */
async function listingAt(page: Page, path: string, step: number): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, path);
  await pictured(page);
  await page.getByRole('tab', { name: 'Steps' }).click();
  await goTo(page, step);
}

async function goTo(page: Page, step: number): Promise<void> {
  await typeGoTo(page, step);
  await page.locator('#find-field').blur();
  await isAt(page, step);
}

/** The current row of the listing is that of a step. */
async function isAt(page: Page, step: number): Promise<void> {
  const row = listing(page).locator('tr[aria-selected=true] td').first();
  await expect(row).toHaveText(step.toLocaleString('en'));
}

test('over, into and out of calls, in both directions', async ({ page }) => {
  await listingAt(page, fixture('frames/calls.frames'), 7);
  await page.keyboard.press('F10');
  await isAt(page, 70);
  await page.keyboard.press('Control+Shift+F10');
  await isAt(page, 7);
  await page.keyboard.press('Control+F11');
  await isAt(page, 8);
  await page.keyboard.press('F10');
  await isAt(page, 9);
  await page.keyboard.press('Control+F12');
  await isAt(page, 70);
  await page.keyboard.press('Control+Shift+F11');
  await isAt(page, 69);
  await page.keyboard.press('Control+Shift+F12');
  await isAt(page, 7);
  // The same by buttons.
  await listing(page).getByRole('button', { name: 'Step over', exact: true }).click();
  await isAt(page, 70);
  // Nothing is indexed for that.
  expect(page.workers().filter((worker) => worker.url().endsWith('#steps'))).toHaveLength(0);
  await goTo(page, 3);
  await listing(page)
    .getByRole('button', { name: /^Step out$/ })
    .click();
  await expect(listing(page).getByText('This call does not return in the recording.')).toBeVisible();
  await isAt(page, 3);
});

test('to executions, system calls and interrupts', async ({ page }) => {
  await listingAt(page, fixture('frames/calls.frames'), 8);
  await page.keyboard.press('Control+F9');
  await isAt(page, 17);
  await page.keyboard.press('Control+F9');
  await isAt(page, 26);
  await page.keyboard.press('Control+Shift+F9');
  await isAt(page, 17);
  await page.keyboard.press('Control+Shift+F9');
  await isAt(page, 8);
  await page.keyboard.press('Control+Shift+F9');
  await expect(listing(page).getByText('No earlier execution of this address.')).toBeVisible();
  await page.keyboard.press('Control+F8');
  await isAt(page, 74);
  await page.keyboard.press('Control+F8');
  // Not 75: that is the record of the call that the instruction at 74 made.
  await isAt(page, 111);
  await page.keyboard.press('Control+F7');
  await expect(listing(page).getByText('No later interrupt or fault.')).toBeVisible();
  await listing(page).getByLabel('What to go to').selectOption('system-call');
  await listing(page).getByRole('button', { name: 'Go to the previous system call' }).click();
  await isAt(page, 74);
});

test('calls are indented', { tag: '@layout' }, async ({ page }) => {
  await listingAt(page, fixture('frames/calls.frames'), 16);
  // The rows of a listing of everything are numbered as the steps.
  const row = (step: number) => listing(page).locator(`#event-${step}`);
  const indentation = (step: number) =>
    row(step)
      .locator('td')
      .nth(3)
      .evaluate((cell) => Number.parseFloat(getComputedStyle(cell).paddingLeft));
  await expect.poll(async () => (await indentation(17)) - (await indentation(16))).toBe(10);
});

test('the steps around the selected one are marked', async ({ page }) => {
  await listingAt(page, fixture('frames/calls.frames'), 16);
  const row = (step: number) => listing(page).locator(`#event-${step}`);
  await expect(row(15)).toHaveClass('trail-before');
  await expect(row(17)).toHaveClass('trail-after');
  await expect(row(16)).not.toHaveClass(/trail/);
});

test('each thread is walked through on its own', async ({ page }) => {
  // Two processors in blocks of 64 frames.
  await listingAt(page, fixture('frames/plugin.frames'), 63);
  await page.keyboard.press('Control+F11');
  await isAt(page, 128);
  await page.keyboard.press('Control+Shift+F11');
  await isAt(page, 63);
  await listing(page).getByLabel('What to go to').selectOption('thread');
  await listing(page).getByRole('button', { name: 'Go to the next change of thread' }).click();
  await isAt(page, 64);
});

test('transitions of a block trace', async ({ page }) => {
  test.slow();
  const path = recording('rvn/medium.sqlite');
  await listingAt(page, path, 57);
  // The call that the block ends with, from 58 to before 249.
  await page.keyboard.press('F10');
  await isAt(page, 249);
  await page.keyboard.press('Control+Shift+F10');
  await isAt(page, 57);
  await page.keyboard.press('Control+F11');
  await isAt(page, 58);
  await page.keyboard.press('Control+F12');
  await isAt(page, 249);
  // What an index of its runs knows.
  await goTo(page, 0);
  await page.keyboard.press('Control+F7');
  await isAt(page, 1_172);
  await listing(page).getByLabel('What to go to').selectOption('privilege');
  await listing(page).getByRole('button', { name: 'Go to the next change between user and kernel' }).click();
  await isAt(page, 1_173);
  await page.keyboard.press('Control+F9');
  await page.getByRole('tab', { name: 'Coverage' }).click();
  const hottest = page.getByRole('grid', { name: 'Blocks' }).locator('tbody tr:not(.spacer)').first();
  await expect(hottest).toContainText('55,176');
  await expect(hottest).toContainText('0x7ff6124171d0');
  await hottest.click();
  await page.getByRole('tab', { name: 'Steps' }).click();
  await isAt(page, 37_962);
  await page.keyboard.press('Control+F9');
  await isAt(page, 38_004);
  await page.keyboard.press('Control+Shift+F9');
  await isAt(page, 37_962);
});

test('loops and calls are folded', async ({ page }) => {
  const path = recording('frames/real-loads-stores.frames');
  await listingAt(page, path, 10);
  const rows = listing(page).locator('tbody tr:not(.spacer)');
  await listing(page).getByRole('button', { name: 'Fold loops' }).click();
  await expect(listing(page).getByText(/^428.loops$/)).toBeVisible();
  // The inner loop of four iterations, of which two are shown, in the first iteration of the outer one.
  const inner = rows.filter({ hasText: '× 4 · 2 more iterations · 12 steps' }).first();
  const outer = rows.filter({ hasText: '× 64 · 62 more iterations · 2,294 steps' });
  await goTo(page, 21);
  await expect(inner).toBeVisible();
  await goTo(page, 46);
  await expect(outer).toBeVisible();
  // A step in hidden iterations selects the row in their place.
  await typeGoTo(page, 1000);
  await expect(outer).toHaveAttribute('aria-selected', 'true');
  await outer.click();
  await isAt(page, 1000);
  await goTo(page, 10);
  await listing(page).getByRole('button', { name: 'Loop of 64 iterations' }).click();
  await goTo(page, 46);
  await expect(outer).toBeVisible();
  // The call in it.
  await goTo(page, 13);
  await page.keyboard.press('Alt+l');
  await expect(outer).toHaveCount(0);
  const call = listing(page).locator('#event-13');
  await call.getByRole('button', { name: /^Call of / }).click();
  await expect(call).toHaveText(/· 28.steps$/);
  await call.click();
  await expect(listing(page).locator('#event-14')).toBeVisible();
  await page.keyboard.press('Alt+l');
  await listing(page).getByRole('button', { name: 'Keep as track' }).click();
  await expect(page.getByRole('button', { name: 'loops', exact: true })).toBeVisible();
});

test('folding loops keeps what is at the top of the listing, without a selected step', { tag: '@layout' }, async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, recording('frames/real-loads-stores.frames'));
  await pictured(page);
  await page.getByRole('tab', { name: 'Steps' }).click();
  const row = (step: number) => listing(page).locator(`#event-${step}`);
  const height = (await row(0).boundingBox())?.height ?? 0;
  await listing(page)
    .locator('.table')
    .evaluate((table, top) => table.scrollTo(0, top), 1000 * height);
  await expect(row(1000)).toBeInViewport();
  await listing(page).getByRole('button', { name: 'Fold loops' }).click();
  const outer = listing(page).locator('tr').filter({ hasText: '× 64 · 62 more iterations · 2,294 steps' });
  await expect(outer).toBeInViewport();
});

test('filters grey what does not match, and walks pass over it', async ({ page }) => {
  const path = recording('rvn/medium.sqlite');
  await listingAt(page, path, 1170);
  const row = (step: number) => listing(page).locator(`#event-${step}`);
  // A page fault before its block has ended.
  await expect(row(1171)).toHaveClass(/partial/);
  await expect(row(1171)).toContainText('left after 7 of 12 instructions');
  const filter = listing(page).getByLabel('Steps to walk through');
  await filter.focus();
  await expect(filter.getByRole('option', { name: 'Kernel' })).toBeAttached();
  await filter.selectOption('Kernel');
  await expect(row(1171)).toHaveClass(/passed-over/);
  await page.keyboard.press('Control+F11');
  await isAt(page, 1173);
  await expect(row(1173)).not.toHaveClass(/passed-over/);
  await page.keyboard.press('Control+Shift+F11');
  await expect(listing(page).getByText('No earlier step that matches.')).toBeVisible();
  await filter.selectOption('User');
  await page.keyboard.press('Control+F11');
  await isAt(page, 1310);
  await filter.selectOption('All steps');
  await expect(row(1309)).not.toHaveClass(/passed-over/);
});

test('system calls have names and arguments', async ({ page }) => {
  await listingAt(page, fixture('frames/calls.frames'), 75);
  await expect(listing(page).locator('#event-75').getByRole('gridcell').nth(3)).toContainText(
    'system call: syscall = read',
  );
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  await goTo(page, 74);
  const pane = page.getByRole('complementary', { name: 'State' });
  await expect(pane).toContainText('System call read 0: rdi 0x0, rsi 0x404000, rdx 0x0');
});
