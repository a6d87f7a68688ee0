/*
 * Files made to break a reader (`shared/corpus/hostile`): each settles in time and in little memory, the page stays responsive,
 * and the next file opens.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Browser, expect, type Page } from '@playwright/test';
import { area, details, fixture, open, settled, showCalls, showPanel, test } from './page.ts';

const FOLDER = join(import.meta.dirname, '../../../shared/corpus/hostile');
const FILES = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((name) => !name.endsWith('.md'))
      .sort()
  : [];

/** Milliseconds until a file has settled. */
const SETTLES_MS = 30_000;
/**
 * What the page's own thread may do, counted, because on a busy machine it stands still for reasons of its own: executions of blocks
 * of its scripts (20,000 threads take 0.6 million each time that more of them have come, which is 5 to 20 times, with the speed of the
 * machine; most other files a tenth of that), and characters of a text that it lays out.
 */
const WORK = 30_000_000;
const LONGEST_TEXT = 5000;
/** Milliseconds within which Cancel stops anything, with some for a busy machine. */
const STOPS_MS = 2000;
/**
 * Bytes that a process of the page may have at its peak. Each worker of an apitrace (picture, records, frames) has a copy of the file's
 * dictionaries, of which a hostile file has as many as the limits let through.
 */
const MEMORY = 2_000_000_000;
/** DOM nodes of the page, whatever the trace. */
const NODES = 5000;

// These tests are the longest of all, and most of one is a wait for its own page: two at a time take half as long.
test.describe.configure({ mode: 'parallel' });

if (FILES.length === 0) test.skip('hostile files: the corpus is not here', () => undefined);

for (const name of FILES) {
  test(`withstands ${name}`, { tag: '@worker' }, async ({ page, browser }) => {
    test.setTimeout(60_000);
    const work = await countWork(page);
    await page.setInputFiles('#file-input', join(FOLDER, name));
    await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
    await expect(page.locator('body')).toHaveAttribute('data-state', /^(ready|failed)$/, { timeout: SETTLES_MS });
    if ((await page.locator('body').getAttribute('data-state')) === 'ready') await lookAround(page);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(NODES);
    expect(await work(), 'executions of blocks of scripts on the main thread').toBeLessThan(WORK);
    expect(await longestText(page), 'characters of the longest text').toBeLessThan(LONGEST_TEXT);
    expect(await peakMemory(browser), 'peak memory of the page in bytes').toBeLessThan(MEMORY);
    // What a file says must not run.
    expect(await page.evaluate(() => document.querySelectorAll('.page script, .page iframe, .page img').length)).toBe(
      0,
    );
    await open(page, fixture('threads.xray'));
    await settled(page, 'ready', basename(fixture('threads.xray')));
  });
}

test('goes on after a limit, and stops there within a second', { tag: '@worker' }, async ({ page }) => {
  skipWithout('zstd_rle_1GB.trace');
  await open(page, join(FOLDER, 'zstd_rle_1GB.trace'));
  await expect(page.locator('.notice')).toContainText('Reading stopped at a limit');
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect(page.locator('body')).toHaveAttribute('data-state', 'loading');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.locator('body')).toHaveAttribute('data-state', /^(ready|failed)$/, { timeout: STOPS_MS });
  await expect(page.locator('.notice')).not.toContainText('Reading stopped');
});

test('a question does not lie under the notice of a limit', { tag: '@worker' }, async ({ page }) => {
  skipWithout('zstd_rle_1GB.trace');
  await open(page, join(FOLDER, 'zstd_rle_1GB.trace'));
  await expect(page.locator('.notice')).toContainText('Reading stopped at a limit');
  const bytes = [...readFileSync(fixture('threads.xray'))];
  await page.evaluate((content) => {
    const { buffer } = Uint8Array.from(content);
    window.postMessage({ type: 'unspool:open', name: 'sent.xray', buffer }, '*');
  }, bytes);
  await page.locator('.notice').getByRole('button', { name: 'Open', exact: true }).click();
  await settled(page, 'ready', 'sent.xray');
});

test('instructions at which the disassembler stops are bytes, and nothing else is lost', { tag: '@worker' }, async ({
  page,
}) => {
  skipWithout('arm_trap.frames');
  await open(page, join(FOLDER, 'arm_trap.frames'));
  await page.getByRole('tab', { name: 'Steps' }).click();
  const rows = page.getByRole('grid').locator('tbody tr:not(.spacer)');
  await expect(rows.first()).toContainText('dd f8 03 20');
  await rows.first().click();
  await expect(details(page)).toContainText('dd f8 03 20');
  await expect(details(page)).not.toContainText('stopped');
});

test('a thread of thousands is found in a list', { tag: '@worker' }, async ({ page }) => {
  skipWithout('gz_threads_200k.trace');
  await open(page, join(FOLDER, 'gz_threads_200k.trace'));
  await expect(page.getByRole('button', { name: /minor problem/ })).toBeVisible();
  await showCalls(page, 'Functions');
  const picker = page.getByRole('button', { name: /^Threads: / });
  await expect(picker).toContainText('20,000 threads');
  await picker.press('ArrowDown');
  const field = page.getByRole('combobox', { name: 'Search threads' });
  await expect(field).toBeFocused();
  const list = page.getByRole('listbox', { name: 'Threads' });
  expect(await list.getByRole('option').count()).toBeLessThan(40);
  await field.fill('1999');
  await field.press('ArrowDown');
  await expect(list.locator('.marked')).toHaveText('thread 11999');
  await field.press('End');
  await field.fill('thread 19999');
  await field.press('Enter');
  await expect(picker).toHaveText('thread 19999');
  await expect(picker).toBeFocused();
  await picker.click();
  await field.press('Escape');
  await expect(list).toBeHidden();
  await expect(picker).toBeFocused();
});

test('a query of endless rows stays small and stops', { tag: '@worker' }, async ({ page, browser }) => {
  skipWithout('sql_view_bomb.sqlite');
  await open(page, join(FOLDER, 'sql_view_bomb.sqlite'));
  await showPanel(page, 'SQL');
  const box = page.getByRole('textbox', { name: 'SQL query' });
  await box.fill('select * from notes');
  await box.press('Control+Enter');
  await expect(page.locator('.query .panel-end[role=status]')).toContainText(/Running… [2-9]/);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.locator('.query .panel-end[role=status]')).toContainText('Stopped', { timeout: STOPS_MS });
  await box.fill(`select ${Array.from({ length: 700 }, (_, i) => i).join(', ')}`);
  await box.press('Control+Enter');
  await expect(page.locator('.query .panel-end[role=status]')).toContainText('the first 500 of 700 columns');
  expect(await peakMemory(browser)).toBeLessThan(MEMORY);
});

test('a database whose columns would be computed is refused before they are', { tag: '@worker' }, async ({ page }) => {
  const { default: init } = await import('sql.js');
  const { Database } = await init({});
  const database = new Database(readFileSync(fixture('rvn/blocks.sqlite')));
  // A search that takes longer than anybody waits. Nothing interrupts SQLite within a row.
  const endless = "instr(hex(zeroblob(10000000)), printf('%.*c1', 200000, '0'))";
  // Inserting rows would compute it, too, so only the definition of the table changes.
  database.run(`pragma writable_schema = 1; update sqlite_schema set sql = replace(
    'create table blocks(pc int8 not null, instruction_data blob not null, instruction_count int2 not null,
      mode int1 generated always as (ENDLESS) virtual)', 'ENDLESS', '${endless.replaceAll("'", "''")}') where name = 'blocks'`);
  const buffer = Buffer.from(database.export());
  await page.setInputFiles('#file-input', { name: 'slow.sqlite', mimeType: 'application/octet-stream', buffer });
  await expect(page.locator('body')).toHaveAttribute('data-state', 'failed');
  await expect(page.getByRole('alert')).toContainText('The table "blocks" of this database is computed');
  await open(page, fixture('threads.xray'));
});

/** Shows the details of a call and each panel. */
async function lookAround(page: Page): Promise<void> {
  await area(page).focus();
  await page.keyboard.press('Enter');
  for (const tab of await page.getByRole('tab').all()) {
    await tab.click();
    await expect(tab).toHaveAttribute('aria-selected', 'true');
    // Until the panel has its first rows, or says that there are none.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 300))));
  }
}

/** Skips a test without its file. */
function skipWithout(name: string): void {
  test.skip(!FILES.includes(name), 'the corpus is not here');
}

/** Begins to count how often the main thread executes a block of the page's scripts. The result tells the sum. */
async function countWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return async () => {
    const { result } = await session.send('Profiler.takePreciseCoverage');
    await session.detach();
    return result
      .filter(({ url }) => url.includes('/assets/'))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
  };
}

/** Characters of the longest text or attribute in the page. */
async function longestText(page: Page): Promise<number> {
  return page.evaluate(() => {
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    let longest = 0;
    while (nodes.nextNode()) {
      const { currentNode: node } = nodes;
      const texts = node instanceof Element ? [...node.attributes].map(({ value }) => value) : [node.nodeValue ?? ''];
      longest = Math.max(longest, ...texts.map(({ length }) => length));
    }
    return longest;
  });
}

/** Peak memory of the largest process that renders a page: its workers are threads of it. 0 if the system does not tell. */
async function peakMemory(browser: Browser): Promise<number> {
  if (!existsSync('/proc/self/status')) return 0;
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const peaks = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]);
  return Math.max(0, ...peaks.map((kb) => Number(kb ?? 0) * 1024));
}
