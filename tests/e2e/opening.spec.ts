import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from '@playwright/test';
import { SAMPLES } from '../../web/app/formats.ts';
import {
  area,
  DIALOG,
  details,
  drop,
  fixture,
  header,
  inked,
  marks,
  open,
  pictured,
  recorded,
  settled,
  test,
  traceWorkers,
} from './page.ts';

test('lists its formats before a trace is open', async ({ page }) => {
  await settled(page, 'empty');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Drop a trace anywhere on this page');
  await expect(page.getByText('LLVM XRay logs')).toBeVisible();
  await expect(page.getByText('apitrace traces')).toBeVisible();
  await expect(page.getByText('Nothing is uploaded.')).toBeVisible();
});

test('opens a file from the input and shows it', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await expect(header(page)).toContainText('XRay');
  await expect(page.locator('.tracks')).toContainText('calls');
  await expect(page).toHaveTitle('threads.xray – Unspool');
});

test('draws the file', { tag: '@pixels' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  expect(await inked(page)).toBeGreaterThan(1000);
});

test('sets marks at opening, first picture and completion', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const told = await marks(page);
  const size = readFileSync(fixture('threads.xray')).length;
  expect(told['unspool:open']).toEqual({ bytesRead: 0, bytes: size, events: 0 });
  expect(told['unspool:complete']?.bytesRead).toBe(size);
  expect(told['unspool:complete']?.events).toBeGreaterThan(0);
  expect(told['unspool:first-picture']?.bytes).toBe(size);
});

test('opens a file dropped anywhere', async ({ page }) => {
  await drop(page, 'dropped.xray', fixture('threads.xray'));
  await settled(page, 'ready', 'dropped.xray');
  await pictured(page);
});

test('shows an overlay while a file is dragged over the page', async ({ page }) => {
  const hold = (type: string) =>
    page.evaluate((event) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'x'));
      document.body.dispatchEvent(new DragEvent(event, { dataTransfer, bubbles: true, cancelable: true }));
    }, type);
  await hold('dragenter');
  await expect(page.getByText('Drop to open')).toBeVisible();
  await hold('dragleave');
  await expect(page.getByText('Drop to open')).toBeHidden();
});

const OTHER = 'calls.frames is not shown. Two of one format are compared.';

test('opens the first of several files, with a notice', async ({ page }) => {
  await page.setInputFiles('#file-input', [fixture('threads.xray'), fixture('frames/calls.frames')]);
  await settled(page, 'ready', 'threads.xray');
  await expect(page.getByText(OTHER)).toBeVisible();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByText(OTHER)).toBeHidden();
});

test('says what it needs where it was opened from a disk', { tag: '@start' }, async ({ page }) => {
  const needs = page.getByText('This page needs a web server');
  await expect(needs).toBeHidden();
  await page.goto(new URL('../../dist/index.html', import.meta.url).href);
  await expect(needs).toBeVisible();
});

test('opens each sample with one click', async ({ page }) => {
  const files = SAMPLES.map((sample) => basename(sample.path));
  await expect(page.locator('.samples button')).toHaveCount(files.length);
  for (const [i, file] of files.entries()) {
    await page.goto('./');
    await page.locator('.samples button').nth(i).click();
    await settled(page, 'ready', file);
    await pictured(page);
  }
});

test('opens the file that the address names, and reports a failed download', async ({ page }) => {
  await page.goto('./?url=samples/threads.xray');
  await settled(page, 'ready', 'threads.xray');
  await page.goto('./?url=samples/none.xray');
  await settled(page, 'failed', 'none.xray');
  await expect(page.getByRole('alert')).toContainText('404');
});

test('takes a trace from another window', async ({ page }) => {
  await page.evaluate(
    (bytes) =>
      window.postMessage({ type: 'unspool:open', name: 'posted.xray', buffer: Uint8Array.from(bytes).buffer }, '*'),
    [...readFileSync(fixture('threads.xray'))],
  );
  await settled(page, 'ready', 'posted.xray');
});

test('opens the file dialog by keyboard', DIALOG, async ({ page }) => {
  const chooser = page.waitForEvent('filechooser');
  await page.keyboard.press('Control+o');
  await (await chooser).setFiles(fixture('threads.xray'));
  await settled(page, 'ready', 'threads.xray');
});

test('stops reading and keeps what was read', { tag: '@drop' }, async ({ page }) => {
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const button = document.querySelector<HTMLButtonElement>('.loading button');
      if (!button || performance.getEntriesByName('unspool:first-picture').length === 0) return;
      observer.disconnect();
      button.click();
    }).observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
  });
  await drop(page, 'long.xray', fixture('threads.xray'), 20_000);
  await settled(page, 'ready', 'long.xray');
  await expect(header(page).getByRole('button', { name: / % of the file, up to / })).toBeVisible();
  // The view fits to the events so far, and their picture follows.
  await expect.poll(() => inked(page)).toBeGreaterThan(1000);
  await area(page).focus();
  await page.keyboard.press('Enter');
  await expect(details(page)).toContainText('Duration');
});

test('survives a broken file and opens the next one', async ({ page }, info) => {
  const broken = info.outputPath('notes.txt');
  mkdirSync(info.outputDir, { recursive: true });
  writeFileSync(broken, 'These are notes and no trace. '.repeat(20));
  await open(page, broken, 'failed');
  await expect(page.getByRole('alert')).toContainText('notes.txt could not be opened');
  await expect(page.getByRole('button', { name: 'Open another trace' })).toBeVisible();
  await open(page, fixture('threads.xray'));
  await pictured(page);
});

test('reports a deleted file and opens the next one', { tag: '@storage' }, async ({ page }, info) => {
  const gone = info.outputPath('gone.xray');
  mkdirSync(info.outputDir, { recursive: true });
  writeFileSync(gone, readFileSync(fixture('threads.xray')));
  await page.evaluate(() => {
    const input = document.createElement('input');
    input.type = 'file';
    input.id = 'held';
    document.body.append(input);
  });
  await page.setInputFiles('#held', gone);
  await page.evaluate(() => document.querySelector<HTMLInputElement>('#held')!.files![0]!.slice(0, 1).text());
  rmSync(gone);
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(document.querySelector<HTMLInputElement>('#held')!.files![0]!);
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  await settled(page, 'failed', 'gone.xray');
  await expect(page.getByRole('alert')).toContainText('changed, moved or deleted');
  await open(page, fixture('threads.xray'));
  await pictured(page);
});

test('survives a crash of the reader', { tag: '@worker' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await page.workers()[0]!.evaluate(() => {
    setTimeout(() => {
      throw new Error('as a trap would');
    });
  });
  await page.getByRole('button', { name: /problem/ }).click();
  await expect(page.getByRole('dialog')).toContainText('stopped unexpectedly');
  await page.keyboard.press('Escape');
  await area(page).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('#announcer')).not.toBeEmpty();
  await open(page, fixture('events.xray'));
  await pictured(page);
});

test('reports a reader that does not load', { tag: '@network' }, async ({ page }) => {
  await page.route('**/*.wasm', (route) => route.abort());
  // Otherwise a worker that is ready already may have it.
  await page.reload();
  await open(page, fixture('threads.xray'), 'failed');
  await expect(page.getByRole('alert')).toContainText('could not be loaded');
});

test('shows a truncated file up to its end, and the offset of the break', async ({ page }) => {
  await open(page, fixture('truncated.xray'));
  await pictured(page);
  await page.getByRole('button', { name: /problem/ }).click();
  await expect(page.getByRole('dialog')).toContainText('byte');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('closes the previous trace for the next one', { tag: '@worker' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await open(page, fixture('events.xray'));
  await pictured(page);
  await expect.poll(() => traceWorkers(page).length).toBe(1);
});

test('opens every recorded log and trace', async ({ page }) => {
  const logs = [...recorded('xray'), ...recorded('apitrace')];
  test.skip(logs.length === 0, 'the corpus is not beside this repository');
  for (const log of logs) {
    await page.setInputFiles('#file-input', log);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(basename(log));
    await expect(page.locator('body'), basename(log)).toHaveAttribute('data-state', 'ready');
  }
});

test('a worker is ready before a file is opened, unless the browser saves data', { tag: '@worker' }, async ({
  page,
}) => {
  await page.reload();
  await expect.poll(() => page.workers().length).toBe(1);
  const [ready] = page.workers();
  await open(page, fixture('threads.xray'));
  expect(traceWorkers(page)).toEqual([ready]);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
  });
  await page.reload();
  await settled(page, 'empty');
  // Idle callbacks of the page come before this one.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  expect(page.workers()).toEqual([]);
  await page.getByRole('button', { name: 'Open a trace' }).focus();
  await expect.poll(() => page.workers().length).toBe(1);
});

test('asks before a file of another page replaces the trace', async ({ page }) => {
  const send = (message: object) =>
    page.evaluate((it) => window.postMessage({ type: 'unspool:open', ...it }, '*'), message);
  const buffer = [...readFileSync(fixture('events.xray'))];
  const sendFile = (name: string) =>
    page.evaluate(
      ([title, bytes]) =>
        window.postMessage({ type: 'unspool:open', name: title, buffer: Uint8Array.from(bytes).buffer }, '*'),
      [name, buffer] as const,
    );
  await open(page, fixture('threads.xray'));
  await sendFile('sent.xray');
  await expect(page.locator('.notice')).toContainText('Another page has sent sent.xray.');
  await page.getByRole('button', { name: 'Keep this trace' }).click();
  await expect(page.locator('.notice p')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('threads.xray');
  await sendFile('sent.xray');
  await page.locator('.notice').getByRole('button', { name: 'Open' }).click();
  await settled(page, 'ready', 'sent.xray');
  await send({ name: 'odd', buffer: 'text' });
  await expect(page.locator('.notice')).toContainText('odd was sent without its bytes');
  await page.evaluate(() => {
    const buffer = Reflect.construct(ArrayBuffer, [8, { maxByteLength: 16 }]);
    window.postMessage({ type: 'unspool:open', name: 'grows', buffer }, '*');
  });
  await expect(page.locator('.notice')).toContainText('grows was sent as a resizable buffer');
});

for (const [url, sentence] of [
  ['http://[', 'is not an address'],
  ['file:///etc/hosts', 'Open the file instead'],
  ['ftp://example.org/a', 'cannot be downloaded'],
  ['missing%25zz', 'answered with status 404'],
] as const) {
  test(`refuses ?url=${url} in words`, { tag: '@network' }, async ({ page }) => {
    await page.goto(`./?url=${encodeURIComponent(url)}`);
    await settled(page, 'failed');
    await expect(page.getByRole('alert')).toContainText(sentence);
  });
}

const CHANGES = [
  { how: 'grows', fixture: 'threads.xray', tab: 'Records', change: (path: string) => appendFileSync(path, 'more') },
  { how: 'shrinks', fixture: 'frames/calls.frames', tab: 'Steps', change: (path: string) => truncateSync(path, 100) },
  {
    how: 'is replaced',
    fixture: 'rvn/blocks.sqlite',
    tab: 'Steps',
    change: (path: string) => {
      writeFileSync(`${path}.new`, 'something else');
      renameSync(`${path}.new`, path);
    },
  },
  { how: 'is deleted', fixture: 'events.xray', tab: 'Records', change: (path: string) => rmSync(path) },
];
for (const { how, fixture: name, tab, change } of CHANGES) {
  test(
    `a file that ${how} while it is open stays usable, and can be read again`,
    { tag: '@storage' },
    async ({ page }, info) => {
      mkdirSync(info.outputDir, { recursive: true });
      const path = info.outputPath(basename(name));
      writeFileSync(path, readFileSync(fixture(name)));
      await open(page, path);
      await pictured(page);
      change(path);
      const notice = page.locator('.notice');
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      const what = how === 'is deleted' ? 'was moved or deleted' : 'has changed on disk';
      await expect(notice).toContainText(`${basename(name)} ${what}. What was read before is kept.`);
      await area(page).focus();
      await page.keyboard.press('Enter');
      await expect(details(page)).toContainText('Duration');
      await expect(details(page).getByRole('alert')).toBeHidden();
      await page.getByRole('tab', { name: tab }).click();
      await expect(page.locator('#event-2')).not.toHaveText('');
      const chooser = page.waitForEvent('filechooser');
      await page.evaluate(() => Reflect.deleteProperty(window, 'showOpenFilePicker'));
      await notice.getByRole('button', { name: 'Choose it again' }).click();
      writeFileSync(path, readFileSync(fixture(name)));
      await (await chooser).setFiles(path);
      await settled(page, 'ready', basename(name));
      await expect(notice).not.toContainText(what);
    },
  );
}
