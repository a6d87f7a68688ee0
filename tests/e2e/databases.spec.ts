import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { clickAt, details, digest, fixture, header, open, pictured, settled, showPanel, test } from './page.ts';

const ROOT = join(import.meta.dirname, '../..');
const SAMPLE = join(ROOT, 'web/public/samples/blocks.sqlite');

test('a database shows its blocks and the calls rebuilt from them', async ({ page }) => {
  await open(page, SAMPLE);
  await pictured(page);
  await expect(header(page)).toContainText('400 block runs');
  await expect(page.locator('.track-name b')).toHaveText(['user and kernel', 'mode', 'blocks', 'calls']);
  await expect(header(page)).not.toContainText('problem');
});

test('a block shows its instructions, and which of them ran', async ({ page }) => {
  await open(page, fixture('rvn/blocks.sqlite'));
  await pictured(page);
  await clickAt(page, 'blocks', 0.5, 20, 9);
  await expect(details(page)).toContainText('Address');
  await expect(details(page)).toContainText(/call|ret|mov|nop|push/);
});

test('the person goes to a transition, and steps from one to the next', async ({ page }) => {
  await open(page, SAMPLE);
  await pictured(page);
  await page.keyboard.press('g');
  await page.keyboard.type('1,234');
  await page.keyboard.press('Enter');
  const first = details(page).locator('dt', { hasText: 'First transition' }).locator('+ dd');
  const last = details(page).locator('dt', { hasText: 'Last transition' }).locator('+ dd');
  await expect(details(page)).toContainText('Last transition');
  const number = async (field: typeof first) => Number((await field.textContent())?.replace(/\D/g, ''));
  const [from, to] = [await number(first), await number(last)];
  expect(from).toBeLessThanOrEqual(1234);
  expect(to).toBeGreaterThanOrEqual(1234);
  const heading = details(page).getByRole('heading');
  await expect(heading).toHaveText('Transition 1,234');
  await page.keyboard.press('.');
  await expect(heading).toHaveText('Transition 1,235');
  await page.keyboard.press(',');
  await page.keyboard.press(',');
  await expect(heading).toHaveText('Transition 1,233');
  await page.keyboard.press('g');
  await page.locator('#find-field').fill('nowhere');
  await page.keyboard.press('Enter');
  await expect(page.locator('#find-field')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByRole('alert')).toContainText('No name contains “nowhere”. Positions look like');
  await page.locator('#find-field').fill('0x');
  await page.keyboard.press('Enter');
  await expect(details(page).getByRole('heading')).toContainText('0x');
  await expect(page.getByRole('alert')).toBeHidden();
});

test('numbers beyond 2^53 are exact, and so are addresses of the upper half', async ({ page }) => {
  await open(page, fixture('rvn/beyond_2_53.sqlite'));
  await pictured(page);
  const end = 5 + 2 ** 33 + 2 ** 53 + 2;
  await clickAt(page, 'blocks', end / 2, end, 9);
  await expect(details(page)).toContainText('0xfffffffffffffffb');
  await expect(details(page)).toContainText('9,007,207,844,675,589');
});

test('a truncated database shows its remaining rows', async ({ page }, info) => {
  const whole = readFileSync(SAMPLE);
  const cut = info.outputPath('cut.sqlite');
  writeFileSync(cut, whole.subarray(0, Math.floor(whole.length * 0.6)));
  await open(page, cut);
  await expect(header(page)).toContainText('400 block runs');
  await page.getByRole('button', { name: /problem/ }).click();
  await expect(page.getByRole('dialog')).toContainText('Reading stopped early');
  await expect(page.getByRole('dialog')).toContainText('malformed');
  await open(page, SAMPLE);
  await expect(header(page)).toContainText('400 block runs');
});

test('a database of another kind is refused with an explanation', async ({ page }, info) => {
  const other = info.outputPath('other.sqlite');
  const bytes = readFileSync(SAMPLE);
  // A table name in the schema.
  for (let at = bytes.indexOf('execution'); at >= 0; at = bytes.indexOf('execution', at)) bytes.write('somewhere', at);
  writeFileSync(other, bytes);
  await open(page, other, 'failed');
  await expect(page.locator('body')).toContainText('no table "execution"');
});

test('its tables can be queried by read-only SQL', async ({ page }) => {
  await page.setViewportSize({ width: 1400, height: 900 });
  await open(page, SAMPLE);
  await showPanel(page, 'SQL');
  const rows = page.getByRole('region', { name: 'Rows' });
  const said = page.locator('.query .panel-end[role=status]');
  await page.getByRole('combobox', { name: 'Queries and tables' }).selectOption('rvn.interrupts');
  await expect(said).toContainText('5 rows');
  await expect(rows.locator('th')).toContainText(['transition_id', 'pc', 'mode', 'number', 'is_hw']);
  const box = page.getByRole('textbox', { name: 'SQL query' });
  await box.fill('select 9223372036854775807 as most, null as none, count(*) from execution');
  await box.press('Control+Enter');
  await expect(rows.locator('tbody')).toContainText('9223372036854775807NULL400');
  await box.fill('delete from execution');
  await box.press('Control+Enter');
  await expect(said).toContainText('read-only');
  await box.fill('select nothing from nowhere');
  await box.press('Control+Enter');
  await expect(said).toContainText('SQLite says');
});

test('an endless query shows rows until it is stopped', { tag: '@worker' }, async ({ page }) => {
  await open(page, SAMPLE);
  await showPanel(page, 'SQL');
  const said = page.locator('.query .panel-end[role=status]');
  const box = page.getByRole('textbox', { name: 'SQL query' });
  await box.fill(
    'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n where i % 100000 = 0',
  );
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(said).toContainText(/Running… \d/);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(said).toContainText('Stopped');
  await box.fill('values (1), (2), (3)');
  await box.press('Control+Enter');
  await expect(said).toContainText('3 rows');
});

test('keys typed into a query run no command', async ({ page }) => {
  await page.setViewportSize({ width: 1400, height: 900 });
  await open(page, SAMPLE);
  await showPanel(page, 'SQL');
  const box = page.getByRole('textbox', { name: 'SQL query' });
  await box.pressSequentially('select 0 as grade?');
  await expect(box).toHaveText('select 0 as grade?');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('a table above 4 GiB is read like any other', { tag: '@storage' }, async ({ page }, info) => {
  const { default: init } = await import('sql.js');
  const { Database } = await init({});
  const database = new Database(readFileSync(SAMPLE));
  const PAGE = 65_536;
  const far = 70_000;
  database.run(`pragma page_size=${PAGE}; vacuum; pragma writable_schema=1`);
  const statement = database.prepare("select rootpage from sqlite_schema where name='execution'");
  statement.step();
  const near = Number(statement.get(null, { useBigInt: false })[0]);
  statement.free();
  database.run(`update sqlite_schema set rootpage=${far} where name='execution'`);
  const bytes = database.export();
  // The whole table is in one page, which moves. The gap is a hole that takes no disk space.
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(28, far);
  const path = info.outputPath('far.sqlite');
  const file = openSync(path, 'w');
  writeSync(file, bytes, 0, bytes.length, 0);
  writeSync(file, bytes, (near - 1) * PAGE, PAGE, (far - 1) * PAGE);
  closeSync(file);
  await open(page, path);
  await expect(header(page)).toContainText('4.59 GB');
  await expect(header(page)).toContainText('400 block runs');
  await expect(header(page)).not.toContainText('problem');
  rmSync(path);
});

const DIGESTS = Object.entries(
  JSON.parse(readFileSync(join(ROOT, 'tests/digests.json'), 'utf8')) as Record<string, string>,
);
/** What a browser reads: a trace of each format, the largest one of databases. */
const IN_BROWSER = /threads\.xray|values\.trace|calls\.frames|variables\.trace|medium\.sqlite/;

/** Opens traces, and compares what was read of each with what the native command reads. */
async function readAlike(page: Page, digests: typeof DIGESTS): Promise<void> {
  for (const [name, expected] of digests) {
    const path = join(ROOT, name);
    if (!existsSync(path)) {
      test.info().annotations.push({ type: 'skipped', description: `${name} is not here` });
      continue;
    }
    await page.setInputFiles('#file-input', path);
    await settled(page, 'ready', basename(path));
    expect(await digest(page), name).toBe(expected);
    if (name.endsWith('medium.sqlite')) await expect(header(page)).toContainText('1,500,000 block runs');
  }
}

test('the page reads what the native command reads', async ({ page }) => {
  await readAlike(
    page,
    DIGESTS.filter(([name]) => !name.endsWith('medium.sqlite')),
  );
});

test('a browser reads what the native command reads', { tag: '@worker' }, async ({ page }) => {
  await readAlike(
    page,
    DIGESTS.filter(([name]) => IN_BROWSER.test(name)),
  );
});
