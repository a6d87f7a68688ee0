import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { details, fixture, open, pictured, plain, showCalls, test } from './page.ts';

const stacks = (page: Page) => page.getByRole('grid', { name: 'Stacks' });
const chosen = (page: Page) => stacks(page).locator('[aria-selected=true]');
const graph = (page: Page) => page.locator('.graph-svg');
const box = (page: Page, name: string) => graph(page).getByRole('button', { name: new RegExp(`^${name}, `) });

test.beforeEach(async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
});

test.describe('stacks', () => {
  test.beforeEach(async ({ page }) => {
    await showCalls(page, 'Stacks');
    await expect(stacks(page).getByRole('row').nth(1)).toBeVisible();
  });
  const texts = async (page: Page) =>
    (await stacks(page).locator('tbody tr').allInnerTexts()).map((text) => plain(text)).slice(0, 3);

  test('are listed by self time, total or count, with their lines', async ({ page }) => {
    // From `unspool stats --by stack`.
    expect((await texts(page))[0]).toMatch(/^236\.7 µs 985\.2 µs 2 [\d.]+ % #2$/);
    await page.getByRole('radio', { name: 'Total' }).click();
    await expect.poll(async () => (await texts(page))[0]).toMatch(/^985\.2 µs 236\.7 µs 2 [\d.]+ % #2$/);
    await page.getByRole('radio', { name: 'Count', exact: true }).click();
    await expect.poll(async () => (await texts(page))[0]).toMatch(/^\d+ .* 100 % #\d+ ?#/);
    await page.getByRole('combobox', { name: 'Threads' }).selectOption({ label: 'main thread 4711' });
    await expect.poll(async () => (await texts(page)).length).toBe(3);
  });

  test('lead to their longest call, the tree and the flame graph', async ({ page }) => {
    await stacks(page).focus();
    await page.keyboard.press('ArrowDown');
    await expect(chosen(page)).toContainText('#2');
    await page.keyboard.press('Enter');
    await expect(details(page)).toContainText('510.9');
    await expect(details(page)).toContainText('#2');
    await page.getByRole('group', { name: 'Stack' }).getByRole('button', { name: 'Tree' }).click();
    const row = page.getByRole('tree', { name: 'Call tree' }).locator('[aria-selected=true]');
    await expect(row).toHaveText(/^#2/);
    await expect(row).toHaveAttribute('aria-level', '1');
    await showCalls(page, 'Stacks');
    await expect(chosen(page)).toContainText('#2');
    await page.getByRole('group', { name: 'Stack' }).getByRole('button', { name: 'Flame' }).click();
    await expect(page.getByRole('navigation', { name: 'Focus' })).toHaveText(/ › #2$/);
  });

  test('can be shown in ticks', async ({ page }) => {
    await page.getByRole('button', { name: 'What is shown' }).click();
    await page.getByRole('menuitem', { name: 'Show lengths in ticks' }).click();
    await expect.poll(async () => (await texts(page))[0]).toMatch(/^568,094 2,364,489 2 /);
    await page.getByRole('radio', { name: 'Functions', exact: true }).click();
    await expect(page.getByRole('button', { name: 'What is shown' })).toHaveAttribute('title', /in seconds/);
    await expect(page.getByRole('grid', { name: 'Functions' })).toContainText('2,364,489');
  });
});

test.describe('the call graph', () => {
  test.beforeEach(async ({ page }) => {
    await showCalls(page, 'Graph');
    await expect(box(page, '#1')).toBeVisible();
  });

  test('has boxes and arrows with the figures of `unspool graph`', async ({ page }) => {
    await expect(graph(page).locator('.graph-node')).toHaveCount(16);
    // 19 edges, of which three are from the root.
    await expect(graph(page).locator('.graph-edge')).toHaveCount(16);
    await expect(page.getByText(/^16.functions, 19.edges$/)).toBeVisible();
    expect(plain((await box(page, '#3').getAttribute('aria-label')) ?? '')).toBe(
      '#3, 28 calls, total 1.309 ms · self 85.54 µs',
    );
    await expect(graph(page).locator('.graph-edge', { hasText: /^85 · / })).toHaveCount(1);
  });

  test('folds thin edges as the slider says', async ({ page }) => {
    const slider = page.getByRole('slider', { name: 'Edges' });
    await slider.fill('6');
    await expect(page.getByText(/^16.functions, 19.edges, 13 thin ones folded$/)).toBeVisible();
    await expect(graph(page).locator('.graph-node')).toHaveCount(5);
  });

  test('selects functions everywhere, by pointer and by key', async ({ page }) => {
    await box(page, '#3').click();
    await expect(box(page, '#3')).toHaveAttribute('aria-pressed', 'true');
    await page.keyboard.press('ArrowDown');
    const pressed = graph(page).locator('[aria-pressed=true]');
    await expect(pressed).toHaveAttribute('aria-label', /^#(6|10|4|14), /);
    await expect(pressed).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(pressed).toHaveAttribute('aria-label', /^#3, /);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('group', { name: 'Calls of #3' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(box(page, '#3')).toHaveAttribute('aria-pressed', 'true');
    await page.getByRole('radio', { name: 'Functions', exact: true }).click();
    await expect(page.getByRole('grid', { name: 'Functions' }).locator('[aria-selected=true]')).toHaveText(/^#3/);
  });

  test('zooms and pans', { tag: '@layout' }, async ({ page }) => {
    const place = () => graph(page).locator('.graph-all').getAttribute('transform');
    const legible = await place();
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(place).not.toBe(legible);
    const fitted = await place();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await place()).not.toBe(fitted);
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(place).toBe(fitted);
    const area = (await page.locator('.graph-drawing').boundingBox())!;
    await page.mouse.move(area.x + 20, area.y + 20);
    await page.mouse.down();
    await page.mouse.move(area.x + 80, area.y + 60);
    await page.mouse.up();
    const moved = await place();
    expect(moved).not.toBe(fitted);
    await page.mouse.wheel(0, -200);
    await expect.poll(place).not.toBe(moved);
    await box(page, '#1').focus();
    await page.keyboard.press('0');
    await expect.poll(place).toBe(fitted);
  });

  test('is a table, too', async ({ page }) => {
    await page.getByRole('radio', { name: 'Table' }).click();
    const table = page.getByRole('grid', { name: 'Edges of the call graph' });
    await expect(table).toHaveAttribute('aria-rowcount', '20');
    await table.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(plain(await table.locator('[aria-selected=true]').innerText())).toMatch(/^#2 #3 18 /);
  });

  test('says how long the calls of an edge took', async ({ page }) => {
    await page.getByRole('radio', { name: 'Table' }).click();
    const table = page.getByRole('grid', { name: 'Edges of the call graph' });
    await table.getByRole('row', { name: /#2\s+#3/ }).click();
    const line = page.locator('.graph-line');
    // From `unspool graph --as json`: 59,492 and 219,013 ticks of 2.4 GHz.
    await expect(line).toContainText(/#2 → #3\s*18.calls.*min 24\.79.µs.*median ≈36\.\d+.µs.*max 91\.26.µs/);
    await line.getByRole('button', { name: 'Longest call' }).click();
    await expect(details(page).getByRole('heading')).toHaveText('#3');
    await expect(details(page)).toContainText('91.26');
    await line.getByRole('button', { name: 'Close the figures of the edge' }).click();
    await expect(line).toHaveCount(0);
    await page.getByRole('radio', { name: 'Drawing' }).click();
    await graph(page)
      .locator('.graph-edge', { hasText: /^85 · / })
      .click();
    await expect(line).toContainText(/85.calls/);
  });

  test('can be saved', async ({ page }) => {
    const saved = async (item: RegExp) => {
      await page.getByRole('button', { name: 'Save ▾' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: item }).click(),
      ]);
      return { name: download.suggestedFilename(), text: readFileSync((await download.path())!, 'utf8') };
    };
    const dot = await saved(/DOT/);
    expect(dot.name).toBe('threads.xray.dot');
    expect(dot.text).toMatch(/F\d+ -> F\d+ \[label="85" count=85 /);
    const svg = await saved(/SVG/);
    expect(svg.text).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg.text.match(/<text/g)!.length).toBeGreaterThan(32);
    expect(svg.text).not.toContain('var(');
  });

  test('covers the range', async ({ page }) => {
    await page.getByRole('combobox', { name: 'Threads' }).selectOption({ label: 'main thread 4711' });
    await expect(page.getByText(/^3.functions, 3.edges$/)).toBeVisible();
  });
});

test.describe('the calls of a function', () => {
  test.beforeEach(async ({ page }) => {
    await showCalls(page, 'Functions');
    const row = page.getByRole('grid', { name: 'Functions' }).locator('tbody tr', { hasText: /^#6/ });
    await row.dblclick();
    await expect(page.getByRole('group', { name: 'Calls of #6' })).toBeVisible();
  });

  test('have percentiles that lead to calls', async ({ page }) => {
    const percentiles = page.getByRole('group', { name: 'Percentiles' });
    await expect(percentiles.getByRole('button')).toHaveCount(5);
    await expect(percentiles).toHaveText(
      /Min\s*2\.251\sµs\s*Median\s*4\.553\sµs\s*p90\s*71\.82\sµs\s*p99\s*76\.02\sµs\s*Max\s*76\.02\sµs/,
    );
    await percentiles.getByRole('button', { name: '4.553' }).click();
    await expect(details(page)).toContainText('4.553');
  });

  test('can be compared, a slow one beside a median one', async ({ page }) => {
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const table = page.getByRole('table', { name: 'A slow call beside a median one' });
    const row = (name: string) => table.getByRole('row', { name: new RegExp(`^${name} `) });
    await expect(row('Duration')).toContainText('76.02');
    // Of the calls near the median of 4.553 µs, this one did the same.
    await expect(page.locator('.compare')).toContainText('nearest to the median with the same callees');
    await expect(row('Duration')).toContainText('42.02');
    await expect(row('#8')).toBeVisible();
    await page.getByRole('radio', { name: 'p90 call' }).click();
    await expect(row('Duration')).toContainText('71.82');
    await table.getByRole('button', { name: 'Median call' }).click();
    await expect(details(page)).toContainText('42.02');
    await expect(page.getByRole('radio', { name: 'Selected call' })).toBeVisible();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await expect(page.getByRole('grid', { name: 'Call list' })).toBeVisible();
  });
});

test('callees of tail calls count under their callers on request', async ({ page }) => {
  await open(page, fixture('tail-calls.xray'));
  await showCalls(page, 'Functions');
  const figures = async () =>
    plain(await page.getByRole('grid', { name: 'Functions' }).locator('tbody tr', { hasText: /^#2/ }).innerText());
  const choose = async (title: string) => {
    await page.getByRole('button', { name: 'What is shown' }).click();
    await page.getByRole('menuitem', { name: title }).click();
  };
  const before = await figures();
  await choose('Show tail calls under their callers');
  await expect(page.getByText('shown under their callers')).toBeVisible();
  // Its callees take four times as long as itself.
  await expect.poll(figures).not.toBe(before);
  await choose('Show tail calls beside their callers');
  await expect.poll(figures).toBe(before);
});
