import { expect, type Page } from '@playwright/test';
import { details, fixture, open, pictured, runCommand, test } from './page.ts';

const range = (page: Page) => page.getByRole('navigation', { name: 'Range' });
const band = async (page: Page) => (await page.locator('.range').boundingBox())!;
const lengths = (page: Page) => page.getByRole('region', { name: 'Lengths' });

/** Drags with Shift from one place of the timeline to another, with a key held if given. */
async function select(page: Page, from: readonly [number, number], to: readonly [number, number], held?: 'Control') {
  const box = (await page.locator('.area').boundingBox())!;
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + from[0], box.y + from[1]);
  if (held) await page.keyboard.down(held);
  await page.mouse.down();
  await page.mouse.move(box.x + (from[0] + to[0]) / 2, box.y + to[1]);
  await page.mouse.move(box.x + to[0], box.y + to[1]);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  if (held) await page.keyboard.up(held);
}

/** Selects the callee of the first call of the main thread by keyboard, and returns its place on the screen. */
async function secondCall(page: Page) {
  await pictured(page);
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await expect(details(page).getByRole('heading').first()).toHaveText('#15');
  await page.keyboard.press('r');
  const { x, width, y } = await band(page);
  const area = (await page.locator('.area').boundingBox())!;
  const exact = await range(page).textContent();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  return { left: x - area.x, right: x + width - area.x, row: 30 + 3 + 17 + 8 + (y - area.y), exact };
}

test('edges of a range snap to those of slices, but not with Ctrl', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  const { left, right, row, exact } = await secondCall(page);
  await select(page, [left + 4, row], [right - 4, row]);
  expect(await range(page).textContent()).toBe(exact);
  await page.keyboard.press('Escape');
  await select(page, [left + 4, row], [right - 4, row], 'Control');
  await expect(range(page)).toBeVisible();
  expect(await range(page).textContent()).not.toBe(exact);
});

test('the edges of a range can be dragged', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await select(page, [200, 5], [500, 5]);
  const before = await band(page);
  await page.mouse.move(before.x + before.width, before.y + 5);
  await page.mouse.down();
  await page.mouse.move(before.x + before.width + 50, before.y + 5);
  await page.mouse.move(before.x + before.width + 100, before.y + 5);
  await page.mouse.up();
  const after = await band(page);
  expect(Math.abs(after.x - before.x)).toBeLessThan(2);
  expect(Math.abs(after.width - before.width - 100)).toBeLessThan(3);
});

test('the length of a range is shown while it is dragged, with the unit of the axis', async ({ page }) => {
  await open(page, fixture('frames/calls.frames'));
  await pictured(page);
  const box = (await page.locator('.area').boundingBox())!;
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + 200, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 5);
  await page.mouse.move(box.x + 400, box.y + 5);
  await expect(page.locator('.range-length')).toHaveText(/^\d+\u00a0steps$/);
  await page.mouse.up();
  await page.keyboard.up('Shift');
});

test('a click with Shift measures from the selection', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  const { left, right, row } = await secondCall(page);
  const area = page.locator('.area');
  const middle = (left + right) / 2;
  await area.click({ position: { x: middle, y: row - 17 } });
  await area.click({ position: { x: middle, y: row }, modifiers: ['Shift'] });
  await expect(lengths(page)).toContainText('Measured from #1');
  await expect(lengths(page)).toContainText(/Start to start\s*6\.930\s*µs/);
  await expect(lengths(page)).toContainText('Start to end');
  // The call lies within the other one.
  await expect(lengths(page)).not.toContainText('End to start');
  await expect(range(page)).toContainText('28.1');
  await page.keyboard.press('Escape');
  await expect(lengths(page)).toBeHidden();
});

test('lengths can be measured by keyboard alone', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await page.keyboard.press('Enter');
  await page.keyboard.press('x');
  await expect(lengths(page)).toContainText('Select an end point.');
  await page.keyboard.press('ArrowDown');
  await expect(lengths(page)).toContainText('Start to start');
  await page.keyboard.press('r');
  await expect(range(page)).toBeVisible();
});

test('each wider range is a click away after narrowing', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const texts: string[] = [];
  for (const [from, to] of [
    [100, 700],
    [200, 600],
    [300, 500],
  ] as const) {
    await select(page, [from, 5], [to, 5]);
    texts.push((await page.locator('.range-length').textContent())!);
  }
  const length = page.locator('.range-length');
  const wider = range(page).getByRole('button', { name: /^Wider range/ });
  await wider.click();
  await expect(length).toHaveText(texts[1]!);
  await wider.click();
  await expect(length).toHaveText(texts[0]!);
  await expect(wider).toHaveCount(0);
});

test('one chip has the range, every panel says whether it follows it, and SQL leads to the whole trace', async ({
  page,
}) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const mark = page.locator('.range-mark');
  const query = page.getByRole('textbox', { name: 'SQL query' });
  await runCommand(page, 'Show SQL');
  await query.fill('select count(*) from slices');
  await page.keyboard.press('Control+Enter');
  const said = page.locator('.query-end .panel-end');
  await expect(said).toContainText('1 row in');
  await expect(said).not.toContainText('limited');
  const counted = page.locator('.query-rows tbody tr[aria-rowindex]').first();
  const ofAll = await counted.textContent();
  await select(page, [200, 5], [400, 5]);
  await expect(range(page)).toHaveCount(1);
  await expect(mark).toContainText('In the range');
  // What was answered at once is asked again, the rest on demand.
  const again = said.getByRole('button', { name: 'Run for the range' });
  await expect(async () => {
    if (await again.isVisible()) await again.click({ timeout: 500 });
    await expect(said).toContainText('limited to the range', { timeout: 2000 });
  }).toPass();
  await expect(counted).not.toHaveText(ofAll!);
  // Hits follow it as well.
  await page.keyboard.press('Control+f');
  await page.getByRole('combobox', { name: 'Search', exact: true }).fill('#1');
  await page.getByRole('button', { name: 'All hits' }).click();
  await expect(page.locator('.results')).toContainText(/\d+ of \d+.hits of #1 begins? in the range/);
  await mark.getByRole('button', { name: 'Show whole trace' }).click();
  await expect(range(page)).toHaveCount(0);
  await expect(page.locator('.results')).not.toContainText('in the range');
});

test('the chip stays when the range is off the screen', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await select(page, [200, 5], [300, 5]);
  const box = (await page.locator('.area').boundingBox())!;
  await page.mouse.move(box.x + box.width - 50, box.y + 5);
  await page.keyboard.down('Control');
  for (let i = 0; i < 12; i += 1) await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await expect(range(page)).toContainText('◂');
  await range(page).getByRole('button', { name: /◂/ }).click();
  await expect(range(page)).not.toContainText('◂');
});
