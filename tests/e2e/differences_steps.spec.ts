import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { choose, chosen, details, fixture, settled, test } from './page.ts';

/* Where two executions part and join again, and what only one of them has executed: the walks of docs/compare.md. */

/** The colour of marks of what was executed, on a light page. */
const EXECUTED = 0x7b3fd1;

const panel = (page: Page) => page.locator('.differences');
const list = (page: Page) => panel(page).getByRole('grid', { name: 'Differences between records' });
const sentence = (page: Page) => panel(page).locator('.difference-sentence');
const beside = (page: Page) => panel(page).getByRole('grid', { name: 'Records of A and B' });

/** Opens two traces, and compares their records. */
async function records(page: Page, folder: 'frames' | 'rvn', first: string, second: string): Promise<void> {
  const file = (name: string) => chosen(name, readFileSync(fixture(`${folder}/${name}`)));
  await choose(page, file(first), file(second));
  await settled(page, 'ready', first);
  await page.getByRole('tab', { name: 'Differences' }).click();
  await panel(page).getByRole('radio', { name: 'Records' }).click();
}

/** Opens the pair of a format that docs/compare.md walks through, and compares its records. */
async function compare(page: Page, folder: 'frames' | 'rvn', type: string): Promise<void> {
  await records(page, folder, `compare-good.${type}`, `compare-bad.${type}`);
  await expect(list(page)).toBeVisible();
}

/** How many pixels of an overview are marks of what only its trace has executed. */
const executedAlone = (page: Page, nth: number) =>
  page
    .locator('.overview canvas')
    .nth(nth)
    .evaluate((canvas: HTMLCanvasElement, executed) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!) === executed) count += 1;
      }
      return count;
    }, EXECUTED);

test('of BAP frames, it is said where the paths part and join again, what only one executed, and why', async ({
  page,
}) => {
  await compare(page, 'frames', 'frames');
  await expect(sentence(page)).toHaveText(
    /The paths part at step \d+ of .*, and join again at step \d+ of A and \d+ of B\. Only A executed \d+\sinstructions, only B \d+\.$/,
  );
  // Where they join, both are the same again.
  await sentence(page).getByRole('button', { name: /^step/ }).click();
  await expect(details(page)).toContainText('ret');
  await panel(page).getByRole('radio', { name: 'Why?' }).click();
  await expect(sentence(page)).toContainText(
    'The cause is a value that differs and that no step has written, such as input.',
  );
  const chain = panel(page).getByRole('grid', { name: 'From the cause to where the paths part' });
  await expect(chain.getByRole('row').nth(1)).toContainText('mov rax, [rsi]');
  await expect(chain.getByRole('row').last()).toContainText('jle');
  await chain.getByRole('row').nth(1).click();
  await expect(details(page)).toContainText('mov rax, [rsi]');
  await page.getByRole('tab', { name: 'State' }).click();
  await expect(page.getByRole('complementary', { name: 'State' })).toContainText('RAX');
});

test('of REVEN traces, a block of each stands between those that both have', async ({ page }) => {
  await compare(page, 'rvn', 'sqlite');
  await expect(list(page).getByRole('row')).toHaveCount(2);
  await expect(sentence(page)).toHaveText(
    /The paths part at transition \d+ of .*, and join again at transition \d+\. Only A executed \d+\sinstructions, only B \d+\.$/,
  );
  await page.keyboard.press('n');
  await panel(page).getByRole('radio', { name: 'Side by side' }).click();
  await expect(beside(page).locator('tr.beside-differs')).toHaveCount(4);
  await expect(sentence(page)).toHaveText(/The paths join again at transition \d+\.$/);
  await panel(page).getByRole('radio', { name: 'Why?' }).click();
  await expect(panel(page)).toContainText('no value can be followed back');
});

for (const [folder, type] of [
  ['frames', 'frames'],
  ['rvn', 'sqlite'],
] as const) {
  test(`what only one trace of ${folder} has executed is marked in its overview`, { tag: '@pixels' }, async ({
    page,
  }) => {
    await compare(page, folder, type);
    for (const side of [0, 1]) await expect.poll(() => executedAlone(page, side)).toBeGreaterThan(0);
  });
}

test('instructions of two machines have no reason in common, and the page says so', async ({ page }) => {
  await records(page, 'frames', 'compare-good.frames', 'mips.frames');
  await panel(page).getByRole('radio', { name: 'Why?' }).click();
  await expect(panel(page)).toContainText('The instructions of A are of i386, and those of B of mips');
});

test('more transitions than can be compared are refused in words', async ({ page }) => {
  await records(page, 'rvn', 'beyond_2_53.sqlite', 'blocks.sqlite');
  await expect(panel(page)).toContainText('These traces have too many records to be compared one by one.');
});
