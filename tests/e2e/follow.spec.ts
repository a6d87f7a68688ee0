import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, type Page } from '@playwright/test';
import { digest, fixture, header, notice, open, pictured, settled, showPanel, test } from './page.ts';

const DIST = join(import.meta.dirname, '../../dist');
const NATIVE = join(import.meta.dirname, '../../target/debug/unspool');

/** Where a file of `size` bytes is cut: the same places each time, most of them within a record. */
function cutsOf(size: number, count: number): number[] {
  let state = 12_345;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return Array.from({ length: count }, () => 1 + Math.floor(random() * (size - 1))).sort((a, b) => a - b);
}

const growing = (page: Page) => header(page).getByRole('button', { name: 'Growing' });
async function inMenu(page: Page, name: string): Promise<void> {
  await growing(page).click();
  await page.getByRole('button', { name }).click();
}

/** Waits until the page has looked at what is there now: a look begins once the one before is over. */
async function looked(page: Page): Promise<void> {
  for (let i = 0; i < 3; i += 1) await page.waitForResponse(/\/[0-9a-f]{32}\/$/);
}

/** `unspool open --follow` with a page that is built. */
async function following(...args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(NATIVE, ['open', '--follow', '--no-browser', '--port', '0', '--page', DIST, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve) => createInterface(child.stdout!).once('line', resolve));
  return { child, url };
}

const FILES = ['threads.xray', 'scene.trace', 'frames/calls.frames', 'trace_db/variables.trace'];
const has = existsSync(NATIVE) && statSync(NATIVE).size > 0;

test.describe('unspool open --follow', { tag: '@network' }, () => {
  test.skip(!has, 'target/debug/unspool is missing: cargo build -p unspool-cli');

  for (const name of FILES) {
    test(`reads ${name} while it is written`, async ({ page }) => {
      const whole = readFileSync(fixture(name));
      await open(page, fixture(name));
      const expected = await digest(page);
      const path = join(mkdtempSync(join(tmpdir(), 'unspool-follow-')), basename(name));
      const [first = 1, ...cuts] = cutsOf(whole.length, 100);
      writeFileSync(path, whole.subarray(0, first));
      const { child, url } = await following(path);
      try {
        await page.goto(url);
        let at = first;
        for (const cut of [...cuts, whole.length]) {
          appendFileSync(path, whole.subarray(at, cut));
          at = cut;
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await settled(page, 'ready', basename(name));
        await pictured(page);
        await expect(growing(page)).toBeVisible();
        await looked(page);
        await inMenu(page, 'Stop following');
        await expect(growing(page)).toBeHidden();
        await expect.poll(() => digest(page)).toBe(expected);
        await expect(notice(page)).not.toContainText('no longer');
      } finally {
        child.kill();
      }
    });
  }

  test('panels show what is new when they are updated, and End keeps the end in sight', async ({ page }) => {
    const whole = readFileSync(fixture('threads.xray'));
    const path = join(mkdtempSync(join(tmpdir(), 'unspool-follow-')), 'threads.xray');
    writeFileSync(path, whole.subarray(0, 5000));
    const { child, url } = await following(path);
    try {
      await page.goto(url);
      await settled(page, 'ready', 'threads.xray');
      const panel = page.getByRole('tabpanel');
      await showPanel(page, 'Records');
      const records = panel.getByRole('status').first();
      await expect(records).toHaveText(/^\d+\srecords$/);
      const before = await records.innerText();
      await showPanel(page, 'Functions');
      await expect(panel).toContainText('256 calls');
      await page.keyboard.press('End');
      appendFileSync(path, whole.subarray(5000));
      await expect(header(page)).toContainText('1,021 records');
      await expect(panel).toContainText('256 calls');
      await inMenu(page, 'Update panels');
      await expect(panel).toContainText('513 calls');
      expect(before).not.toContain('1,021');
      await showPanel(page, 'Records');
      await expect(records).toHaveText(/^1,021\srecords$/);
      await panel.getByRole('grid').focus();
      await page.keyboard.press('End');
      await expect(panel.getByRole('row').last()).toHaveAttribute('aria-rowindex', '1022');
      await showPanel(page, 'SQL');
      await page.getByRole('textbox', { name: 'SQL query' }).fill('select count(*) as found from slices');
      await page.keyboard.press('Control+Enter');
      // Three calls may go on.
      await expect(page.getByRole('cell', { name: '510', exact: true })).toBeVisible();
      await page.keyboard.press('Control+f');
      await page.getByRole('combobox', { name: 'Search' }).fill('dur>0');
      await page.keyboard.press('Enter');
      // Once there are all, one of them is selected.
      await expect(page.getByRole('search').getByRole('status')).toHaveText(/^(510 hits|\d+ of 510)$/);
      await growing(page).click();
      await expect(page.getByRole('button', { name: 'Follow end' })).toHaveAttribute('aria-pressed', 'true');
    } finally {
      child.kill();
    }
  });

  test('opens a database again after each transaction', async ({ page }) => {
    test.slow();
    const whole = readFileSync(join(import.meta.dirname, '../../web/public/samples/blocks.sqlite'));
    const { default: init } = await import('sql.js');
    const sql = await init({});
    const versions = [100, 250, 400].map((rows) => {
      const database = new sql.Database(Uint8Array.from(whole));
      const last = `SELECT transition_id FROM execution ORDER BY transition_id LIMIT 1 OFFSET ${rows - 1}`;
      database.run(`DELETE FROM execution WHERE transition_id > (${last})`);
      return { rows, bytes: Buffer.from(database.export()) };
    });
    const path = join(mkdtempSync(join(tmpdir(), 'unspool-follow-')), 'blocks.sqlite');
    const expected: (string | null)[] = [];
    for (const { rows, bytes } of versions) {
      writeFileSync(path, bytes);
      await page.reload();
      await open(page, path);
      await expect(header(page)).toContainText(`${rows} block runs`);
      expected.push(await digest(page));
    }
    expect(new Set(expected).size).toBe(3);
    writeFileSync(path, versions[0]!.bytes);
    const { child, url } = await following(path);
    try {
      await page.goto(url);
      for (const [i, { rows, bytes }] of versions.entries()) {
        writeFileSync(path, bytes);
        await expect(header(page)).toContainText(`${rows} block runs`);
        expect(await digest(page)).toBe(expected[i]);
      }
      await expect(growing(page)).toBeVisible();
    } finally {
      child.kill();
    }
  });

  test('says that a log was rotated, and that one is gone', async ({ page }) => {
    const whole = readFileSync(fixture('threads.xray'));
    const path = join(mkdtempSync(join(tmpdir(), 'unspool-follow-')), 'threads.xray');
    writeFileSync(path, whole.subarray(0, 8000));
    const { child, url } = await following(path);
    try {
      await page.goto(url);
      await settled(page, 'ready', 'threads.xray');
      await expect(growing(page)).toBeVisible();
      await looked(page);
      // The head of the new file is that of another one.
      renameSync(path, `${path}.1`);
      writeFileSync(path, Buffer.concat([whole.subarray(0, 16), Buffer.alloc(16, 7), whole.subarray(32, 5000)]));
      await expect(notice(page)).toContainText('threads.xray was rotated: its writer has begun a new file.');
      await expect(growing(page)).toBeHidden();
      writeFileSync(path, whole);
      await page.reload();
      await settled(page, 'ready', 'threads.xray');
      await expect(growing(page)).toBeVisible();
      unlinkSync(path);
      await expect(notice(page)).toContainText('threads.xray was moved or deleted. It is no longer followed.');
    } finally {
      child.kill();
    }
  });

  test('reads frames again when their table of contents is written', async ({ page }) => {
    const whole = readFileSync(fixture('frames/calls.frames'));
    await open(page, fixture('frames/calls.frames'));
    const expected = await digest(page);
    const path = join(mkdtempSync(join(tmpdir(), 'unspool-follow-')), 'calls.frames');
    // The head has the number of frames, and where the table is. Both are 0 until it is written.
    const table = Number(whole.readBigUInt64LE(40));
    writeFileSync(path, Buffer.concat([whole.subarray(0, 32), Buffer.alloc(16), whole.subarray(48, table)]));
    const { child, url } = await following(path);
    try {
      await page.goto(url);
      await settled(page, 'ready', 'calls.frames');
      await looked(page);
      appendFileSync(path, whole.subarray(table));
      const file = openSync(path, 'r+');
      writeSync(file, whole, 32, 16, 32);
      closeSync(file);
      await expect(notice(page)).toContainText('The beginning of calls.frames was filled in, so it was read again.');
      await inMenu(page, 'Stop following');
      await expect.poll(() => digest(page)).toBe(expected);
    } finally {
      child.kill();
    }
  });

  test('says that a compressed file cannot be followed', async ({ page }) => {
    const { child, url } = await following(fixture('containers/threads.xray.gz'));
    try {
      await page.goto(url);
      await settled(page, 'ready', 'threads.xray.gz');
      await expect(notice(page)).toContainText('cannot be followed, because it is in a compressed file');
      await expect(growing(page)).toBeHidden();
    } finally {
      child.kill();
    }
  });
});

/** Lets the dialog of the browser return a file of the page, which the test writes by {@link write}. */
async function answerDialog(page: Page, name: string): Promise<void> {
  await page.evaluate(async (title) => {
    const folder = await navigator.storage.getDirectory();
    const handle = await folder.getFileHandle(title, { create: true });
    Object.assign(window, { showOpenFilePicker: async () => [handle] });
  }, name);
}

/** Has the file of the dialog begin with `from` bytes as it is, and go on with these. */
async function write(page: Page, name: string, from: number, bytes: Buffer): Promise<void> {
  await page.evaluate(
    async ({ title, from, base64 }) => {
      const folder = await navigator.storage.getDirectory();
      const handle = await folder.getFileHandle(title, { create: true });
      const file = await handle.createWritable({ keepExistingData: true });
      await file.truncate(from);
      await file.write({
        type: 'write',
        position: from,
        data: Uint8Array.from(atob(base64), (it) => it.charCodeAt(0)),
      });
      await file.close();
    },
    { title: name, from, base64: bytes.toString('base64') },
  );
}

test('follows a file that was chosen in the browser, once it has grown', { tag: '@storage' }, async ({ page }) => {
  const name = 'threads.xray';
  const whole = readFileSync(fixture(name));
  await open(page, fixture(name));
  const expected = await digest(page);
  await page.reload();
  await answerDialog(page, name);
  await write(page, name, 0, whole.subarray(0, 5000));
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await settled(page, 'ready', name);
  await write(page, name, 5000, whole.subarray(5000, 5003));
  await expect(notice(page)).toContainText('has grown by 3 bytes');
  await notice(page).getByRole('button', { name: 'Follow' }).click();
  await expect(growing(page)).toBeVisible();
  let at = 5003;
  for (const cut of [...cutsOf(whole.length - at, 20).map((cut) => cut + 5003), whole.length]) {
    await write(page, name, at, whole.subarray(at, cut));
    at = cut;
  }
  await expect(header(page)).toContainText('10.2 kB');
  await inMenu(page, 'Stop following');
  await expect.poll(() => digest(page)).toBe(expected);
});

test('says what panels lack of a file that grows, and fills them', { tag: '@storage' }, async ({ page }) => {
  const name = 'threads.xray';
  const whole = readFileSync(fixture(name));
  await page.goto('');
  await answerDialog(page, name);
  await write(page, name, 0, whole.subarray(0, 5000));
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await settled(page, 'ready', name);
  await write(page, name, 5000, whole.subarray(5000, 5003));
  await notice(page).getByRole('button', { name: 'Follow' }).click();
  await expect(growing(page)).toBeVisible();
  const panels = page.getByRole('region', { name: 'Panels' });
  await expect(panels).toContainText('256 calls');
  await write(page, name, 5003, whole.subarray(5003));
  await expect(panels).toContainText(/Without the \d+\srecords that have come since/);
  await panels.getByRole('button', { name: 'Update' }).click();
  await expect(panels).toContainText('513 calls');
  await expect(panels).not.toContainText('come since');
});

test('follows a file that was dropped, while another program writes it', { tag: '@drop' }, async ({ page }) => {
  const name = 'threads.xray';
  const whole = readFileSync(fixture(name));
  await open(page, fixture(name));
  const expected = await digest(page);
  await page.reload();
  const path = join(mkdtempSync(join(tmpdir(), 'unspool-follow-')), name);
  writeFileSync(path, whole.subarray(0, 5000));
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await client.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data });
  }
  await settled(page, 'ready', name);
  appendFileSync(path, whole.subarray(5000, 5003));
  await notice(page).getByRole('button', { name: 'Follow' }).click();
  await expect(growing(page)).toBeVisible();
  let at = 5003;
  // Browsers do not read a file that has changed since they looked at it, if only a second has begun since.
  for (const cut of [...cutsOf(whole.length - at, 100).map((cut) => cut + 5003), whole.length]) {
    appendFileSync(path, whole.subarray(at, cut));
    at = cut;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  await expect(header(page)).toContainText('10.2 kB');
  await expect(header(page)).toContainText('1,021 records');
  await inMenu(page, 'Stop following');
  await expect.poll(() => digest(page)).toBe(expected);
});

test('says what has become of a file that does not go on', { tag: '@storage' }, async ({ page }) => {
  const name = 'threads.xray';
  const whole = readFileSync(fixture(name));
  const shown = async (from: number, bytes: Buffer, sentence: string) => {
    await write(page, name, from, bytes);
    await expect(notice(page)).toContainText(sentence);
    await expect(growing(page)).toBeHidden();
  };
  await answerDialog(page, name);
  await write(page, name, 0, whole.subarray(0, 9000));
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await settled(page, 'ready', name);
  await write(page, name, 9000, whole.subarray(9000, 9100));
  await notice(page).getByRole('button', { name: 'Follow' }).click();
  await expect(growing(page)).toBeVisible();
  // All of it was read again before it shrinks: a file that changes meanwhile is read once more.
  await expect(header(page)).toContainText('9.10 kB');
  await settled(page, 'ready');
  await shown(5000, Buffer.alloc(0), 'has shrunk by 4.10 kB. It is no longer followed.');
  await notice(page).getByRole('button', { name: 'Read it again' }).click();
  await settled(page, 'ready', name);
  await write(page, name, 5000, whole.subarray(5000, 6000));
  await notice(page).getByRole('button', { name: 'Follow' }).click();
  await expect(growing(page)).toBeVisible();
  await write(page, name, 6000, whole.subarray(6000, 7000));
  await expect(header(page)).toContainText('7.00 kB');
  await shown(5000, Buffer.alloc(3000, 7), 'was written again from the start');
});
