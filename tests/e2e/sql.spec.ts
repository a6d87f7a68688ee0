import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import {
  choose,
  chosen,
  details,
  fixture,
  open,
  pictured,
  recording,
  selectRange,
  settled,
  showPanel,
  test,
} from './page.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A trace of each format, by its heading in docs/sql.md. */
const TRACES: Readonly<Record<string, string>> = {
  'LLVM XRay': 'threads.xray',
  apitrace: 'scene.trace',
  'BAP frames': 'frames/plugin.frames',
  REVEN: 'rvn/blocks.sqlite',
  'trace-db': 'trace_db/variables.trace',
};

const said = (page: Page) => page.locator('.query .panel-end[role=status]');
const rows = (page: Page) => page.getByRole('region', { name: 'Rows' }).locator('tbody tr:not([aria-hidden])');

async function ask(page: Page, query: string) {
  const box = page.getByRole('textbox', { name: 'SQL query' });
  await box.press('Control+a');
  await page.keyboard.insertText(query);
  await page.keyboard.press('Control+Enter');
  // Not the answer to the query before.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await expect(said(page)).toContainText(/rows? in |says|read-only/);
}

async function openSql(page: Page, path: string) {
  await page.setViewportSize({ width: 1280, height: 900 });
  await open(page, path);
  await showPanel(page, 'SQL');
}

/** The documented queries about a trace, by heading. */
function documented(heading: string): string[] {
  const parts = readFileSync(join(ROOT, 'docs/sql.md'), 'utf8').split('\n## ');
  const wanted = heading === 'Two traces' ? [heading] : ['Any trace', heading];
  const of = parts.filter((part) => wanted.some((heading) => part.startsWith(`${heading}\n`)));
  return of.flatMap((part) => [...part.matchAll(/```sql\n([^`]*)```/g)].map((match) => match[1]!));
}

for (const [heading, name] of Object.entries(TRACES)) {
  test(`${heading}: the documented queries have the same rows as natively`, async ({ page }) => {
    test.setTimeout(60_000);
    const path = fixture(name);
    await openSql(page, path);
    await ask(page, 'pragma integrity_check');
    await expect(rows(page)).toHaveText(['ok']);
    const command = join(ROOT, 'target/debug/unspool');
    test.skip(!existsSync(command), 'the native command is not built: cargo build -p unspool-cli');
    for (const query of documented(heading)) {
      await compareRows(page, query, execFileSync(command, ['sql', path, query, '--json'], { encoding: 'utf8' }));
    }
  });
}

/** Runs a query, whose rows are those that the native command has printed. */
async function compareRows(page: Page, query: string, native: string): Promise<void> {
  const expected = native.split('\n').filter((line) => line !== '');
  await ask(page, query);
  await expect(said(page)).toContainText(new RegExp(`^${expected.length}\\srows? in`));
  // Those that are on the screen.
  const shown = await rows(page).evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
  );
  expect(shown.length).toBeGreaterThan(0);
  const asShown = (line: string) => Object.values(JSON.parse(line) as object).map((value) => value ?? 'NULL');
  const plain = (text: string) => (/^-?[\d.]+(e-?\d+)?$/.test(text) ? Number(text) : text);
  expect(shown.map((row) => row.map(plain))).toEqual(expected.slice(0, shown.length).map(asShown));
}

test('two traces are the schemas a and b, with the same rows as natively', async ({ page }) => {
  test.setTimeout(60_000);
  const [before, after] = [fixture('threads.xray'), fixture('events.xray')];
  const files = [chosen('before.xray', readFileSync(before)), chosen('after.xray', readFileSync(after))];
  await page.setViewportSize({ width: 1280, height: 900 });
  await choose(page, ...files);
  await settled(page, 'ready', 'before.xray');
  await showPanel(page, 'SQL');
  await page.getByRole('combobox', { name: 'Queries and tables' }).selectOption('Sizes of both');
  await expect(rows(page)).toHaveCount(2);
  const first = (query: string) => ask(page, query).then(() => rows(page).first().innerText());
  const counts = "select (select count(*) from slices) || ' ' || (select count(*) from a.slices) as n";
  const [own, base] = (await first(counts)).trim().split(' ');
  expect(own).toBe(base);
  expect(Number(await first('select count(*) from b.records'))).toBeGreaterThan(0);
  expect(await first('select count(*) from a.records')).not.toBe(await first('select count(*) from b.records'));
  // A place in what is not in front is shown on its own timeline.
  await ask(page, 'select start, name from b.named_slices order by dur desc limit 1');
  await rows(page).first().getByRole('button').click();
  await page.getByRole('radiogroup', { name: 'Trace in front' }).getByRole('radio', { name: 'B' }).click();
  await expect(details(page)).toContainText('Duration');
  await showPanel(page, 'SQL');
  expect((await first(counts)).trim().split(' ')[1]).toBe(base);
  expect((await first(counts)).trim().split(' ')[0]).not.toBe(base);
  const command = join(ROOT, 'target/debug/unspool');
  test.skip(!existsSync(command), 'the native command is not built: cargo build -p unspool-cli');
  await page.getByRole('radiogroup', { name: 'Trace in front' }).getByRole('radio', { name: 'A' }).click();
  for (const query of documented('Two traces')) {
    const native = execFileSync(command, ['sql', before, '--with', after, query, '--json'], { encoding: 'utf8' });
    await compareRows(page, query, native);
  }
});

test('queries are about the range, and a position leads to its slice', async ({ page }) => {
  await openSql(page, fixture('threads.xray'));
  await pictured(page);
  await ask(page, 'select count(*) from slices');
  const all = Number(await rows(page).first().textContent());
  await selectRange(page, 0.4, 0.5);
  await expect(page.locator('.range-mark')).toContainText('In the range');
  await ask(page, 'select count(*) from slices');
  const some = Number(await rows(page).first().textContent());
  expect(some).toBeGreaterThan(0);
  expect(some).toBeLessThan(all);
  await ask(page, 'select start, name from named_slices where depth = 1 order by dur limit 3');
  await rows(page).first().getByRole('button', { name: /^\d+$/ }).click();
  await expect(details(page)).toContainText('Duration');
});

test('an example runs when it is chosen, and an error says what is wrong', async ({ page }) => {
  await openSql(page, fixture('scene.trace'));
  await page.getByRole('combobox', { name: 'Queries and tables' }).selectOption('How much is on each track');
  await expect(said(page)).toContainText(/rows? in/);
  await ask(page, 'select nam from slices');
  await expect(said(page)).toContainText('no such column: nam');
  await expect(page.locator('.query-editor .wrong')).toHaveText('nam');
  await ask(page, 'delete from slices');
  await expect(said(page)).toContainText('read-only');
});

test('counts what a recorded trace is known to have', async ({ page }) => {
  await openSql(page, recording('apitrace/recorded/glmark2_medium.trace'));
  await ask(page, "select count(*) from named_slices where name = 'glShaderSource'");
  await expect(rows(page)).toHaveText(['28']);
});

test('completes tables, columns and names, and runs by keyboard', async ({ page }) => {
  await openSql(page, fixture('scene.trace'));
  const box = page.getByRole('textbox', { name: 'SQL query' });
  await box.click();
  await page.keyboard.type('select count(*) from named_s');
  const options = page.locator('.query-editor').getByRole('option');
  await expect(options).toHaveText([/^named_slices/]);
  await page.keyboard.press('Tab');
  await page.keyboard.type(' where nam');
  await expect(options.first()).toHaveText(/^name(?!_)/);
  await page.keyboard.press('Escape');
  await page.keyboard.type("e = 'glDrawE");
  await expect(options.first()).toHaveText(/^glDrawElements/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await expect(said(page)).toContainText(/1\srow in/);
  expect(Number(await rows(page).textContent())).toBeGreaterThan(0);
  // Without completions Tab goes on, and what is typed is not a command of the page.
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeFocused();
});

test('results are sorted by a head, and shown as a chart', async ({ page }) => {
  await openSql(page, fixture('threads.xray'));
  await ask(page, 'select name, count(*) as calls from named_slices group by name order by name limit 6');
  const calls = async () => (await rows(page).locator('td:nth-child(2)').allTextContents()).map(Number);
  const before = await calls();
  const head = page.getByRole('button', { name: /^calls/ });
  await head.click();
  await head.click();
  expect(await calls()).toEqual([...before].sort((a, b) => b - a));
  await expect(page.getByRole('columnheader', { name: 'calls' })).toHaveAttribute('aria-sort', 'descending');
  await page.getByRole('radio', { name: 'Chart' }).click();
  await expect(page.getByRole('list', { name: 'calls as bars' }).locator('li').first()).toContainText(
    String(Math.max(...before)),
  );
  await page.getByRole('radio', { name: 'Table' }).click();
  await head.click();
  expect(await calls()).toEqual(before);
});

test('queries that were asked and saved come back', async ({ page }) => {
  await openSql(page, fixture('threads.xray'));
  await ask(page, '-- Busy threads\nselect 1');
  await page.getByRole('button', { name: 'Save query' }).click();
  await ask(page, 'select 2');
  await openSql(page, fixture('events.xray'));
  const stored = page.getByRole('combobox', { name: 'Queries and tables' });
  await expect(stored.locator('optgroup[label=Saved] option')).toHaveText(['Busy threads']);
  await stored.selectOption('select 2');
  await expect(rows(page)).toHaveText(['2']);
  await stored.selectOption('Clear recent queries');
  await expect(stored.locator('optgroup[label=Recent]')).toHaveCount(0);
});

test('queries about values find points of a trace-db trace', async ({ page }) => {
  await openSql(page, fixture('trace_db/variables.trace'));
  await page.getByRole('radio', { name: 'Values' }).click();
  const box = page.getByRole('textbox', { name: 'Query about values' });
  await box.click();
  await page.keyboard.insertText('i > ');
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('.query .warning-text')).not.toBeEmpty();
  await page.keyboard.insertText('1');
  await page.keyboard.press('Control+Enter');
  await expect(said(page)).toContainText(/points? found/);
  await expect(page.locator('.query').getByRole('grid', { name: 'Hits' })).toBeVisible();
});

test('records and fields are those of the range', async ({ page }) => {
  await openSql(page, fixture('scene.trace'));
  const count = async (table: string) => {
    await ask(page, `select count(*) from ${table}`);
    return Number(await rows(page).textContent());
  };
  const [all, fields] = [await count('records'), await count('fields')];
  expect(all).toBeGreaterThan(500);
  expect(fields).toBeGreaterThan(all);
  await ask(page, "select record, value from fields where key = 'args.mode' limit 2");
  await rows(page).first().getByRole('button').first().click();
  await expect(details(page)).toContainText('mode');
  await pictured(page);
  await selectRange(page, 0.4, 0.5);
  const some = await count('records');
  expect(some).toBeGreaterThan(0);
  expect(some).toBeLessThan(all / 5);
});

test('rows are kept as tracks: slices, values and points, which lead back', async ({ page }) => {
  await openSql(page, fixture('threads.xray'));
  await pictured(page);
  const tracks = page.locator('.track.derived');
  const keep = async (query: string) => {
    await ask(page, query);
    await page.locator('.query').getByRole('button', { name: 'Keep as track' }).click();
    await expect(page.locator('.query').getByRole('button', { name: 'Kept as track' })).toBeVisible();
  };
  await keep('-- Long calls\nselect start, dur, name, track, depth from named_slices order by dur desc limit 20');
  await expect(tracks).toContainText(['Long calls']);
  await expect(tracks).toContainText(/20\srows/);
  // The longest is an outermost call; the kept track is the first.
  await pictured(page);
  const area = (await page.locator('.area').boundingBox())!;
  await page.mouse.click(area.x + area.width / 2, area.y + 10);
  await expect(details(page)).toContainText('Duration');
  await keep('select start as time, dur as value from slices where depth = 1 order by start');
  await keep('select start from slices where depth = 2');
  await expect(tracks).toHaveCount(3);
  await ask(page, 'select name from names');
  await expect(page.locator('.query').getByRole('button', { name: /as track/ })).toHaveCount(0);
});
