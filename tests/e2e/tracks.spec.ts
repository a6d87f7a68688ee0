import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { area, details, digest, fixture, inked, open, pictured, settled, showCalls, test } from './page.ts';

const tracks = (page: Page) => page.locator('.track');
const track = (page: Page, name: string) => page.locator('.track', { has: page.getByText(name, { exact: true }) });
const names = (page: Page) => page.locator('.track-name b').allInnerTexts();
const corner = (page: Page) => page.locator('.overview-label');

/** Runs an entry of the menu of a track. */
async function choose(page: Page, name: string, entry: string): Promise<void> {
  await track(page, name).locator('.track-name').click({ button: 'right' });
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/** An XRay log of many threads, each of which calls a function. */
function manyThreads(count: number): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt16LE(3, 0);
  head.writeUInt32LE(3, 4);
  head.writeBigUInt64LE(1_000_000_000n, 8);
  const records = Buffer.alloc(64 * count);
  for (let i = 0; i < count; i += 1) {
    for (const exit of [0, 1]) {
      const at = 64 * i + 32 * exit;
      records.writeUInt8(exit, at + 3);
      records.writeInt32LE(1 + (i % 9), at + 4);
      records.writeBigUInt64LE(BigInt(1000 + 20 * i + 10_000 * exit), at + 8);
      records.writeUInt32LE(1000 + i, at + 16);
      records.writeUInt32LE(77, at + 20);
    }
  }
  return Buffer.concat([head, records]);
}

test.describe('among a few threads', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('./?renderer=canvas2d');
    await open(page, fixture('threads.xray'));
    await pictured(page);
  });

  test('a pinned track stays in sight and keeps its slices', { tag: '@layout' }, async ({ page }) => {
    await page.setViewportSize({ width: 1200, height: 520 });
    await track(page, 'main thread 4711').hover();
    await page.getByRole('button', { name: 'Pin main thread 4711 to the top' }).click();
    const pinned = page.getByRole('list', { name: 'Pinned tracks' });
    await expect(pinned.locator('.track')).toHaveCount(1);
    const before = await pinned.boundingBox();
    await area(page).focus();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('PageDown');
    await expect(track(page, 'thread 4714')).toBeInViewport();
    expect(await pinned.boundingBox()).toEqual(before);
    await expect(track(page, 'main thread 4711')).toBeInViewport();
    // What is pointed at is what is seen there.
    const box = (await area(page).boundingBox())!;
    await page.mouse.click(box.x + 10, box.y + 10);
    await expect(details(page)).toContainText('main thread 4711');
    await page.getByRole('button', { name: 'Pin main thread 4711 to the top' }).click();
    await expect(pinned).toHaveCount(0);
  });

  test('pinned tracks that are too high scroll by themselves', { tag: '@layout' }, async ({ page }) => {
    await page.setViewportSize({ width: 1200, height: 520 });
    for (const name of ['thread 4712', 'thread 4713']) await choose(page, name, 'Pin the track to the top');
    const pinned = page.getByRole('list', { name: 'Pinned tracks' });
    const box = (await pinned.boundingBox())!;
    const whole = (await page.locator('.scroller').boundingBox())!;
    expect(box.height).toBeLessThanOrEqual(whole.height / 2);
    const top = () => track(page, 'thread 4712').evaluate((it) => it.getBoundingClientRect().top);
    const others = () => track(page, 'process 4711').evaluate((it) => it.getBoundingClientRect().top);
    const [first, second] = [await top(), await others()];
    await page.mouse.move(box.x + 30, box.y + 40);
    await page.mouse.wheel(0, 40);
    await expect.poll(top).toBe(first - 40);
    expect(await others()).toBe(second);
    await page.mouse.move(box.x + 600, box.y + 40);
    await page.keyboard.down('Alt');
    await page.mouse.wheel(0, -1000);
    await page.keyboard.up('Alt');
    await expect.poll(top).toBe(first);
  });

  test('a hidden track leaves no trace but its number, and comes back', async ({ page }) => {
    const before = await digest(page);
    await choose(page, 'thread 4713', 'Hide the track');
    await expect(track(page, 'thread 4713')).toHaveCount(0);
    await expect(corner(page)).toContainText('1 hidden');
    await choose(page, 'thread 4712', 'Hide all other tracks');
    await expect(corner(page)).toContainText('3 hidden');
    expect(await names(page)).toEqual(['process 4711', 'thread 4712']);
    await corner(page).getByRole('button', { name: 'Show all' }).click();
    await expect(tracks(page)).toHaveCount(5);
    await expect(corner(page)).toContainText('Drag to zoom');
    expect(await digest(page)).toBe(before);
  });

  test('a hit on a hidden track shows the track', async ({ page }) => {
    await choose(page, 'thread 4713', 'Hide the track');
    await page.keyboard.press('g');
    await page.locator('#find-field').fill('54.2 µs');
    await page.keyboard.press('Enter');
    // It leads to another thread.
    await expect(details(page)).toContainText('thread 4712');
    await expect(track(page, 'thread 4713')).toHaveCount(0);
    await page.keyboard.press('Control+f');
    await page.locator('.find input').fill('thread:4713 depth:0');
    await page.keyboard.press('Enter');
    await expect(details(page)).toContainText('thread 4713');
    await expect(track(page, 'thread 4713')).toHaveCount(1);
  });

  test('the mouse drags a track among its siblings, and Escape leaves it', { tag: '@pointer' }, async ({ page }) => {
    const order = await names(page);
    const from = (await track(page, 'thread 4714').boundingBox())!;
    const to = (await track(page, 'thread 4712').boundingBox())!;
    const grab = async () => {
      await page.mouse.move(from.x + 60, from.y + 10);
      await page.mouse.down();
      await page.mouse.move(to.x + 60, to.y + 12, { steps: 4 });
      await expect(page.locator('.drop-line')).toBeVisible();
    };
    await grab();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(await names(page)).toEqual(order);
    await grab();
    await page.mouse.up();
    await expect
      .poll(() => names(page))
      .toEqual(['process 4711', 'main thread 4711', 'thread 4714', 'thread 4712', 'thread 4713']);
    await expect(page.locator('.drop-line')).toHaveCount(0);
    // The slices move with the name.
    await page.mouse.click(
      (await area(page).boundingBox())!.x + 300,
      (await track(page, 'thread 4714').boundingBox())!.y + 8,
    );
    await expect(details(page)).toContainText('thread 4714');
  });

  test('J and K go from track to track, and arrows go on from there', async ({ page }) => {
    const current = () => page.locator('.track.current b').innerText();
    await page.keyboard.press('j');
    await expect.poll(current).toBe('process 4711');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(current).toBe('thread 4713');
    await expect(page.locator('#track-announcer')).toHaveText(/^thread 4713/);
    await page.keyboard.press('k');
    await expect.poll(current).toBe('thread 4712');
    await page.keyboard.press('Enter');
    await expect(details(page)).toContainText('thread 4712');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(current).toBe('thread 4714');
    await page.keyboard.press('ArrowDown');
    await expect(details(page)).toContainText('thread 4714');
    // They are letters in a field.
    await page.getByRole('button', { name: 'Filter tracks' }).click();
    await expect(page.locator('#track-filter')).toBeFocused();
    await page.keyboard.type('jk');
    await expect(page.locator('#track-filter')).toHaveValue('jk');
    await expect(tracks(page)).toHaveCount(0);
    await expect(corner(page)).toContainText('0 of 5 tracks');
  });

  test('tracks are folded and made compact, one or all', { tag: '@layout' }, async ({ page }) => {
    const height = (name: string) => track(page, name).evaluate((it) => (it as HTMLElement).offsetHeight);
    const full = await height('thread 4712');
    await choose(page, 'thread 4712', 'Make the track compact');
    await expect.poll(() => height('thread 4712')).toBeLessThan(full / 2);
    expect(await height('thread 4713')).toBe(full);
    await expect.poll(() => inked(page)).toBeGreaterThan(0);
    await choose(page, 'thread 4713', 'Make all tracks compact');
    await expect.poll(async () => (await height('thread 4713')) - (await height('thread 4712'))).toBe(0);
    await choose(page, 'thread 4713', 'Fold all tracks');
    await expect.poll(() => height('thread 4713')).toBe(27);
    await expect(track(page, 'process 4711').getByRole('button', { name: 'Fold process 4711' })).toBeVisible();
    await choose(page, 'thread 4713', 'Unfold all tracks');
    await choose(page, 'thread 4713', 'Show all tracks in full height');
    await expect.poll(() => height('thread 4712')).toBe(full);
  });

  test('a kept track takes part', async ({ page }) => {
    await showCalls(page, 'Functions');
    await page.locator('.functions tbody tr:not(.spacer)').first().click();
    await page.getByRole('button', { name: 'Keep as track' }).click();
    const kept = page.locator('.track.derived');
    await expect(kept).toHaveCount(1);
    await kept.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Move the track down' }).click();
    await expect(page.locator('.tracks .track').first()).toContainText('process 4711');
    await kept.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Hide the track' }).click();
    await expect(kept).toHaveCount(0);
    await corner(page).getByRole('button', { name: 'Show all' }).click();
    await expect(kept).toHaveCount(1);
  });
});

test('thousands of threads are filtered by name with few elements', { tag: '@layout' }, async ({ page }) => {
  const count = 3600;
  await page.setInputFiles('#file-input', {
    name: 'many.xray',
    mimeType: 'application/octet-stream',
    buffer: manyThreads(count),
  });
  await expect(page.locator('body')).toHaveAttribute('data-state', 'ready');
  await pictured(page);
  await page.getByRole('button', { name: 'Filter tracks' }).click();
  await expect(corner(page)).toContainText('3,601 tracks');
  // What is typed before the field has the focus would be keys of the timeline.
  await expect(page.getByRole('textbox', { name: 'Filter tracks' })).toBeFocused();
  await page.keyboard.type('thread 259');
  await expect(corner(page)).toContainText('14 of 3,601 tracks');
  await expect(tracks(page)).toHaveCount(15);
  await page.keyboard.press('Enter');
  await expect(area(page)).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search commands' }).fill('go to thread 4321');
  await expect(page.getByRole('option').first()).toContainText('4321');
  await page.keyboard.press('Enter');
  // The filter would hide it.
  await expect(track(page, 'thread 4321')).toBeInViewport();
  await expect(page.locator('.track.current')).toContainText('thread 4321');
  await expect.poll(() => tracks(page).count()).toBeLessThan(80);
});

test('Go to brings the row of what it finds into view', { tag: '@layout' }, async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 420 });
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const main = track(page, 'main thread 4711');
  await area(page).focus();
  for (let i = 0; i < 5; i += 1) await page.keyboard.press('j');
  await expect(main).not.toBeInViewport();
  await page.keyboard.press('g');
  await page.keyboard.type('#16');
  await page.keyboard.press('Enter');
  await expect(main).toBeInViewport();
  await expect(details(page)).toContainText('#16');
});

test('callees of tail calls are shown under their callers on request', async ({ page }) => {
  await open(page, fixture('tail-calls.xray'));
  const before = await digest(page);
  await choose(page, 'main thread 4711', 'Show tail calls under their callers');
  await expect(page.getByRole('complementary', { name: 'Trace' })).toContainText('shown under their callers');
  expect(await digest(page)).not.toBe(before);
  await expect(track(page, 'main thread 4711')).toContainText('5 calls');
  await choose(page, 'main thread 4711', 'Show tail calls beside their callers');
  // A question to the trace that is being replaced has no answer.
  await expect(page.getByRole('complementary', { name: 'Trace' })).not.toContainText('shown under their callers');
  await settled(page, 'ready');
  expect(await digest(page)).toBe(before);
});
