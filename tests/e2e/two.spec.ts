import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BrowserContext, expect, type Page } from '@playwright/test';
import {
  choose,
  chosen,
  details,
  drop,
  fixture,
  functions,
  notice,
  open,
  pictured,
  recordWorkers,
  runCommand,
  settled,
  showCalls,
  test,
  traceWorkers,
} from './page.ts';

const THREADS = readFileSync(fixture('threads.xray'));
const EVENTS = readFileSync(fixture('events.xray'));

const side = (page: Page, at: 'A' | 'B') => page.locator('.side').nth(at === 'A' ? 0 : 1);
const areaOf = (page: Page, at: 'A' | 'B') => page.getByRole('application', { name: `Timeline of ${at}, ` });
/** The positions on the ruler of a timeline. */
const positions = (page: Page, at: 'A' | 'B') => side(page, at).locator('.ruler-mark').allInnerTexts();
/** The trace that panels, header and keys are about. */
const front = (page: Page) =>
  page.getByRole('radiogroup', { name: 'Trace in front' }).getByRole('radio', { checked: true });

/** Waits until the second trace is read: before, keys find nothing there. */
const secondRead = (page: Page) => expect(side(page, 'B').locator('.tracks')).toContainText(/\d\scalls/);

/** Opens two logs together. */
async function openTwo(page: Page): Promise<void> {
  await choose(page, chosen('before.xray', THREADS), chosen('after.xray', EVENTS));
  await settled(page, 'ready', 'before.xray');
  await expect(areaOf(page, 'B')).toBeVisible();
  await secondRead(page);
}

test('a trace dropped on another one is opened or compared', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await drop(page, 'events.xray', fixture('events.xray'));
  await notice(page).getByRole('button', { name: 'Keep this trace' }).click();
  await settled(page, 'ready', 'threads.xray');
  await drop(page, 'events.xray', fixture('events.xray'));
  await notice(page).getByRole('button', { name: 'Compare' }).click();
  await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, threads.xray');
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, events.xray');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('threads.xray');
  await drop(page, 'third.xray', fixture('events.xray'));
  await notice(page).getByRole('button', { name: 'Open instead' }).click();
  await settled(page, 'ready', 'third.xray');
  await expect(page.locator('.side')).toHaveCount(1);
});

for (const path of [
  'threads.xray',
  'scene.trace',
  'frames/calls.frames',
  'trace_db/variables.trace',
  'rvn/blocks.sqlite',
]) {
  test(`${basename(path)} is compared with one that is compressed`, async ({ page }) => {
    const bytes = readFileSync(fixture(path));
    const plain = `before${extname(path)}`;
    await choose(page, chosen(plain, bytes), chosen(`after${extname(path)}.gz`, gzipSync(bytes)));
    await settled(page, 'ready', plain);
    await expect(areaOf(page, 'B')).toHaveAccessibleName(`Timeline of B, after${extname(path)}.gz`);
  });
}

test('a compressed trace dropped on another one is compared', async ({ page }) => {
  await open(page, fixture('events.xray'));
  for (const packed of ['threads.xray.gz', 'threads.xray.zst', 'threads.xray.xz', 'threads.xray.br']) {
    await drop(page, packed, fixture(`containers/${packed}`));
    await notice(page).getByRole('button', { name: 'Compare' }).click();
    await expect(areaOf(page, 'B')).toHaveAccessibleName(`Timeline of B, ${packed}`);
    await page.getByRole('button', { name: 'Close B' }).click();
    await expect(page.locator('.side')).toHaveCount(1);
  }
});

test('two traces of one format chosen together are compared, and each ends with its workers', async ({ page }) => {
  await openTwo(page);
  await expect.poll(() => traceWorkers(page).length).toBe(2);
  await page.getByRole('button', { name: 'Close B' }).click();
  await expect(page.locator('.side')).toHaveCount(1);
  await settled(page, 'ready', 'before.xray');
  await expect.poll(() => traceWorkers(page).length).toBe(1);
  await expect.poll(() => recordWorkers(page).length).toBeLessThan(2);
  await page.reload();
  await openTwo(page);
  await page.getByRole('button', { name: 'Close A' }).click();
  await settled(page, 'ready', 'after.xray');
  await expect(page.locator('.side')).toHaveCount(1);
  await pictured(page);
});

test('a trace of another format is refused in words', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await runCommand(page, 'Compare with');
  await page.setInputFiles('#file-input', fixture('frames/calls.frames'));
  await expect(notice(page)).toContainText(/calls\.frames is .*only traces of one format are compared/);
  await settled(page, 'ready', 'threads.xray');
  await page.setInputFiles('#file-input', fixture('events.xray'));
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, events.xray');
});

test('two addresses open two traces', async ({ page }) => {
  await page.goto('./?url=samples/threads.xray&with=samples/events.xray');
  await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, threads.xray');
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, events.xray');
});

test('both timelines move together until they are freed', async ({ page }) => {
  await openTwo(page);
  await expect.poll(async () => (await positions(page, 'B')).length).toBeGreaterThan(2);
  expect(await positions(page, 'B')).toEqual(await positions(page, 'A'));
  const whole = await positions(page, 'A');
  await areaOf(page, 'A').focus();
  await page.keyboard.press('w');
  await expect.poll(() => positions(page, 'A')).not.toEqual(whole);
  await expect.poll(async () => (await positions(page, 'B')).join() === (await positions(page, 'A')).join()).toBe(true);
  await page.keyboard.press('l');
  await expect(page.getByRole('button', { name: 'Linked' })).toHaveAttribute('aria-pressed', 'false');
  await page.keyboard.press('0');
  await expect.poll(() => positions(page, 'A')).not.toEqual(await positions(page, 'B'));
});

test('panels, header and keys are about the trace in front', async ({ page }) => {
  await openTwo(page);
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('#');
  const first = await functions(page).innerText();
  await areaOf(page, 'A').focus();
  await page.keyboard.press('Enter');
  await expect(details(page)).toContainText('Duration');
  await page.keyboard.press('o');
  await expect(areaOf(page, 'B')).toBeFocused();
  await expect(front(page)).toHaveText('B');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('after.xray');
  await expect.poll(() => functions(page).innerText()).not.toBe(first);
  await page.keyboard.press('Enter');
  await expect(details(page)).toContainText('Duration');
  await page.getByRole('radiogroup', { name: 'Trace in front' }).getByRole('radio', { name: 'A' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('before.xray');
  await areaOf(page, 'B').click({ position: { x: 5, y: 5 } });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('after.xray');
  await runCommand(page, 'Swap A and B');
  await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, after.xray');
  await expect(front(page)).toHaveText('A');
});

test('the timelines are aligned at calls: the selected ones, or the same call of a function', async ({ page }) => {
  await choose(page, chosen('before.xray', THREADS), chosen('after.xray', THREADS));
  await expect(areaOf(page, 'B')).toBeVisible();
  const button = page.getByRole('button', { name: /^Aligned at/ });
  await expect(button).toHaveText('Aligned at the start');
  await areaOf(page, 'A').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press(']');
  await page.keyboard.press(']');
  const name = '#15';
  await expect(details(page).getByRole('heading').first()).toHaveText(name);
  await runCommand(page, 'Align at this call in both traces');
  await expect(button).toHaveText(/^Aligned at (.+) and \1$/);
  await page.keyboard.press('o');
  await expect(details(page).getByRole('heading').first()).toHaveText(name);
  await page.keyboard.press('.');
  await button.click();
  await page.getByRole('button', { name: 'At what is selected in both' }).click();
  await expect(button).not.toHaveText(/^Aligned at (.+) and \1$/);
  const whole = await button.textContent();
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, after.xray');
  const [, a, b] = /^Aligned at (.+) and (.+)$/.exec(whole!)!;
  await expect(button).toHaveText(`Aligned at ${b} and ${a}`);
  await button.click();
  await page.getByLabel('At call').fill('1000000');
  await page.getByRole('button', { name: 'Align', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Align the timelines' }).getByRole('alert')).toContainText('A has');
  await page.getByLabel('At call').fill('1');
  await page.getByRole('button', { name: 'Align', exact: true }).click();
  await expect(button).toHaveText(/^Aligned at (.+) and \1$/);
  await button.click();
  await page.getByRole('button', { name: 'At the start of both' }).click();
  await expect(button).toHaveText('Aligned at the start');
});

test('each timeline has a range of its own', async ({ page }) => {
  await openTwo(page);
  for (const at of ['A', 'B'] as const) {
    await areaOf(page, at).focus();
    await page.keyboard.press('r');
    await expect(side(page, at).locator('.range-chip')).toBeVisible();
  }
  await side(page, 'A').getByRole('button', { name: 'Clear range' }).click();
  await expect(areaOf(page, 'A')).toBeFocused();
  await expect(page.locator('.range-chip')).toHaveCount(1);
});

test('tracks scroll along with their counterparts', { tag: '@layout' }, async ({ page }) => {
  await openTwo(page);
  await choose(page, chosen('one.xray', THREADS), chosen('two.xray', THREADS));
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, two.xray');
  await settled(page, 'ready', 'one.xray');
  await secondRead(page);
  const top = (at: 'A' | 'B') =>
    side(page, at)
      .locator('.scroller')
      .evaluate((it) => it.scrollTop);
  // The user scrolls the one that follows at once: both are one event.
  await page.evaluate(() => {
    const [a, b] = document.querySelectorAll('.side .scroller');
    const once = () => {
      if (b?.scrollTop === 60) b.scrollTo(0, 20);
      else requestAnimationFrame(once);
    };
    a?.scrollTo(0, 60);
    once();
  });
  await expect.poll(() => top('A')).toBe(20);
  await expect.poll(() => top('B')).toBe(20);
});

/** The dialog of the browser returns files that the page itself has written, so that their handles are known. */
async function answerDialog(page: Page): Promise<void> {
  await page.evaluate(
    async (files) => {
      const folder = await navigator.storage.getDirectory();
      const handles = await Promise.all(
        files.map(async ({ name, bytes }) => {
          const handle = await folder.getFileHandle(name, { create: true });
          const file = await handle.createWritable();
          await file.write(Uint8Array.from(bytes));
          await file.close();
          return handle;
        }),
      );
      Object.assign(window, { showOpenFilePicker: async () => handles });
    },
    [
      { name: 'before.xray', bytes: [...THREADS] },
      { name: 'later.xray', bytes: [...EVENTS] },
    ],
  );
}

test('both traces come back after a reload, and from the list of recent files', { tag: '@storage' }, async ({
  page,
}) => {
  await answerDialog(page);
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, later.xray');
  await secondRead(page);
  const linked = page.getByRole('button', { name: 'Linked' });
  await expect(linked).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('l');
  await expect(linked).toHaveAttribute('aria-pressed', 'false');
  await areaOf(page, 'B').focus();
  await page.keyboard.press('r');
  await expect(side(page, 'B').locator('.range-chip')).toBeVisible();
  await expect.poll(() => page.url(), { timeout: 15_000 }).toContain('front=b');
  await expect.poll(() => decodeURIComponent(page.url()), { timeout: 15_000 }).toContain('&range=');
  await page.reload();
  await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, before.xray');
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, later.xray');
  await expect(side(page, 'B').locator('.range-chip')).toBeVisible();
  await expect(front(page)).toHaveText('B');
  await expect(linked).toHaveAttribute('aria-pressed', 'false');
  await page.goto('about:blank');
  await page.goto('./');
  await page.getByRole('button', { name: /^before\.xray and later\.xray, compared/ }).click();
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, later.xray');
});

/** Opens two traces with a range, and leaves them by a link to this view, which is returned. */
async function linkToTwo(page: Page, context: BrowserContext): Promise<string> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openTwo(page);
  await areaOf(page, 'A').focus();
  await page.keyboard.press('r');
  await runCommand(page, 'Copy a link');
  await expect(notice(page)).toContainText('does not contain the files');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto('about:blank');
  await page.goto(link);
  return link;
}

test('a link leads to both traces, in whatever order they are chosen', async ({ page, context }) => {
  const link = await linkToTwo(page, context);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link leads to before.xray and after.xray');
  await choose(page, chosen('after.xray', EVENTS), chosen('before.xray', THREADS));
  await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, before.xray');
  await expect(side(page, 'A').locator('.range-chip')).toBeVisible();
  await page.goto('about:blank');
  await page.goto(link);
  await choose(page, chosen('before.xray', THREADS));
  await expect(notice(page)).toContainText('This view compares before.xray with after.xray: drop after.xray');
  await drop(page, 'after.xray', fixture('events.xray'));
  await notice(page).getByRole('button', { name: 'Compare' }).click();
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, after.xray');
});

test('of a link to two traces, the second one alone says that the first one is missing', async ({ page, context }) => {
  await linkToTwo(page, context);
  await choose(page, chosen('after.xray', EVENTS));
  await expect(notice(page)).toContainText('This view compares after.xray with before.xray: drop before.xray');
  // In this order, too, the base of the link is A.
  await drop(page, 'before.xray', fixture('threads.xray'));
  await notice(page).getByRole('button', { name: 'Compare' }).click();
  await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, before.xray');
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, after.xray');
  await expect(side(page, 'A').locator('.range-chip')).toBeVisible();
});

test('two addresses are in the address, and come back by themselves', async ({ page }) => {
  await page.goto('./?url=samples/threads.xray&with=samples/events.xray');
  await expect(areaOf(page, 'B')).toBeVisible();
  await expect
    .poll(() => page.url(), { timeout: 15_000 })
    .toMatch(/\?url=.*&with=samples%2Fevents\.xray#unspool=1.*&with=/);
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect.poll(() => page.url(), { timeout: 15_000 }).toContain('with=samples%2Fthreads.xray#');
  await page.reload();
  await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, events.xray');
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, threads.xray');
});

test('what is compared may be in an archive, and is read again on its own', { tag: '@worker' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await page.evaluate(() => {
    HTMLInputElement.prototype.click = () => undefined;
  });
  await runCommand(page, 'Compare with');
  await page.setInputFiles('#file-input', fixture('containers/traces.zip'));
  await page.getByRole('button', { name: /threads\.xray/ }).click();
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, traces.zip');
  await runCommand(page, 'Compare with');
  await page.setInputFiles('#file-input', fixture('tail-calls.xray'));
  await expect(areaOf(page, 'B')).toHaveAccessibleName('Timeline of B, tail-calls.xray');
  await page.keyboard.press('o');
  await expect(front(page)).toHaveText('B');
  await runCommand(page, 'Show tail calls under their callers');
  const about = page.getByRole('complementary', { name: 'Trace' });
  await expect(about).toContainText('shown under their callers');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('tail-calls.xray');
  await expect(areaOf(page, 'A')).toHaveAccessibleName('Timeline of A, threads.xray');
  await expect(areaOf(page, 'B')).toBeFocused();
  await expect.poll(() => traceWorkers(page).length).toBe(2);
});
