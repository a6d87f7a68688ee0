/* What goes wrong around the page. docs/reliability.md lists all faults, with the tests elsewhere. */
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type CDPSession, expect, type Page } from '@playwright/test';
import {
  area,
  details,
  digest,
  fixture,
  functions,
  header,
  open,
  pictured,
  settled,
  showCalls,
  showPanel,
  test,
  traceWorkers,
} from './page.ts';
import { addToWorkers } from './replay.ts';

/** A log of several chunks: the buffers of a fixture over and over. */
function largeLog(path: string, times = 900): string {
  const one = readFileSync(fixture('threads.xray'));
  const buffers = Array.from({ length: times }, () => one.subarray(32));
  const log = Buffer.concat([one.subarray(0, 32), ...buffers]);
  mkdirSync(test.info().outputDir, { recursive: true });
  const full = test.info().outputPath(path);
  writeFileSync(full, path.endsWith('.gz') ? gzipSync(log, { level: 1 }) : log);
  return full;
}

/** What happens in a worker before it reads the fourth part of a file. */
const READS = (what: string) => `
  const { prototype } = ReadableStreamBYOBReader;
  const { read } = prototype;
  let reads = 0;
  prototype.read = async function (...args) {
    reads += 1;
    if (reads === 4) { ${what} }
    return read.apply(this, args);
  };`;
/** Waits there until the page says so. */
const WAITS = `await new Promise((resolve) => { new BroadcastChannel('go on').onmessage = resolve; });`;
const goOn = (page: Page) => page.evaluate(() => new BroadcastChannel('go on').postMessage(0));

/** What the list of problems says. */
async function problems(page: Page) {
  await header(page)
    .getByRole('button', { name: /problem/ })
    .click();
  return page.getByRole('dialog');
}

/** The page still answers: another file opens, and a call of it has details. */
async function livesOn(page: Page): Promise<void> {
  await open(page, fixture('coarse.xray'));
  await pictured(page);
  await area(page).focus();
  await page.keyboard.press('Enter');
  await expect(details(page)).toContainText('Duration');
}

test('a tab without memory says so, keeps what was read, and opens the next file', { tag: '@worker' }, async ({
  page,
}) => {
  await addToWorkers(page, READS(`throw new RangeError('Array buffer allocation failed');`));
  await page.reload();
  await page.setInputFiles('#file-input', largeLog('large.xray', 3000));
  await settled(page, 'ready', 'large.xray');
  await expect(await problems(page)).toContainText('This trace needs more memory than the browser gives a tab.');
  await page.keyboard.press('Escape');
  await livesOn(page);
});

test('a file that is shortened while it is read ends there, with what was read', { tag: '@worker' }, async ({
  page,
}) => {
  await addToWorkers(page, READS(WAITS));
  await page.reload();
  const path = largeLog('shortened.xray', 3000);
  await page.setInputFiles('#file-input', path);
  await pictured(page);
  truncateSync(path, 1000);
  await goOn(page);
  await settled(page, 'ready', basename(path));
  await header(page)
    .getByRole('button', { name: / % of the file, up to / })
    .click();
  const rest = page.getByRole('dialog', { name: 'The rest of the file' });
  await expect(rest).toContainText('was changed, moved or deleted after it was opened');
  await page.keyboard.press('Escape');
  await area(page).focus();
  await page.keyboard.press('Enter');
  await expect(details(page)).toContainText('Duration');
});

test('a file that is overwritten while it is read says what is wrong, and keeps what was read', {
  tag: '@worker',
}, async ({ page }) => {
  await addToWorkers(page, READS(WAITS));
  await page.reload();
  const path = largeLog('overwritten.xray', 3000);
  await page.setInputFiles('#file-input', path);
  await pictured(page);
  writeFileSync(path, readFileSync(path).fill(7));
  await goOn(page);
  await settled(page, 'ready', basename(path));
  // What is read after that is damage, or the system notices.
  await expect(await problems(page)).toContainText(/at (byte|offset) |was changed, moved or deleted/);
  await page.keyboard.press('Escape');
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('#8');
  await livesOn(page);
});

test('a file that is deleted while it is read is read as far as the system still has it', { tag: '@worker' }, async ({
  page,
}) => {
  await addToWorkers(page, READS(WAITS));
  await page.reload();
  const path = largeLog('deleted.xray', 3000);
  await page.setInputFiles('#file-input', path);
  await pictured(page);
  rmSync(path);
  await goOn(page);
  await settled(page, 'ready', basename(path));
  await area(page).focus();
  await page.keyboard.press('Enter');
  // What was not read with the picture is gone.
  await expect(details(page))
    .toContainText('Duration')
    .catch(() => expect(details(page)).toContainText('moved or deleted'));
  await livesOn(page);
});

test('where the storage is full, a packed trace is read to its end', { tag: '@storage' }, async ({ page }) => {
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(page.url()).origin, quotaSize: 100_000 });
  const path = largeLog('full.xray.gz');
  const bare = largeLog('bare.xray');
  await open(page, bare);
  const expected = await digest(page);
  await open(page, path);
  expect(await digest(page)).toBe(expected);
  await livesOn(page);
});

test('notes that the storage has no room for last as long as the page', { tag: '@storage' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await page.evaluate(() => {
    for (let size = 2 ** 22, i = 0; size > 0; i += 1) {
      try {
        localStorage.setItem(`other ${i}`, 'x'.repeat(size));
      } catch {
        size >>= 1;
      }
    }
  });
  await page.keyboard.press('Enter');
  await page.keyboard.press('m');
  await page.keyboard.type('here only');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('group', { name: 'Notes' }).getByRole('button')).toHaveText(['here only']);
  await page.locator('.notes-button').click();
  await expect(page.locator('.notes-popover')).toContainText('has no room left, so notes last until');
});

test('a trace stays usable when the browser clears what the page stores', { tag: '@storage' }, async ({ page }) => {
  await open(page, largeLog('cleared.xray.gz'));
  await pictured(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin: new URL(page.url()).origin, storageTypes: 'all' });
  await page.evaluate(async () => {
    localStorage.clear();
    const folder = await navigator.storage.getDirectory();
    for await (const name of folder.keys()) await folder.removeEntry(name, { recursive: true }).catch(() => undefined);
  });
  await area(page).focus();
  await page.keyboard.press('Enter');
  // What the file unpacks to was kept there.
  await expect(details(page)).toContainText('The file cannot be read any more');
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('#8');
  await livesOn(page);
});

test('a page that is frozen goes on where it was', { tag: '@worker' }, async ({ page }) => {
  await addToWorkers(page, READS(WAITS));
  await page.reload();
  const path = largeLog('frozen.xray', 3000);
  await page.setInputFiles('#file-input', path);
  await pictured(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  await session.send('Page.setWebLifecycleState', { state: 'active' });
  await goOn(page);
  await settled(page, 'ready', basename(path));
  await livesOn(page);
});

test('notes of one file in two tabs are in both', { tag: '@network' }, async ({ page, context }) => {
  const other = await context.newPage();
  await other.goto('./');
  const flags = (of: Page) => of.getByRole('group', { name: 'Notes' }).getByRole('button');
  const note = async (on: Page, text: string) => {
    await area(on).focus();
    await on.keyboard.press('m');
    await on.keyboard.type(text);
    await on.keyboard.press('Enter');
  };
  for (const each of [page, other]) {
    await open(each, fixture('threads.xray'));
    await pictured(each);
    await each.keyboard.press('Enter');
  }
  await note(page, 'of the first');
  await expect(flags(other)).toHaveText(['of the first']);
  // A second note at the first place would replace it.
  const first = await details(other).innerText();
  await other.keyboard.press('ArrowDown');
  await expect(details(other)).not.toHaveText(first, { useInnerText: true });
  await note(other, 'of the second');
  await expect(flags(page)).toHaveCount(2);
  await expect(flags(other)).toHaveCount(2);
});

test('a clock that is set back moves nothing', async ({ page }) => {
  const { now } = Date;
  await open(page, fixture('threads.xray'));
  await page.evaluate(() => {
    const { now: before } = Date;
    Date.now = () => before() - 86_400_000;
  });
  try {
    await livesOn(page);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('dur > 0');
    await expect(page.locator('.find-count')).toHaveText(/^[\d,]+ hits?$/);
  } finally {
    // In Node, the page has the clock of the tests.
    Date.now = now;
  }
});

/** What a page holds, after a collection. */
async function held(page: Page, session: CDPSession) {
  await session.send('HeapProfiler.collectGarbage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return { nodes, listeners: jsEventListeners, bytes: usedSize, workers: page.workers().length };
}

/** A panel that comes later doubles nodes and listeners. Twenty traces that stay would have them twenty times. */
const MOST_GROWTH = 3;

test('twenty files in a row leave nothing behind', { tag: '@worker' }, async ({ page }) => {
  test.slow();
  const session = await page.context().newCDPSession(page);
  const openBoth = async () => {
    for (const name of ['threads.xray', 'frames/calls.frames']) {
      await open(page, fixture(name));
      await pictured(page);
    }
    await expect.poll(() => traceWorkers(page).length).toBe(1);
    await expect(header(page)).toContainText('BAP');
  };
  // The first ones load code.
  for (let i = 0; i < 3; i += 1) await openBoth();
  const before = await held(page, session);
  for (let i = 0; i < 10; i += 1) await openBoth();
  await expect
    .poll(async () => {
      const { nodes, listeners, bytes, workers } = await held(page, session);
      return {
        nodes: nodes <= before.nodes * MOST_GROWTH,
        listeners: listeners <= before.listeners * MOST_GROWTH,
        bytes: bytes <= before.bytes * MOST_GROWTH,
        workers: workers <= before.workers,
      };
    })
    .toEqual({ nodes: true, listeners: true, bytes: true, workers: true });
});

/** The number of objects of workers, also of those that have ended. */
async function workersHeld(session: CDPSession): Promise<number> {
  const objectGroup = 'counted';
  const { result } = await session.send('Runtime.evaluate', { expression: 'Worker.prototype', objectGroup });
  const { objects } = await session.send('Runtime.queryObjects', {
    prototypeObjectId: result.objectId!,
    objectGroup,
  });
  const objectId = objects.objectId!;
  const functionDeclaration = 'function () { return this.length; }';
  const counted = await session.send('Runtime.callFunctionOn', { objectId, functionDeclaration, returnByValue: true });
  await session.send('Runtime.releaseObjectGroup', { objectGroup });
  return counted.result.value;
}

test('the queries of closed traces leave no worker behind', { tag: '@worker' }, async ({ page }) => {
  const session = await page.context().newCDPSession(page);
  const ask = async (name: string) => {
    await open(page, fixture(name));
    await pictured(page);
    await showPanel(page, 'SQL');
    await page.getByRole('textbox', { name: 'SQL query' }).press('Control+a');
    await page.keyboard.insertText('select count(*) from slices');
    await page.keyboard.press('Control+Enter');
    await expect(page.locator('.query .panel-end[role=status]')).toContainText('1 row in ');
  };
  await ask('threads.xray');
  const before = await workersHeld(session);
  for (const name of ['events.xray', 'threads.xray', 'events.xray', 'threads.xray']) await ask(name);
  await expect.poll(() => workersHeld(session)).toBeLessThan(before + 2);
});
