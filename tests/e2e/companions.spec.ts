import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from '@playwright/test';
import {
  choose,
  chosen,
  companions,
  details,
  digest,
  fixture,
  functions,
  header,
  notice,
  open,
  pictured,
  settled,
  showCalls,
  showPanel,
  test,
} from './page.ts';

const trace = (name: string) => chosen(basename(name), readFileSync(fixture(name)));
const NAMES = chosen('names.csv', 'key,name\n1,main\n2,"compute(int, char)",compute.cc:12\n3,main\n');

test('names that come later show at once, and leave with their file', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('#2');
  const before = await digest(page);
  await page.getByRole('tab', { name: 'Records' }).click();
  await expect(page.getByRole('grid')).toContainText('#2');
  await choose(page, NAMES);
  await expect(page.getByRole('grid')).toContainText('compute(int, char)');
  await expect(page.getByRole('grid')).toContainText('main (#1)');
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('compute(int, char)');
  // Two functions with one name stay two.
  await expect(functions(page)).toContainText('main (#1)');
  await expect(functions(page)).toContainText('main (#3)');
  await expect(companions(page)).toContainText('names.csv');
  expect(await digest(page)).toBe(before);

  // Found by its id as well.
  await page.getByRole('combobox', { name: 'Filter functions' }).fill('#2');
  await expect(functions(page)).toContainText('compute(int, char)');
  await expect(functions(page)).not.toContainText('main');
  await page.getByRole('button', { name: 'Remove names.csv' }).click();
  await expect(functions(page)).not.toContainText('compute');
  await expect(functions(page)).toContainText('#2');
  await expect(companions(page)).toHaveCount(0);
});

test('details of a call have its name, its source and its id', async ({ page }) => {
  await choose(
    page,
    trace('threads.xray'),
    chosen('n.csv', 'id,name,where\n1,one,a.c:1\n2,two,a.c:2\n3,three,a.c:3\n'),
  );
  await settled(page, 'ready', 'threads.xray');
  await pictured(page);
  await page.getByRole('tab', { name: 'Records' }).click();
  await page.getByRole('row').filter({ hasText: 'two' }).first().click();
  await expect(details(page).getByRole('heading')).toHaveText('two');
  await expect(details(page)).toContainText('a.c:2');
  await expect(details(page)).toContainText('Function id');
  await page.getByRole('button', { name: 'Remove n.csv' }).click();
  await expect(details(page).getByRole('heading')).toHaveText('#2');
});

for (const order of ['together', 'before']) {
  test(`names that come ${order} with the trace name it`, async ({ page }) => {
    if (order === 'together') {
      await choose(page, NAMES, trace('threads.xray'));
    } else {
      await choose(page, NAMES);
      await expect(page.locator('.waiting')).toContainText('names.csv');
      await expect(page.locator('.waiting')).toContainText('waits for a trace');
      await expect(page.locator('body')).toHaveAttribute('data-state', 'empty');
      await choose(page, trace('threads.xray'));
    }
    await settled(page, 'ready', 'threads.xray');
    await showCalls(page, 'Functions');
    await expect(functions(page)).toContainText('compute(int, char)');
    await expect(companions(page).getByRole('listitem')).toHaveAttribute(
      'title',
      /^It names 3.functions of this trace\.$/,
    );
  });
}

test('names that come before a trace of an archive is chosen wait for it', async ({ page }) => {
  await page.setInputFiles('#file-input', fixture('containers/traces.zip'));
  await expect(page.locator('body')).toHaveAttribute('data-state', 'choosing');
  await choose(page, NAMES);
  await page.getByRole('button', { name: /threads\.xray/ }).click();
  await expect(companions(page).getByRole('listitem')).toHaveAttribute('title', /^It names 3.functions/);
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('compute(int, char)');
});

test('files that fit nothing are named, and the open trace stays', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await choose(page, chosen('app.exe', 'MZ\0\0\0\0\0\0'));
  await expect(notice(page)).toContainText('app.exe looks like a Windows program, not like a trace.');
  await choose(page, chosen('wrong.csv', '1000000,nobody\nthis is no name\n'));
  await expect(notice(page)).toContainText('wrong.csv: Its name matches no function of this trace. 1');
  await expect(companions(page).locator('.warning')).toContainText('wrong.csv');
  await expect(header(page)).toContainText('threads.xray');
  await choose(page, trace('apitrace/scene.trace'), NAMES);
  await settled(page, 'ready', 'scene.trace');
  await expect(notice(page)).toContainText('This trace cannot use names.csv.');
  await expect(companions(page)).toHaveCount(0);
  await choose(page, NAMES);
  await expect(notice(page)).toContainText('names.csv is a list of names, which this trace cannot use.');
});

test('addresses of frames and of blocks take names, by the lines of a map', async ({ page }) => {
  await open(page, fixture('rvn/blocks.sqlite'));
  await pictured(page);
  await showCalls(page, 'Functions');
  const cells = functions(page).locator('td.name');
  await expect(cells.first()).toContainText('0x');
  const address = (await cells.allTextContents()).map((text) => /0x([0-9a-f]+)/.exec(text)?.[1]).find(Boolean)!;
  const start = (BigInt(`0x${address}`) - 4n).toString(16);
  await choose(page, chosen('perf-1.map', `${start} 10 around\n`));
  await expect(functions(page)).toContainText('around+0x4');
});

test('a database is shown with its write-ahead log, in any order', async ({ page }) => {
  const [database, log] = [trace('rvn/logged.sqlite'), trace('rvn/logged.sqlite-wal')];
  await open(page, fixture('rvn/blocks.sqlite'));
  const whole = await digest(page);
  await choose(page, database, log);
  await settled(page, 'ready', 'logged.sqlite');
  expect(await digest(page)).toBe(whole);
  await expect(header(page)).not.toContainText('problem');
  await expect(companions(page).getByRole('listitem')).toHaveAttribute('title', /adds 4.transactions/);

  // Every part of the page reads it: records, details and queries.
  await page.getByRole('tab', { name: 'Steps' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Steps' })).toContainText('15 transitions');
  await expect(page.getByRole('grid')).toContainText('14');
  await showPanel(page, 'SQL');
  await page.getByRole('textbox', { name: /SQL|query/i }).fill('select count(*) from execution');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.locator('.query')).toContainText('9');

  await page.getByRole('button', { name: 'Remove logged.sqlite-wal' }).click();
  await settled(page, 'ready', 'logged.sqlite');
  await expect(companions(page)).toHaveCount(0);
  expect(await digest(page)).not.toBe(whole);
  await expect(header(page)).toContainText(/1.minor problem/);
  await choose(page, log);
  await expect(companions(page)).toContainText('logged.sqlite-wal');
  await settled(page, 'ready', 'logged.sqlite');
  expect(await digest(page)).toBe(whole);
});

test('a damaged log gives what precedes the damage, and one of another database is left out', async ({ page }) => {
  const database = trace('rvn/logged.sqlite');
  const damaged = readFileSync(fixture('rvn/logged.sqlite-wal'));
  damaged[32 + 2 * (24 + 512) + 200]! ^= 1;
  await choose(page, database, chosen('logged.sqlite-wal', damaged));
  await settled(page, 'ready', 'logged.sqlite');
  await expect(notice(page)).toContainText('It adds 2');
  await expect(notice(page)).toContainText('It is damaged or incomplete at byte 1,104, and the rest is left out.');
  await expect(header(page)).toContainText('6 block runs');

  const other = readFileSync(fixture('rvn/logged.sqlite-wal'));
  other.writeUInt32BE(1024, 8);
  await choose(page, database, chosen('other-wal', other));
  await settled(page, 'ready', 'logged.sqlite');
  await expect(companions(page).locator('.warning')).toContainText('other-wal');
});
