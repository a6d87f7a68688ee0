import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { choose, chosen, fixture, settled, test } from './page.ts';

/** Several runs a side, and what the native command says of them. */
interface Runs {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly shown: readonly string[];
  readonly functions: readonly {
    readonly name: string;
    readonly verdict: string;
    readonly confidence: number;
    readonly factor: number;
  }[];
}

const RUNS: Runs = JSON.parse(readFileSync(fixture('runs.json'), 'utf8'));
/** The files of a side under names that say of which one they are. */
const side = (of: 'a' | 'b', name: string) =>
  RUNS[of].map((file, i) => chosen(`${name}-${i + 1}.xray`, readFileSync(fixture(file))));
const BEFORE = side('a', 'before');
const AFTER = side('b', 'after');

const panel = (page: Page) => page.locator('.differences');
const sentence = (page: Page) => panel(page).locator('.difference-sentence');
const runs = (page: Page) => panel(page).getByRole('list', { name: 'Runs' });

/** The table as it is saved: the head, and rows of cells. */
async function saved(page: Page): Promise<readonly (readonly string[])[]> {
  await panel(page).getByRole('button', { name: 'Save ▾', exact: true }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Functions (CSV)' }).click();
  const text = readFileSync(await (await saving).path(), 'utf8');
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
}

test('several runs a side that are dropped together have the verdicts of the native command', async ({ page }) => {
  await choose(page, ...BEFORE, ...AFTER);
  await settled(page, 'ready', 'before-1.xray');
  await page.getByRole('tab', { name: 'Differences' }).click();
  await expect(runs(page).getByRole('listitem')).toHaveText([/before-1/, /before-2/, /before-3/, /after-1/, /after-2/]);
  await expect(runs(page)).not.toContainText('reading');
  // The median run of each side is the one whose figures are shown.
  const shown = RUNS.shown.map((file, i) => (i === 0 ? BEFORE : AFTER)[RUNS[i === 0 ? 'a' : 'b'].indexOf(file)]!.name);
  await expect(runs(page).locator('b')).toHaveText(shown);
  const [head, ...rows] = await saved(page);
  const cell = (row: readonly string[], title: string) => row[head!.indexOf(title)];
  expect(rows.map((row) => [cell(row, 'Function'), cell(row, 'Verdict')])).toEqual(
    RUNS.functions.map(({ name, verdict }) => [name, verdict]),
  );
  for (const [i, { confidence, factor }] of RUNS.functions.entries()) {
    expect(Number(cell(rows[i]!, 'Sure'))).toBeCloseTo(confidence, 9);
    expect(Number(cell(rows[i]!, 'Per call'))).toBeCloseTo(factor, 9);
  }
});

test('a run is added to a side, stays with it, and is removed by keyboard', async ({ page }) => {
  await choose(page, BEFORE[0]!, AFTER[0]!);
  await settled(page, 'ready', 'before-1.xray');
  await page.getByRole('tab', { name: 'Differences' }).click();
  await expect(sentence(page)).not.toBeEmpty();
  const alone = await sentence(page).innerText();
  await expect(runs(page)).toHaveCount(0);
  const choosing = page.waitForEvent('filechooser');
  await panel(page).getByRole('button', { name: 'Add a run…' }).focus();
  await page.keyboard.press('Enter');
  const ofB = page.getByRole('menuitem', { name: 'Add runs of B…' });
  await expect(ofB).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(ofB).toBeFocused();
  await page.keyboard.press('Enter');
  const broken = chosen('broken.xray', 'not a trace');
  await (await choosing).setFiles([...BEFORE.slice(1), broken]);
  await expect(runs(page)).toContainText('broken.xray: ');
  await expect(runs(page)).not.toContainText('reading');
  await expect(runs(page).getByRole('button', { name: /^Remove / })).toHaveCount(3);
  const marks = await runs(page).locator('.side-mark').allInnerTexts();
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect(runs(page).getByRole('button', { name: /^Remove / })).toHaveCount(3);
  await expect.poll(() => runs(page).locator('.side-mark').allInnerTexts()).not.toEqual(marks);
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect.poll(() => runs(page).locator('.side-mark').allInnerTexts()).toEqual(marks);
  // Swapping makes the panel again, with buttons of its own: those of the last one are there once its runs are read.
  await expect(runs(page)).toBeVisible();
  await expect(runs(page)).not.toContainText('reading');
  await expect(sentence(page)).not.toBeEmpty();
  for (const name of ['broken.xray', 'before-2.xray', 'before-3.xray']) {
    const remove = panel(page).getByRole('button', { name: `Remove ${name}` });
    await remove.focus();
    await expect(remove).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(remove).toHaveCount(0);
  }
  await expect(runs(page)).toHaveCount(0);
  await expect(sentence(page)).toHaveText(alone);
});
