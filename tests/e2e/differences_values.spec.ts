import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { choose, chosen, fixture, settled, test } from './page.ts';

const GOOD = readFileSync(fixture('trace_db/compare-good.trace'));
const BAD = readFileSync(fixture('trace_db/compare-bad.trace'));

const panel = (page: Page) => page.locator('.differences');
const sentence = (page: Page) => panel(page).locator('.difference-sentence');
const table = (page: Page, of: string) => panel(page).getByRole('grid', { name: `Differences between ${of}` });
const row = (page: Page, of: string, at: number) => table(page, of).getByRole('row').nth(at);
const show = (page: Page, view: string) => panel(page).getByRole('radio', { name: view }).click();

/** Opens two traces of values together, with their differences in front. */
async function compare(page: Page, before = GOOD, after = BAD): Promise<void> {
  await choose(page, chosen('good.trace', before), chosen('bad.trace', after));
  await settled(page, 'ready', 'good.trace');
  await page.getByRole('tab', { name: 'Differences' }).click();
  await expect(sentence(page)).not.toBeEmpty();
}

test('statements are listed by how much more or less often they are reached, and lead to their points', async ({
  page,
}) => {
  await compare(page);
  await expect(sentence(page)).toContainText('17 points in A and 22 in B.');
  await expect(sentence(page)).toContainText('Only in B: statement 4.');
  await expect(sentence(page)).toContainText('i < n holds in A at statement 3, and not in B, first at point 18');
  await expect(row(page, 'statements', 1)).toContainText(/statement [23]\s*\+2\s*8\s*10/);
  await expect(table(page, 'statements')).toContainText(/statement 4\s*\+1\s*1\s*21\s*B\s*new/);
  await panel(page).getByRole('searchbox', { name: 'Filter statements' }).fill('4');
  await expect(panel(page)).toContainText('1 of 4 statements');
  await row(page, 'statements', 1).getByRole('button', { name: '21' }).click();
  await expect(page.locator('.details')).toContainText('statement 4');
  await expect(page.locator('.details')).not.toContainText('Start here');
});

test('variables have their ranges in both, and those come first that differ most', async ({ page }) => {
  await compare(page);
  await show(page, 'Variables');
  await expect(row(page, 'variables', 1)).toContainText(/square int\s*0\s*0\s*49\s*81\s*8\s*10/);
});

test('a variable is selected in both, beside values that are links of their own', { tag: '@pointer' }, async ({
  page,
}) => {
  await compare(page);
  await show(page, 'Variables');
  await row(page, 'variables', 1).getByText('square').click();
  await expect(row(page, 'variables', 1)).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.details')).toContainText('square');
});

test('the values of a variable are drawn over each other, with the first point that differs', {
  tag: '@pointer',
}, async ({ page }) => {
  await compare(page);
  await show(page, 'Variables');
  await row(page, 'variables', 1).getByText('square').click();
  const chart = panel(page).locator('.overlay-chart');
  await expect(chart).toContainText('The same at all points that both have');
  await expect(chart.locator('path')).toHaveCount(2);
  await expect(chart.locator('.overlay-a')).toHaveAttribute('d', /^M\d+ [\d.]+(V|H)/);
  // The first points of these runs hold other inputs.
  await choose(
    page,
    ...['335-pass', '213-fail'].map((run) => chosen(run, readFileSync(fixture(`trace_db/mid-${run}.trace`)))),
  );
  await settled(page, 'ready', '335-pass');
  await page.getByRole('tab', { name: 'Differences' }).click();
  await show(page, 'Variables');
  await table(page, 'variables')
    .getByRole('row', { name: /^y int/ })
    .getByText('y', { exact: true })
    .click();
  await expect(chart.locator('path')).toHaveCount(3);
  await chart.getByRole('button', { name: 'First differs at point 0 of A and 0 of B: 3 and 1' }).click();
  await expect(page.locator('.details')).toContainText('statement 1:1');
  // The last point in the drawing.
  const drawing = chart.getByRole('img');
  const { width } = (await drawing.boundingBox())!;
  await drawing.click({ position: { x: width - 3, y: 40 } });
  await expect(page.locator('.details')).toContainText('statement 1:13');
  await chart.getByRole('button', { name: 'Close the drawing' }).click();
  await expect(chart).toHaveCount(0);
});

test('what always holds in one trace leads to the first point of the other that breaks it', async ({ page }) => {
  await compare(page);
  await show(page, 'Relations');
  const broken = table(page, 'relations').getByRole('row', { name: /^i < n/ });
  await expect(broken).toContainText(/i < n\s*statement 3\s*A\s*8\s*B\s*2\s*18/);
  await broken.getByText('i < n').click();
  await expect(page.locator('.details')).toContainText('statement 3');
  await expect(page.locator('.details')).toContainText('64');
});

test('two copies of a trace have the same values', async ({ page }) => {
  await compare(page, GOOD, Buffer.from(GOOD));
  await expect(sentence(page)).toHaveText(/^Nothing differs: both reach each statement equally often/);
  await show(page, 'Relations');
  await expect(panel(page)).toContainText('What always holds at a statement of one trace holds in the other, too.');
});

test('calls, draws and uploads of OpenGL calls are compared as a whole and per frame', async ({ page }) => {
  const before = readFileSync(fixture('replay_views.trace'));
  const after = readFileSync(fixture('replay_loop.trace'));
  await compare(page, before, after);
  await show(page, 'Frames');
  const figures = panel(page).getByRole('table', { name: 'Differences between frames' });
  await expect(figures.getByRole('row', { name: /^Draws/ })).toContainText(/Draws\s*−8\s*9\s*1\s*3\s*1/);
  await expect(figures.getByRole('row', { name: /^Calls/ })).toContainText(/Calls\s*−91\s*113\s*22\s*37.7\s*22/);
  await expect(figures.getByRole('row', { name: /^Uploaded/ })).toContainText('+1.26 kB');
  await expect(sentence(page)).toContainText('Draws: 9 in A and 1 in B, 3 and 1 a frame.');
  // Resources and findings are new or gone, and lead to their calls.
  await show(page, 'Resources');
  const things = table(page, 'resources and findings');
  await expect(panel(page)).toContainText(
    'Resources: 4 new (Program 1, Shader 2, Shader 3 and 1 more). Findings: 2 gone',
  );
  await expect(things.getByRole('row', { name: /^Redundant state: glClearColor/ })).toContainText(/2\scalls.*A\s*gone/);
  const buffer = things.getByRole('row', { name: /^Buffer 1/ });
  await expect(buffer).toContainText(/1\.02\skB, 1\supload.*B\s*new/);
  await buffer.getByRole('button', { name: '1.02 kB, 1 upload' }).click();
  await expect(page.locator('.details')).toContainText('glBindBuffer');
});
