import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import {
  answered,
  area,
  details,
  fixture,
  open,
  pictured,
  plain,
  recording,
  recordWorkers,
  selectRange,
  test,
} from './page.ts';

const SAMPLES = join(import.meta.dirname, '../../web/public/samples');
const grid = (page: Page, noun: string) => page.getByRole('grid', { name: noun });
const bar = (page: Page) => page.locator('.events .panel-bar');

/** The texts of the rows in the document, those beyond the visible part included. */
async function rows(page: Page): Promise<string[]> {
  return (await page.locator('.events tbody tr:not(.spacer)').allInnerTexts()).map(plain);
}

const row = (page: Page, number: number) => page.locator(`#event-${number}`);

async function list(page: Page, tab: 'Records' | 'Calls' | 'Points' | 'Steps', path: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, path);
  await pictured(page);
  await page.getByRole('tab', { name: tab }).click();
  await expect(row(page, 0)).toHaveText(/\S/);
}

/** What a pass over all records has read, and the memory of the module in bytes. */
async function survey(page: Page) {
  type Surveyed = { records: number; fields: number; memory: number };
  const { records, fields, memory } = await answered<Surveyed>(page, 'unspool:survey', 'unspool:surveyed');
  return { records, fields, memory };
}

test.describe('records of a log', () => {
  test.beforeEach(async ({ page }) => list(page, 'Records', fixture('threads.xray')));

  test('are listed by time over all threads', async ({ page }) => {
    await expect(bar(page)).toHaveText('1,021 records');
    expect((await rows(page)).slice(0, 4)).toEqual([
      '0 ns main thread 4711 0 function-enter-arg #1 0x3',
      '6.930 µs main thread 4711 0 function-enter #15',
      '24.890 µs main thread 4711 0 function-exit #15',
      '28.151 µs main thread 4711 0 function-enter #16',
    ]);
  });

  test('of one thread and of a range', async ({ page }) => {
    await page.getByRole('combobox', { name: 'Threads' }).selectOption({ label: 'thread 4713' });
    await expect(bar(page)).toHaveText('316 records');
    // Rows are empty until they arrive.
    await expect.poll(async () => (await rows(page)).every((text) => text.includes('thread 4713'))).toBe(true);
    await page.getByRole('combobox', { name: 'Threads' }).selectOption({ index: 0 });
    await expect(bar(page)).toHaveText('1,021 records');
    await selectRange(page, 0.2, 0.4);
    await expect(bar(page)).not.toHaveText('1,021 records');
    const earliest = async () => Math.min(...(await rows(page)).map((text) => Number.parseFloat(text)));
    await expect.poll(earliest).toBeGreaterThan(100);
  });

  test('are selected together with their calls, both ways', async ({ page }) => {
    await row(page, 3).click();
    await expect(row(page, 3)).toHaveAttribute('aria-selected', 'true');
    await expect(details(page)).toContainText('Still running when recording ended');
    // The exit of a call leads to the call.
    await row(page, 2).click();
    await expect(details(page).getByRole('heading')).toHaveText('#15');
    await expect(details(page)).toContainText('6.930');
    // From the timeline to the row.
    const box = (await area(page).boundingBox())!;
    await page.mouse.click(box.x + box.width * 0.02, box.y + 36);
    await expect(page.locator('.events tr[aria-selected=true]')).toHaveText(/^0\sns/);
  });

  test('can be walked through by keyboard', async ({ page }) => {
    await row(page, 0).click();
    await grid(page, 'records').focus();
    await page.keyboard.press('ArrowDown');
    await expect(row(page, 1)).toHaveAttribute('aria-selected', 'true');
    await expect(details(page).getByRole('heading')).toHaveText('#15');
    await page.keyboard.press('End');
    await expect(row(page, 1020)).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Home');
    await expect(row(page, 0)).toHaveAttribute('aria-selected', 'true');
  });

  test('come into sight when they are walked through', { tag: '@layout' }, async ({ page }) => {
    await row(page, 0).click();
    await grid(page, 'records').focus();
    await page.keyboard.press('End');
    await expect(row(page, 1020)).toBeInViewport();
    await page.keyboard.press('Home');
    await expect(row(page, 0)).toBeInViewport();
  });
});

test('a list whose reader has stopped can be made anew', { tag: '@worker' }, async ({ page }) => {
  await list(page, 'Records', fixture('threads.xray'));
  // As after a trap.
  await recordWorkers(page)[0]!.evaluate(() => reportError(new Error('trap')));
  await expect.poll(() => recordWorkers(page)).toHaveLength(0);
  await grid(page, 'records').focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('alert')).toHaveText(/stopped unexpectedly/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(bar(page)).toHaveText('1,021 records');
  await expect(row(page, 0)).not.toHaveText('');
});

test('a reader of records that does not load is reported', { tag: '@network' }, async ({ page }) => {
  await page.context().route(/unspool_records.*\.wasm/, (route) => route.abort());
  // Otherwise a worker that is ready already may have it.
  await page.reload();
  await open(page, fixture('threads.xray'));
  await page.getByRole('tab', { name: 'Records' }).click();
  await expect(page.getByRole('alert')).toContainText('reads traces could not be loaded');
});

test('calls have their arguments, results and flags', async ({ page }) => {
  await list(page, 'Calls', join(SAMPLES, 'scene.trace'));
  await expect(bar(page)).toHaveText('1,744 calls');
  expect((await rows(page)).slice(1, 5)).toEqual([
    '1 0 thread 0 glCreateShader type = GL_FRAGMENT_SHADER 3',
    expect.stringContaining('2 0 thread 0 glShaderSource shader = 3, count = 1, string = {"#version 330'),
    '3 0 thread 0 glCompileShader shader = 3',
    '4 0 thread 0 glClear mask = GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT clear',
  ]);
  await row(page, 4).click();
  await expect(details(page).getByRole('heading')).toHaveText('glClear');
});

test('each instruction of a trace can be read, with what it read and wrote', async ({ page }) => {
  await list(page, 'Steps', join(SAMPLES, 'calls.frames'));
  await expect(bar(page).getByText('120 frames')).toBeVisible();
  expect((await rows(page))[12]).toBe('12 thread 1 0x401067 mov eax, 1 RAX = 0x1');
  await row(page, 12).click();
  await expect(details(page).getByRole('heading')).toHaveText('Step 12');
  await expect(details(page)).toContainText('mov eax, 1');
  await page.keyboard.press('Escape');
  await expect(page.locator('.events tr[aria-selected=true]')).toHaveCount(0);
});

test('each transition of a database can be read', async ({ page }) => {
  await list(page, 'Steps', join(SAMPLES, 'blocks.sqlite'));
  await expect(bar(page).getByText('2,947 transitions')).toBeVisible();
  expect((await rows(page))[11]).toBe('11 0x40000b call 0x46f000 64 bit 2');
  await expect(row(page, 13)).toContainText('page fault');
  await row(page, 12).click();
  await expect(details(page).getByRole('heading')).toHaveText('Transition 12');
});

test('points have their variables', async ({ page }) => {
  await list(page, 'Points', join(SAMPLES, 'variables.trace'));
  await expect(bar(page)).toContainText('points');
  expect((await rows(page)).length).toBeGreaterThan(8);
  await row(page, 3).click();
  await expect(details(page)).toContainText('Variables');
});

test('a long list reaches its ends, and every step of a recorded execution', { tag: '@layout' }, async ({ page }) => {
  await list(page, 'Steps', recording('rvn/medium.sqlite'));
  await grid(page, 'Steps').focus();
  await page.keyboard.press('End');
  const last = 6_122_843;
  await expect(row(page, last)).toBeInViewport();
  await expect(row(page, last)).toContainText('6,122,843');
  // The wheel moves by rows where the scroll bar moves by thousands.
  await page.locator('.events .table').hover();
  await page.mouse.wheel(0, -24 * 50);
  await expect(row(page, last - 50)).toBeInViewport();
  await expect(row(page, last - 50)).toContainText('6,122,793');
});

test('ten passes over all records take no more memory than one', async ({ page }) => {
  await open(page, join(SAMPLES, 'scene.trace'));
  const first = await survey(page);
  expect(first.records).toBe(1744);
  for (let i = 0; i < 9; i += 1) expect(await survey(page)).toEqual(first);
});

test('types of events are named, and their payloads read as numbers, also when the file is opened again', async ({
  page,
}) => {
  const listEvents = async () => {
    await list(page, 'Records', fixture('events.xray'));
    const filter = page.getByRole('combobox', { name: 'Filter records' });
    await filter.fill('name:0:*');
    await filter.press('Enter');
    await expect(bar(page)).toContainText('found');
  };
  await listEvents();
  const typed = grid(page, 'records').getByRole('row').filter({ hasText: 'typed-event' }).first();
  await typed.click();
  await expect(details(page)).toContainText('Payload');
  const name = details(page).getByRole('textbox', { name: 'Name of type 0' });
  await name.fill('allocated');
  await name.press('Enter');
  await details(page).getByRole('combobox', { name: 'Payload as' }).selectOption('32-bit integers');
  await expect(details(page).getByRole('heading').first()).toContainText('allocated: ');
  await expect(typed).toContainText('type = allocated, data = {200, 2147418112}');
  await page.goto('./');
  await listEvents();
  await expect(typed).toContainText('type = allocated, data = {200, 2147418112}');
  await typed.click();
  await details(page).getByRole('combobox', { name: 'Payload as' }).selectOption('bytes');
  await details(page).getByRole('textbox', { name: 'Name of type 0' }).fill('');
  await details(page).getByRole('textbox', { name: 'Name of type 0' }).press('Enter');
  await expect(typed).toContainText('type = 0, data = c8 00 00 00');
});
