import { expect, type Locator, type Page } from '@playwright/test';
import { area, details, fixture, open, pictured, plain, selectRange, test } from './page.ts';

const view = (page: Page, name: string) => page.getByRole('radio', { name, exact: true });
const table = (page: Page) => page.getByRole('grid', { name: 'Functions' });
const flame = (page: Page) => page.getByRole('application', { name: /^Flame graph/ });
const way = (page: Page) => page.getByRole('navigation', { name: /Callers/ });

/** The texts of the cells of each row. */
async function rows(page: Page): Promise<string[]> {
  return (await table(page).locator('tbody tr:not(.spacer)').allInnerTexts()).map(plain);
}

const row = (page: Page, name: string): Locator =>
  table(page)
    .locator('tbody tr')
    .filter({ has: page.locator('td.name', { hasText: new RegExp(`^${name}$`) }) });

test.describe('functions', () => {
  test.beforeEach(async ({ page }) => {
    await open(page, fixture('threads.xray'));
    await pictured(page);
    await view(page, 'Functions').click();
    await expect(table(page)).toBeVisible();
  });

  test('have the sums of the records', async ({ page }) => {
    // From `unspool dump --as jsonl`: counts, and ticks at 2.4 GHz. Shares are of the time covered in `unspool stats`.
    await expect(row(page, '#15')).toHaveText(/#15117\.96.µs/);
    expect(await rows(page)).toHaveLength(16);
    expect(plain(await row(page, '#5').innerText())).toBe(
      '#5 85 169.2 µs 10.7 % 169.2 µs 1.059 µs ≈1.987 µs ≈2.813 µs 3.120 µs 3.120 µs',
    );
    expect(plain(await row(page, '#8').innerText())).toBe(
      '#8 7 392.6 µs 24.9 % 269.2 µs 39.03 µs ≈55.89 µs 71.03 µs 71.03 µs 71.03 µs',
    );
    await expect(page.getByText(/16.functions, 513.calls/)).toBeVisible();
  });

  test('can be sorted by a click on a head, and filtered by text', async ({ page }) => {
    const head = (name: string) => table(page).getByRole('columnheader', { name });
    await expect(head('Total')).toHaveAttribute('aria-sort', 'descending');
    expect((await rows(page))[0]).toMatch(/^#3 /);
    await head('Count').getByRole('button').click();
    await expect(head('Count')).toHaveAttribute('aria-sort', 'descending');
    await expect(head('Total')).toHaveAttribute('aria-sort', 'none');
    expect((await rows(page))[0]).toMatch(/^#13 122 /);
    await head('Count').getByRole('button').click();
    expect((await rows(page))[0]).toMatch(/^#1 1 /);
    await head('Function').getByRole('button').click();
    expect((await rows(page)).slice(0, 3).map((text) => text.split(' ')[0])).toEqual(['#1', '#2', '#3']);
    await page.getByRole('combobox', { name: 'Filter functions' }).fill('#1');
    await expect.poll(async () => (await rows(page)).length).toBe(8);
    await page.getByRole('combobox', { name: 'Filter functions' }).fill('nothing');
    await expect(page.getByText('No function matches.')).toBeVisible();
  });

  test('have exact percentiles on demand', async ({ page }) => {
    await row(page, '#5').click();
    await expect(row(page, '#5')).toHaveAttribute('aria-selected', 'true');
    await row(page, '#5').getByTitle('Find exact percentiles').first().click();
    await expect.poll(async () => plain(await row(page, '#5').innerText())).toContain('1.981 µs 2.811 µs 3.120 µs');
    await page.keyboard.press('Escape');
    await expect(row(page, '#5')).toHaveAttribute('aria-selected', 'false');
  });

  test('stand out in the timeline', { tag: '@pixels' }, async ({ page }) => {
    const shot = async () => (await area(page).screenshot()).toString('base64');
    await page.mouse.move(0, 0);
    const before = await shot();
    await row(page, '#5').click();
    await expect(row(page, '#5')).toHaveAttribute('aria-selected', 'true');
    await page.mouse.move(0, 0);
    await expect.poll(shot).not.toBe(before);
    await page.keyboard.press('Escape');
    await expect(row(page, '#5')).toHaveAttribute('aria-selected', 'false');
    await expect.poll(shot).toBe(before);
  });

  test('can be selected by keyboard', async ({ page }) => {
    await table(page).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(table(page).locator('[aria-selected=true]')).toHaveText(/^#2/);
    await page.keyboard.press('End');
    await expect(table(page).locator('[aria-selected=true]')).toHaveText(/^#16/);
  });

  test('can be limited to one thread', async ({ page }) => {
    await page.getByRole('combobox', { name: 'Threads' }).selectOption({ label: 'main thread 4711' });
    await expect.poll(async () => (await rows(page)).map((text) => text.split(' ')[0])).toEqual(['#1', '#15', '#16']);
  });

  test('can be limited to a range, until it is cleared', async ({ page }) => {
    await selectRange(page, 0.3, 0.5);
    const range = page.getByRole('navigation', { name: 'Range' });
    await expect(range).toContainText(/\d.µs – [\d.]+.µs/);
    await expect(page.locator('.range')).toBeVisible();
    const length = await page.locator('.range-length').innerText();
    await expect(range).toContainText(`(${length})`);
    await expect(page.getByText(/, 513.calls/)).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(range).toBeHidden();
    await expect(page.getByText(/, 513.calls/)).toBeVisible();
    await selectRange(page, 0.5, 0.3);
    await page.getByRole('button', { name: 'Show whole trace' }).click();
    await expect(page.locator('.range')).toBeHidden();
    await expect(page.getByText(/, 513.calls/)).toBeVisible();
  });

  test('can be limited to a selected call, by keyboard alone', async ({ page }) => {
    await area(page).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('r');
    await expect(page.getByRole('navigation', { name: 'Range' })).toContainText('28.15');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('navigation', { name: 'Range' })).toBeHidden();
    await expect(details(page)).toBeVisible();
  });
});

test.describe('the flame graph', () => {
  test.beforeEach(async ({ page }) => {
    await open(page, fixture('threads.xray'));
    await pictured(page);
    await view(page, 'Flame').click();
    await expect(flame(page)).toBeVisible();
  });

  test('focuses a clicked node, and goes back', { tag: '@layout' }, async ({ page }) => {
    await expect(way(page)).toHaveText('All 4 threads');
    const box = (await flame(page).boundingBox())!;
    // The leftmost node below the root: the heaviest of the outermost calls.
    await page.mouse.move(box.x + 20, box.y + 17 + 8);
    const tip = page.locator('.flame .tooltip');
    await expect(tip).toContainText(/total [\d.]+.[mµ]s [\d.]+.%/);
    const name = await tip.locator('b').innerText();
    await page.mouse.click(box.x + 20, box.y + 17 + 8);
    await expect(way(page)).toHaveText(new RegExp(`^All 4 threads › ${name}$`));
    await page.mouse.click(box.x + 20, box.y + 2 * 17 + 8);
    await expect(way(page)).toHaveText(new RegExp(`^All 4 threads › ${name} › #\\d+$`));
    await page.keyboard.press('Escape');
    await expect(way(page)).toHaveText(new RegExp(`^All 4 threads › ${name}$`));
    await way(page).getByRole('button').click();
    await expect(way(page)).toHaveText('All 4 threads');
  });

  test('can be explored by keyboard', async ({ page }) => {
    const said = page.locator('.flame [role=status]');
    await flame(page).focus();
    await page.keyboard.press('ArrowDown');
    await expect(said).toContainText('All 4 threads');
    await page.keyboard.press('ArrowDown');
    await expect(said).toContainText(/^#2, total 985\.2.µs/);
    await page.keyboard.press('ArrowRight');
    await expect(said).toContainText(/^#3, total 560\.6.µs/);
    await page.keyboard.press('ArrowRight');
    await expect(said).toContainText(/^#1, total 28\.15.µs/);
    await page.keyboard.press('ArrowDown');
    await expect(said).toContainText(/^#15, total 17\.96.µs/);
    await page.keyboard.press('Enter');
    await expect(way(page)).toHaveText('All 4 threads › #1 › #15');
    await page.keyboard.press('Escape');
    await expect(way(page)).toHaveText('All 4 threads');
  });

  test('covers the range', async ({ page }) => {
    await selectRange(page, 0.012, 0.03);
    await expect(page.getByRole('navigation', { name: 'Range' })).toBeVisible();
    await expect(page.locator('.flame .panel-end')).toHaveText(/^\d+.calls$/);
  });
});

test('the dock can be folded and resized, and keeps its state', { tag: '@layout' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  const dock = page.locator('.dock');
  const height = async () => Math.round((await dock.boundingBox())!.height);
  const before = await height();
  expect(before).toBeGreaterThan(200);
  await page.getByRole('separator', { name: 'Height of the panels' }).focus();
  await page.keyboard.press('ArrowUp');
  await expect.poll(height).toBe(before + 24);
  await page.getByRole('button', { name: 'Fold the panels' }).click();
  await expect.poll(height).toBeLessThan(40);
  await page.reload();
  await open(page, fixture('threads.xray'));
  await expect.poll(height).toBeLessThan(40);
  await page.getByRole('tab', { name: 'Functions' }).click();
  await expect.poll(height).toBe(before + 24);
});

/** The tabs of the dock. */
const panels = (page: Page) => page.getByRole('tablist', { name: 'Panels' });

test('the view of calls is that of the format until the person chooses another, for that format alone', async ({
  page,
}) => {
  const front = page.getByRole('radiogroup', { name: 'View' }).getByRole('radio', { checked: true });
  const log = fixture('threads.xray');
  const frames = fixture('frames/calls.frames');
  // Where instructions were recorded, the list of them comes first.
  await open(page, frames);
  await expect(panels(page).getByRole('tab', { selected: true })).toHaveText('Steps');
  await expect(panels(page).getByRole('tab').first()).toHaveText('Steps');
  await page.getByRole('tab', { name: 'Functions' }).click();
  await expect(front).toHaveText('Flame');
  await open(page, log);
  await expect(front).toHaveText('Functions');
  await open(page, frames);
  await expect(front).toHaveText('Flame');
  await view(page, 'Tree').click();
  await page.reload();
  await open(page, frames);
  await expect(front).toHaveText('Tree');
  await open(page, fixture('rvn/blocks.sqlite'));
  await page.getByRole('tab', { name: 'Functions' }).click();
  await expect(front).toHaveText('Flame');
});

test('the front panel is the one that the person chose last for the format', async ({ page }) => {
  const front = panels(page).getByRole('tab', { selected: true });
  const log = fixture('threads.xray');
  await open(page, log);
  await expect(front).toHaveText('Functions');
  await page.getByRole('tab', { name: 'Records' }).click();
  await page.reload();
  await open(page, log);
  await expect(front).toHaveText('Records');
  await open(page, fixture('rvn/blocks.sqlite'));
  await expect(front).toHaveText('Steps');
});

test('the dock starts folded in a small window', { tag: '@layout' }, async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 600 });
  await page.reload();
  await open(page, fixture('threads.xray'));
  await expect(page.getByRole('button', { name: 'Unfold the panels' })).toBeVisible();
});
