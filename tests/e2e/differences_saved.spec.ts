import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { choose, chosen, fixture, settled, test } from './page.ts';

const NATIVE = join(import.meta.dirname, '../../target/debug/unspool');
const [BEFORE, AFTER] = [fixture('threads.xray'), fixture('events.xray')];

const panel = (page: Page) => page.locator('.differences');

/** Opens two logs together, with their differences in front. */
async function compare(page: Page): Promise<void> {
  await choose(page, chosen('threads.xray', readFileSync(BEFORE)), chosen('events.xray', readFileSync(AFTER)));
  await settled(page, 'ready', 'threads.xray');
  await page.getByRole('tab', { name: 'Differences' }).click();
  await expect(panel(page).locator('.difference-sentence')).not.toBeEmpty();
}

/** Chooses from the menu *Save*. Returns the file. */
async function saved(page: Page, title: string) {
  const saving = page.waitForEvent('download');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('menu', { name: 'Save' }).getByRole('menuitem', { name: title }).click();
  const file = await saving;
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

test('stacks, functions, paths and a report are saved from one menu', async ({ page }) => {
  await compare(page);
  const folded = await saved(page, 'Stacks for difffolded.pl');
  expect(folded.name).toBe('differences.folded.txt');
  const lines = folded.bytes.toString().trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(/^#\d+(;#\d+)* \d+ \d+$/);
  expect(lines.length).toBeGreaterThan(3);
  const csv = await saved(page, 'Functions (CSV)');
  expect(csv.name).toBe('differences.csv');
  expect(csv.bytes.toString()).toMatch(/^Function,Difference \(s\),Share of all differences,Self A \(s\),.*\r\n#\d+,/);
  const functions = await saved(page, 'Functions (Parquet)');
  expect(functions.bytes.subarray(0, 4).toString()).toBe('PAR1');
  // By keyboard, the first one is the report.
  const saving = page.waitForEvent('download');
  await panel(page).getByRole('button', { name: 'Save' }).press('Enter');
  await page.keyboard.press('Enter');
  expect((await saving).suggestedFilename()).toBe('differences.html');
  await panel(page).getByRole('radio', { name: 'Records' }).click();
  await expect(panel(page).getByRole('button', { name: 'Save' })).toHaveCount(0);
});

test('files of the page have the bytes of the native ones', async ({ page }) => {
  test.skip(!existsSync(NATIVE), 'the native command is not built: cargo build -p unspool-cli');
  await compare(page);
  const folder = mkdtempSync(join(tmpdir(), 'unspool-'));
  try {
    const at = (name: string) => join(folder, name);
    const args = ['--html', at('report.html'), '--folded', at('stacks.txt'), '--parquet', folder];
    // The exit status says that they differ.
    expect(() => execFileSync(NATIVE, ['compare', BEFORE, AFTER, ...args])).toThrow();
    const files = [
      ['Report (HTML)', 'report.html'],
      ['Stacks for difffolded.pl', 'stacks.txt'],
      ['Call paths (Parquet)', 'paths.parquet'],
    ] as const;
    for (const [title, native] of files) {
      const { bytes } = await saved(page, title);
      expect(bytes.equals(readFileSync(at(native))), title).toBe(true);
    }
    // Percentiles of the page are estimates.
    const functions = await saved(page, 'Functions (Parquet)');
    expect(functions.bytes.length).toBe(readFileSync(at('functions.parquet')).length);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the report stands alone in a ${colorScheme} browser`, { tag: '@network' }, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await compare(page);
    const said = await panel(page).locator('.difference-sentence').innerText();
    const { bytes } = await saved(page, 'Report (HTML)');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.route('**/report.html', (route) => route.fulfill({ body: bytes, contentType: 'text/html' }));
    await page.goto('report.html');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('What differs');
    await expect(page.getByRole('main')).toContainText(said);
    await expect(page.getByRole('table').getByRole('row').nth(1)).toContainText(/gone|new/);
    await expect(page.getByRole('img', { name: 'Flame graph of the difference' })).toBeVisible();
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(251, 252, 253)' : 'rgb(14, 17, 22)');
    expect(asked.filter((url) => !url.endsWith('/report.html'))).toEqual([]);
    expect(await page.locator('script').count()).toBe(0);
  });
}
