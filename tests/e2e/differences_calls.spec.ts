/* What differs between the calls of two programs that draw. Their pictures are in differences_graphics.spec.ts. */
import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { choose, chosen, fixture, open, settled, showPanel, test, typeGoTo } from './page.ts';

const BEFORE = readFileSync(fixture('replay_views.trace'));
/** The square of frame 1 is pink, not green, and a frame follows that `BEFORE` lacks. */
const AFTER = readFileSync(fixture('replay_changed.trace'));

/** Opens two traces together, A in front. */
async function compare(page: Page, before: Buffer, after: Buffer): Promise<void> {
  await choose(page, chosen('before.trace', before), chosen('after.trace', after));
  await settled(page, 'ready', 'before.trace');
}

/** Brings B to the front. */
async function bringB(page: Page): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Trace in front' }).getByRole('radio', { name: 'B' }).click();
  await expect(page.locator('.pane-side')).toHaveText('B');
}

const state = (page: Page) => page.getByRole('complementary', { name: 'State' });
const differences = (page: Page) => state(page).getByRole('region', { name: 'Differences of state' });

test('the state at what is selected in both traces is compared', async ({ page }) => {
  await compare(page, BEFORE, AFTER);
  await page.getByRole('tab', { name: 'State' }).click();
  // The draw of the square of frame 1.
  await typeGoTo(page, 63);
  await state(page).getByRole('button', { name: 'Compare with B', exact: true }).click();
  await expect(state(page)).toContainText('Select a call in B, too.');
  await bringB(page);
  await typeGoTo(page, 63);
  await expect(differences(page)).toContainText(/1\svalue differs after these calls\./);
  await expect(differences(page).locator('dd').nth(0)).toHaveText(/^A.*0, 1, 0\.5/);
  await expect(differences(page).locator('dd').nth(1)).toHaveText(/^B.*1, 0, 0\.5/);
  await state(page).getByRole('button', { name: 'Stop comparing' }).click();
  await expect(state(page).getByRole('button', { name: 'Compare with A', exact: true })).toBeVisible();
});

test('the state at a call is compared with that at another one of the same trace', async ({ page }) => {
  await open(page, fixture('replay_views.trace'));
  await page.getByRole('tab', { name: 'State' }).click();
  await typeGoTo(page, 63);
  await state(page).getByRole('button', { name: 'Compare with…' }).click();
  await expect(state(page)).toContainText('Select another call to compare it with this one.');
  await typeGoTo(page, 74);
  await expect(differences(page)).toContainText('Kept call 63');
  await expect(differences(page)).toContainText('Selected call 74');
  await expect(differences(page).locator('dd').nth(1)).toHaveText(/^Selected.*1, 1, 1/);
  await typeGoTo(page, 64);
  await expect(differences(page)).toContainText(/differ|The state is the same after both calls\./);
});

test('shaders of programs in use whose texts differ are compared line by line', async ({ page }) => {
  await compare(page, readFileSync(fixture('replay_indices.trace')), readFileSync(fixture('replay_loop.trace')));
  await page.getByRole('tab', { name: 'State' }).click();
  for (const side of ['A', 'B']) {
    if (side === 'B') await bringB(page);
    await typeGoTo(page, 20);
    await expect(state(page)).toContainText('call 20');
    await expect(state(page)).toContainText('Fragment shader');
  }
  await state(page).getByRole('button', { name: 'Compare with A', exact: true }).click();
  const shader = differences(page).getByRole('region', { name: 'Fragment shader' });
  await expect(shader.locator('.state-line-removed').filter({ hasText: 'vec4(1.0)' })).toHaveCount(1);
  await expect(shader.locator('.state-line-added').filter({ hasText: 'sin(' })).toHaveCount(1);
});

test('resources and findings that differ are said in words, and lead to their calls in both', async ({ page }) => {
  await compare(page, readFileSync(fixture('replay_indices.trace')), readFileSync(fixture('replay_loop.trace')));
  await showPanel(page, 'Differences');
  const panel = page.locator('.differences');
  await panel.getByRole('radio', { name: 'Resources' }).click();
  await expect(panel.locator('.difference-sentence')).toHaveText(/^Resources: .*Shader 3/);
  const shader = panel.getByRole('grid', { name: 'Differences between resources and findings' }).getByRole('row', {
    name: /Shader 3.*changed/,
  });
  // The other cells lead to one of the traces.
  await shader.getByRole('gridcell', { name: 'Shader 3' }).click();
  await page.getByRole('tab', { name: 'Details' }).click();
  for (const key of ['A', 'B']) {
    if (key === 'B') await bringB(page);
    await expect(page.getByRole('complementary', { name: 'Details' })).toContainText(/gl(CreateShader|ShaderSource)/);
  }
});

test('calls with other arguments are said to be, stand below each other, and have their values underlined', async ({
  page,
}) => {
  await compare(page, BEFORE, AFTER);
  await showPanel(page, 'Differences');
  const panel = page.locator('.differences');
  await panel.getByRole('radio', { name: 'Records' }).click();
  const rows = panel.getByRole('grid', { name: 'Differences between records' }).getByRole('row');
  await expect(rows.nth(1)).toContainText('Other arguments in 1 call');
  await expect(rows.nth(2)).toContainText('13 calls only in B');
  await page.keyboard.press('n');
  await expect(page.locator('.pair-bar')).toContainText('Aligned at call 53 and call 53');
  await panel.getByRole('radio', { name: 'Side by side' }).click();
  const beside = panel.getByRole('grid', { name: 'Records of A and B' });
  await expect(beside.locator('mark[data-side="a"]')).toHaveText(['0', '1']);
  await expect(beside.locator('mark[data-side="b"]')).toHaveText(['1', '0']);
});
