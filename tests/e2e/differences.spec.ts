import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { choose, chosen, fixture, settled, test } from './page.ts';

const BEFORE = readFileSync(fixture('threads.xray'));
const AFTER = readFileSync(fixture('events.xray'));

const panel = (page: Page) => page.locator('.differences');
const sentence = (page: Page) => panel(page).locator('.difference-sentence');
const table = (page: Page) => panel(page).getByRole('grid', { name: 'Differences' });
const rows = (page: Page) => table(page).getByRole('row');
const flame = (page: Page) => panel(page).getByRole('application', { name: /^Flame graph of the difference/ });

/** Opens two logs together, with their differences in front. */
async function compare(page: Page, before = BEFORE, after = AFTER): Promise<void> {
  await choose(page, chosen('before.xray', before), chosen('after.xray', after));
  await settled(page, 'ready', 'before.xray');
  await page.getByRole('tab', { name: 'Differences' }).click();
  await expect(sentence(page)).not.toBeEmpty();
}

test('the differences of two traces are a sentence and a table by what changed most', async ({ page }) => {
  await compare(page);
  await expect(sentence(page)).toContainText(/^Functions take .* in A and .* in B: .* of A\. Most of that: #/);
  await expect(sentence(page)).toContainText('joined by numbers, because neither trace has names');
  await expect(rows(page).nth(1)).toContainText(/gone|new/);
  const all = await rows(page).count();
  const first = await rows(page).nth(1).innerText();
  await panel(page).getByRole('searchbox', { name: 'Filter functions' }).fill(first.split(/\s/)[0]!);
  await expect.poll(() => rows(page).count()).toBeLessThan(all);
  await expect(panel(page)).toContainText(/\d+ of \d+ functions/);
});

test('two copies of a trace have no differences', async ({ page }) => {
  await compare(page, BEFORE, Buffer.from(BEFORE));
  await expect(sentence(page)).toHaveText(/^No figure differs: each function has the same ones in A and in B\./);
  await expect(rows(page).nth(1)).toContainText('same');
});

test('the panel follows both traces when they change places, and ends with the pair', async ({ page }) => {
  await compare(page);
  const before = await sentence(page).innerText();
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect(sentence(page)).not.toBeEmpty();
  await expect.poll(() => sentence(page).innerText()).not.toBe(before);
  await page.getByRole('button', { name: 'Close B' }).click();
  await expect(page.getByRole('tab', { name: 'Differences' })).toHaveCount(0);
});

test('the flame graph of the difference is walked, zoomed and normalised by keyboard', async ({ page }) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Flame graph' }).click();
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
  await flame(page).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const spoken = panel(page).locator('.unseen[role=status]');
  await expect(spoken).toContainText(/^#\d+, total .* → .*, self .* → .*\scalls?$/);
  const outer = await spoken.innerText();
  const way = panel(page).getByRole('navigation', { name: 'Callers of what is in focus' });
  await expect(way).toHaveText('All calls of both');
  await page.keyboard.press('Enter');
  await expect(way).toHaveText(/^All calls of both › #/);
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
  await flame(page).focus();
  await page.keyboard.press('Escape');
  await expect(way).toHaveText('All calls of both');
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
  expect(await spoken.innerText()).toBe(outer);
  await panel(page).getByRole('button', { name: 'Widths, colours…' }).click();
  await panel(page).getByRole('checkbox', { name: 'Normalise' }).check();
  await expect(panel(page)).toContainText(/B ×\s[\d.]+/);
  await panel(page).getByRole('combobox', { name: 'Width' }).selectOption('a');
  await page.keyboard.press('Escape');
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
});

/** The file that the menu *Save* of the flame graph gives. */
async function save(page: Page, item: RegExp) {
  const saving = page.waitForEvent('download');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('menuitem', { name: item }).click();
  return saving;
}

test('the flame graph of the difference is focused, filtered, inverted and a sandwich by keyboard', async ({
  page,
}) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Flame graph' }).click();
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
  const spoken = panel(page).locator('.unseen[role=status]');
  const walk = async (...keys: string[]) => {
    await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
    await flame(page).focus();
    for (const key of keys) await page.keyboard.press(key);
  };
  await walk('ArrowDown', 'ArrowDown', 'ArrowDown');
  const name = (await spoken.innerText()).split(',')[0]!;
  expect(name).toMatch(/^#\d+$/);
  const press = async (title: string) => {
    await panel(page).getByRole('button', { name: title, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  const chips = panel(page).getByRole('list', { name: 'Changes to call paths' });
  await press('Focus');
  await expect(chips).toContainText(`Focus: ${name}`);
  await walk('Escape', 'ArrowDown', 'ArrowDown');
  await expect(spoken).toContainText(`${name}, total`);
  await panel(page).getByRole('button', { name: 'Paths…' }).click();
  await panel(page).getByRole('searchbox', { name: 'Filter call paths' }).fill('no such function');
  await page.keyboard.press('Enter');
  await expect(panel(page)).toContainText('No call path is left after these changes.');
  await press('Remove Only: no such function');
  await press(`Remove Focus: ${name}`);
  await expect(chips).toHaveCount(0);
  await panel(page).getByRole('combobox', { name: 'Mode' }).selectOption('inverted');
  await walk('ArrowDown', 'ArrowDown');
  await expect(spoken).toHaveText(/^#\d+, self .* → .*, .*\scalls?$/);
  const inner = (await spoken.innerText()).split(',')[0]!;
  await press('Sandwich');
  const callers = panel(page).getByRole('application', { name: /^Callers/ });
  const callees = panel(page).getByRole('application', { name: /^Callees/ });
  await expect(callees).toHaveAttribute('aria-busy', 'false');
  await expect(callers).toBeVisible();
  await expect(panel(page).getByRole('group', { name: `Function ${inner}` })).toBeVisible();
  await callers.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(callees).toHaveAttribute('aria-busy', 'false');
  await press('List calls');
  await expect(panel(page).getByRole('radio', { name: 'Calls' })).toBeChecked();
});

test('the flame graph of the difference is saved as SVG', async ({ page }) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Flame graph' }).click();
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
  const svg = await save(page, /SVG/);
  expect(svg.suggestedFilename()).toBe('differences-flame.svg');
  const text = readFileSync(await svg.path(), 'utf8');
  expect(text).toContain('before.xray → after.xray');
  expect(text).toMatch(
    /Width: total of a call path, in the one where it is longer\. Colour: self; blue: less in B or gone/,
  );
});

test('the flame graph of the difference is saved as PNG', { tag: '@pixels' }, async ({ page }) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Flame graph' }).click();
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
  const png = await save(page, /PNG/);
  expect(
    readFileSync(await png.path())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
});

test('stacks with the self times of both are saved for other tools', async ({ page }) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Flame graph' }).click();
  await expect(flame(page)).toHaveAttribute('aria-busy', 'false');
  const saved = await save(page, /^Save stacks/);
  expect(saved.suggestedFilename()).toBe('differences.folded.txt');
  const lines = readFileSync(await saved.path(), 'utf8')
    .trimEnd()
    .split('\n');
  for (const line of lines) expect(line).toMatch(/^#\d+(;#\d+)* \d+ \d+$/);
  expect(lines.length).toBeGreaterThan(3);
});

test('the call tree of both is opened by keyboard, by what changed most, and turned around', async ({ page }) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Tree', exact: true }).click();
  const tree = panel(page).getByRole('tree', { name: 'Call tree of both' });
  const items = tree.getByRole('treeitem');
  await expect(items.first()).toBeVisible();
  const outermost = await items.count();
  const level = (number: number) => tree.locator(`[role=treeitem][aria-level="${number}"]`);
  await tree.focus();
  await page.keyboard.press('*');
  await expect(level(2).first()).toBeVisible();
  expect(await level(1).count()).toBe(outermost);
  await expect(level(2).first()).toContainText(/[+−][\d.]+\s/);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  await expect(items.first()).toHaveAttribute('aria-expanded', 'false');
  await panel(page).getByRole('radio', { name: 'Bottom up' }).click();
  await expect(tree).toBeVisible();
  await expect.poll(() => items.count()).toBeGreaterThan(outermost);
  const chosen = (await items.first().innerText()).split(/\s/)[0]!;
  await tree.focus();
  await page.keyboard.press('Home');
  await expect(panel(page).getByRole('group', { name: `Function ${chosen}` })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(panel(page).getByRole('region', { name: `Calls of ${chosen}` })).toBeVisible();
});

test('the call graph of both is drawn, walked, saved and listed', async ({ page }) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Graph', exact: true }).click();
  const graph = panel(page).getByRole('group', { name: /^Call graph: \d+\sfunctions/ });
  const first = graph.locator('.graph-node[tabindex="0"]');
  await expect(first).toHaveAttribute('aria-label', /^#\d+, \d+ → \d+ calls, total (new|gone|[\d.]+\s\S+) · /);
  await expect(graph.locator('.graph-edge').first()).toContainText(/→|[+−]/);
  await first.focus();
  await page.keyboard.press('ArrowDown');
  await expect(graph.locator('.graph-node.selected')).toHaveCount(1);
  const saving = page.waitForEvent('download');
  await panel(page).getByRole('button', { name: 'Save SVG' }).click();
  expect(readFileSync(await (await saving).path(), 'utf8')).toContain('<svg');
  await panel(page).getByRole('radio', { name: 'Table' }).click();
  const edges = panel(page).getByRole('grid', { name: 'Edges of the call graph of both' });
  await edges.focus();
  await page.keyboard.press('Home');
  await expect(edges.getByRole('row').nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(panel(page).getByRole('radio', { name: 'Calls' })).toBeChecked();
});

test('the calls of a function of both have one histogram and their quantiles', async ({ page }) => {
  await compare(page, BEFORE, Buffer.from(BEFORE));
  await rows(page).nth(1).click();
  await page.keyboard.press('Enter');
  const quantiles = panel(page).locator('.difference-quantiles');
  await expect(quantiles.getByRole('row', { name: /^Median/ })).toContainText(/×\s1\.00/);
  await expect(panel(page).getByRole('img', { name: /^Durations in A and in B/ })).toBeVisible();
  await expect(quantiles.getByRole('row')).toHaveCount(6);
});

test('a slow call of B stands beside a median one of A, and its callees lead to their calls', async ({ page }) => {
  await compare(page, BEFORE, Buffer.from(BEFORE));
  await panel(page).getByRole('radio', { name: 'Tree', exact: true }).click();
  const outermost = panel(page).getByRole('treeitem', { expanded: false }).first();
  await outermost.click();
  await page.keyboard.press('Enter');
  await panel(page).getByRole('radio', { name: 'A slow call' }).click();
  const calls = panel(page).getByRole('table', { name: 'A slow call of B beside a median one of A' });
  await expect(calls.getByRole('row', { name: /^Duration/ })).toContainText(/\d\s(ns|µs|ms|s)/);
  await expect(calls.getByRole('button', { name: 'A: median call' })).toBeVisible();
  await calls.getByRole('button', { name: 'B: longest call' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: 'B', exact: true }).click();
  const details = page.locator('.details');
  await expect(details).toContainText('Duration');
  await expect(panel(page).getByRole('radio', { name: 'Selected call' })).toBeVisible();
  // The first callee is the one that contributes most.
  const callee = calls.locator('tbody th button').first();
  const name = await callee.innerText();
  await callee.focus();
  await page.keyboard.press('Enter');
  await expect(details).toContainText(name);
  await panel(page).getByRole('radio', { name: 'p90 call' }).click();
  await expect(calls.getByRole('button', { name: 'B: p90 call' })).toBeVisible();
});

test('records without a counterpart are listed, and a chosen difference is selected in both', async ({ page }) => {
  await compare(page);
  await panel(page).getByRole('radio', { name: 'Records' }).click();
  await expect(sentence(page)).toHaveText(/^\d+\sdifferences? in \d+\sthreads?\. The first one is at record /);
  const list = panel(page).getByRole('grid', { name: 'Differences between records' });
  const first = list.getByRole('row').nth(1);
  await expect(first).toContainText(/only in [AB]|changed| in A, /);
  await first.click();
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.details')).not.toContainText('Start here');
  await page.keyboard.press('n');
  await expect(list.getByRole('row').nth(2)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Shift+N');
  await expect(first).toHaveAttribute('aria-selected', 'true');
});

test('two copies of a trace have the same records', async ({ page }) => {
  await compare(page, BEFORE, Buffer.from(BEFORE));
  await panel(page).getByRole('radio', { name: 'Records' }).click();
  await expect(panel(page)).toContainText('Each record of A is in B, and the other way round, in the same order.');
});
