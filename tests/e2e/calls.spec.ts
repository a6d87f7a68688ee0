import { expect, type Page } from '@playwright/test';
import { area, details, fixture, open, pictured, plain, showCalls, test } from './page.ts';

const tree = (page: Page) => page.getByRole('tree', { name: 'Call tree' });
const chips = (page: Page) => page.getByRole('list', { name: 'Changes to call paths' });
const list = (page: Page) => page.getByRole('grid', { name: 'Call list' });
const mode = (page: Page) => page.getByRole('combobox', { name: 'Mode' });

/** Level, name, total and calls of the rows of the tree. */
async function rows(page: Page): Promise<string[]> {
  // At once: rows that were read one by one could be gone meanwhile.
  const items = await tree(page)
    .getByRole('treeitem')
    .evaluateAll((all) =>
      all.map((item) => [item.getAttribute('aria-level'), (item as HTMLElement).innerText] as const),
    );
  return items.map(([level, text]) => {
    const cells = plain(text).split(' ');
    return `${level} ${cells[0]} ${cells[1]} ${cells[2]} ${cells[5]}`;
  });
}

/** The row of a function. */
const chosen = (page: Page, name: string) =>
  page
    .getByRole('grid', { name: 'Functions' })
    .locator('tbody tr')
    .filter({ has: page.locator('td.name', { hasText: new RegExp(`^${name}$`) }) });

/** Types a filter of call paths. */
async function filter(page: Page, text: string): Promise<void> {
  const box = page.getByRole('searchbox', { name: 'Filter call paths' });
  await box.fill(text);
  await box.press('Enter');
}

test.beforeEach(async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
});

test.describe('the call tree', () => {
  test.beforeEach(async ({ page }) => {
    await showCalls(page, 'Tree');
    await expect(tree(page).getByRole('treeitem').first()).toBeVisible();
  });

  test('opens and closes by keyboard, and selects functions', async ({ page }) => {
    // From `unspool slices`: the outermost calls.
    expect(await rows(page)).toEqual(['1 #2 985.2 µs 2', '1 #3 560.6 µs 10', '1 #1 28.15 µs 1']);
    await tree(page).focus();
    await page.keyboard.press('ArrowDown');
    const current = tree(page).locator('[aria-selected=true]');
    await expect(current).toHaveText(/^#2/);
    await page.keyboard.press('ArrowRight');
    await expect(current).toHaveAttribute('aria-expanded', 'true');
    await expect(tree(page).getByRole('treeitem').nth(1)).toHaveAttribute('aria-level', '2');
    await page.keyboard.press('ArrowRight');
    await expect(current).toHaveText(/^#3/);
    await expect(current).toHaveAttribute('aria-setsize', '1');
    await page.keyboard.press('ArrowLeft');
    await expect(current).toHaveText(/^#2/);
    await page.keyboard.press('ArrowLeft');
    await expect(tree(page).getByRole('treeitem')).toHaveCount(3);
    // Letters find names.
    await page.keyboard.type('#3');
    await expect(current).toHaveText(/^#3/);
    await page.keyboard.press('End');
    await expect(current).toHaveText(/^#1/);
    await page.keyboard.press('Home');
    // All siblings, then everything.
    await page.keyboard.press('*');
    await expect(tree(page).locator('[aria-level="2"]').first()).toBeVisible();
    await expect(tree(page).locator('[aria-level="1"][aria-expanded=false]')).toHaveCount(0);
    await page.keyboard.press('*');
    await expect(tree(page).locator('[aria-level="3"]').first()).toBeVisible();
  });

  test('can be turned round', async ({ page }) => {
    await page.getByRole('radio', { name: 'Bottom up' }).click();
    await expect(tree(page).getByRole('treeitem').first()).toHaveText(/^#8/);
    await tree(page).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    // Its only caller, with the time of the calls from there.
    await expect(tree(page).getByRole('treeitem').nth(1)).toHaveText(/^#6.*392\.6.µs269\.2.µs7/);
  });

  test('shows changed call paths, each change removable', async ({ page }) => {
    await filter(page, '#15');
    await expect(chips(page)).toHaveText(/Only: #15/);
    await expect.poll(() => rows(page)).toEqual(['1 #1 17.96 µs 1']);
    await filter(page, '/^#3$/');
    await expect(page.getByText('No call path is left after these changes.')).toBeVisible();
    await chips(page).getByRole('button', { name: 'Remove Only: #15' }).click();
    await expect.poll(async () => (await rows(page)).map((row) => row.split(' ')[1])).toContain('#2');
    await chips(page).getByRole('button', { name: 'Remove Only: /^#3$/' }).click();
    await expect(chips(page)).toBeHidden();
    // The tree without changes; until it is there, a click selects a row of the one before.
    await expect(tree(page).getByRole('treeitem')).toHaveCount(3);
    await tree(page).getByRole('treeitem').filter({ hasText: /^#2/ }).click();
    await page.getByRole('button', { name: 'Hide' }).click();
    await expect.poll(async () => (await rows(page)).map((row) => row.split(' ')[1])).not.toContain('#2');
    await tree(page).getByRole('treeitem').filter({ hasText: /^#3/ }).click();
    await page.getByRole('button', { name: 'Focus' }).click();
    await expect.poll(async () => (await rows(page)).map((row) => row.split(' ')[1])).toEqual(['#3']);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expect(tree(page).getByRole('treeitem')).toHaveCount(3);
  });

  test('says what is wrong with a regular expression', async ({ page }) => {
    const box = page.getByRole('searchbox', { name: 'Filter call paths' });
    await box.fill('/(/');
    await expect(page.getByRole('alert')).toContainText('Invalid regular expression');
    await box.press('Enter');
    await expect(chips(page)).toBeHidden();
  });
});

test.describe('flame graphs', () => {
  test.beforeEach(async ({ page }) => {
    await showCalls(page, 'Flame');
  });

  test('can be inverted', async ({ page }) => {
    await mode(page).selectOption('Inverted');
    const graph = page.getByRole('application', { name: /^Flame graph, inverted/ });
    const said = page.locator('.flame [role=status]');
    await graph.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(said).toHaveText(/^#8, self 269\.2.µs/);
    await page.keyboard.press('ArrowDown');
    await expect(said).toHaveText(/^#6, self time of the function below, called from here 269\.2.µs/);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('navigation', { name: /Callers/ })).toHaveText('All 4 threads › #8 › #6');
  });

  test('show callers and callees of a function as a sandwich', async ({ page }) => {
    await mode(page).selectOption('Sandwich');
    await expect(page.getByText('Choose a function')).toBeVisible();
    await showCalls(page, 'Functions');
    await chosen(page, '#3').click();
    await page.getByRole('button', { name: 'Sandwich' }).click();
    const callers = page.getByRole('application', { name: /^Callers/ });
    const callees = page.getByRole('application', { name: /^Callees/ });
    await callees.focus();
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('.flame [role=status]').nth(1)).toHaveText(/^#3, total 1\.309.ms, 100.%/);
    await callers.focus();
    await page.keyboard.press('ArrowUp');
    await expect(page.locator('.flame [role=status]').first()).toHaveText(
      /^#2, total of the function, called from here/,
    );
    // The sandwich of the caller, and back.
    await page.keyboard.press('Enter');
    await callees.focus();
    // Its callees come a moment later.
    await expect(async () => {
      await page.keyboard.press('ArrowUp');
      await expect(page.locator('.flame [role=status]').nth(1)).toHaveText(/^#2, total/, { timeout: 500 });
    }).toPass();
  });

  test('show calls in time order, which lead to the timeline', async ({ page }) => {
    await mode(page).selectOption('Time order');
    const graph = page.getByRole('application', { name: /^Calls in time order/ });
    const said = page.locator('.flame [role=status]');
    await graph.focus();
    await page.keyboard.press('ArrowDown');
    await expect(said).toHaveText(/^#1, 28\.15.µs, at/);
    await page.keyboard.press('ArrowDown');
    await expect(said).toHaveText(/^#15, 17\.96.µs/);
    await page.keyboard.press('Enter');
    await expect(details(page).getByRole('heading')).toHaveText('#15');
    await page.keyboard.press('z');
    await expect(page.getByRole('navigation', { name: 'Range' })).toContainText('17.96');
    // Changes apply here as well.
    await page.getByRole('navigation', { name: 'Range' }).getByRole('button', { name: 'Clear range' }).click();
    await filter(page, '#15');
    await graph.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(said).toHaveText(/^#15, 17\.96.µs/);
  });
});

test.describe('the calls of a function', () => {
  test.beforeEach(async ({ page }) => {
    await showCalls(page, 'Functions');
  });

  test('are listed by start and by duration, by keyboard alone', async ({ page }) => {
    const functions = page.getByRole('grid', { name: 'Functions' });
    await functions.focus();
    const isChosen = async () => (await chosen(page, '#5').getAttribute('aria-selected')) === 'true';
    for (let i = 0; i < 20 && !(await isChosen()); i += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.getByText('85 calls')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Back' })).toBeFocused();
    const duration = list(page).getByRole('columnheader', { name: 'Duration' });
    await list(page).getByRole('columnheader', { name: '#' }).getByRole('button').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect(duration).toHaveAttribute('aria-sort', 'descending');
    const durations = async () => (await list(page).locator('tbody td:nth-child(3)').allInnerTexts()).map(plain);
    await expect.poll(async () => (await durations())[0]).toBe('3.120 µs');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await durations())[0]).toBe('1.059 µs');
    await list(page).focus();
    await page.keyboard.press('ArrowDown');
    await expect(details(page).getByRole('heading')).toHaveText('#5');
    await expect(details(page)).toContainText('1.059');
    await page.keyboard.press('End');
    await expect(list(page).locator('[aria-selected=true]')).toContainText('3.120');
    await page.keyboard.press('Escape');
    await expect(functions).toBeVisible();
  });

  test('can be limited to durations', async ({ page }) => {
    await chosen(page, '#5').click();
    await page.getByRole('button', { name: 'List calls' }).click();
    await expect(page.getByText('85 calls')).toBeVisible();
    const shortest = page.getByRole('slider', { name: 'Shortest duration' });
    await shortest.focus();
    for (let i = 0; i < 6; i += 1) await page.keyboard.press('PageUp');
    await expect(page.getByText(/^\d+ of 85.calls$/)).toBeVisible();
    const said = await shortest.getAttribute('aria-valuetext');
    expect(said).toMatch(/µs$/);
    const duration = list(page).getByRole('columnheader', { name: 'Duration' }).getByRole('button');
    await duration.click();
    await duration.click();
    const first = list(page).locator('tbody tr').filter({ hasText: /µs/ }).first();
    await expect
      .poll(async () => Number.parseFloat(plain(await first.locator('td').nth(2).innerText())))
      .toBeGreaterThanOrEqual(Number.parseFloat(said!));
    await page.getByRole('button', { name: 'Clear durations' }).click();
    await expect(page.getByText('85 calls')).toBeVisible();
    // Timeline, overview and hits show them, too.
    await page.keyboard.press('ControlOrMeta+f');
    const found = page.getByRole('search', { name: 'Search' }).getByRole('combobox');
    await expect(found).toHaveValue('');
    await shortest.press('PageUp');
    await shortest.press('PageUp');
    await expect(found).toHaveValue(/^name:#5 dur:\d+\.\.\d+$/);
    await page.getByRole('button', { name: 'Clear durations' }).click();
    await expect(found).toHaveValue('');
  });

  test('are limited to durations by a drag over the bars', { tag: '@pointer' }, async ({ page }) => {
    await chosen(page, '#5').click();
    await page.getByRole('button', { name: 'List calls' }).click();
    const bars = (await page.locator('.histogram-bars').boundingBox())!;
    await page.mouse.move(bars.x + 0.5 * bars.width, bars.y + 20);
    await page.mouse.down();
    await page.mouse.move(bars.x + 0.7 * bars.width, bars.y + 20, { steps: 3 });
    await page.mouse.up();
    await expect(page.getByText(/^\d+ of 85.calls$/)).toBeVisible();
  });

  test('are visited one by one, and follow the selection', async ({ page }) => {
    await chosen(page, '#5').click();
    await page.getByRole('button', { name: 'List calls' }).click();
    await expect(page.getByText('85 calls')).toBeVisible();
    const selected = list(page).locator('[aria-selected=true] td').first();
    await page.getByRole('button', { name: 'Next call' }).click();
    await expect(selected).toHaveText('1');
    await page.getByRole('button', { name: 'Next call' }).click();
    await expect(selected).toHaveText('2');
    await page.getByRole('button', { name: 'Previous call' }).click();
    await expect(selected).toHaveText('1');
    const heading = details(page).getByRole('heading');
    await expect(heading).toHaveText('#5');
    // A call that is selected elsewhere, and is not of this function.
    await area(page).focus();
    await page.keyboard.press('[');
    await expect(heading).not.toHaveText('#5');
    await expect(selected).toBeHidden();
    await page.keyboard.press(']');
    await expect(heading).toHaveText('#5');
    await expect(selected).toBeVisible();
  });

  test('are reached from the shortest and the longest one', async ({ page }) => {
    await chosen(page, '#8').click();
    await chosen(page, '#8').getByRole('button', { name: '39.03' }).click();
    await expect(details(page).getByRole('heading')).toHaveText('#8');
    await expect(details(page)).toContainText('39.03');
    await chosen(page, '#8').getByRole('button').last().click();
    await expect(details(page)).toContainText('71.03');
    // It stands out until a call of another function is selected.
    await expect(chosen(page, '#8')).toHaveAttribute('aria-selected', 'true');
    await area(page).focus();
    await page.keyboard.press('[');
    await expect(details(page).getByRole('heading')).toHaveText('#6');
    await expect(chosen(page, '#8')).toHaveAttribute('aria-selected', 'false');
  });
});

test('columns that repeat others are left out', async ({ page }) => {
  const heads = () => page.getByRole('grid', { name: 'Functions' }).getByRole('columnheader').allInnerTexts();
  await showCalls(page, 'Functions');
  await expect.poll(async () => (await heads()).length).toBe(10);
  // Each of its functions is called once.
  await open(page, fixture('frames/mips.frames'));
  await showCalls(page, 'Functions');
  await expect
    .poll(async () => (await heads()).map((head) => head.replace(/[▾▴]/, '').trim()))
    .toEqual(['Function', 'Total', 'Share', 'Self']);
});
