import { mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, type Locator, type Page } from '@playwright/test';
import {
  area,
  choose,
  chosen,
  details,
  fixture,
  header,
  inked,
  open,
  pictured,
  placeIn,
  settled,
  test,
} from './page.ts';

const SCENE_CALLS = 518;
const VALUES_CALLS = 30;

const tooltip = (page: Page) => page.locator('.tooltip');
const track = (page: Page, name: string): Locator => page.locator('.track', { hasText: name });

/** The middle of a call in a trace of `calls` calls. */
const placeOf = (page: Page, call: number, calls: number, name: string, y: number) =>
  placeIn(page, name, call + 0.5, calls, y);

for (const name of [
  'scene.trace',
  'scene.gzip.trace',
  'scene.brotli.trace',
  'scene.zstd.trace',
  'scene.seekable.trace',
]) {
  test(`opens ${name}, with the arguments of a call`, async ({ page }) => {
    await open(page, fixture(name));
    await pictured(page);
    await expect(header(page)).toContainText('518 calls · 13 frames · 2 threads');
    const place = await placeOf(page, 2, SCENE_CALLS, 'thread 0', 28);
    await page.mouse.click(place.x, place.y);
    await expect(details(page)).toContainText('glShaderSource');
    await expect(details(page)).toContainText('uniform sampler2D grass;');
    await expect(details(page)).toContainText(/shader\s*3/);
  });
}

test('tells how much data the calls of a function have', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await pictured(page);
  await page.getByRole('tab', { name: 'Functions' }).click();
  const row = page.locator('.functions tr', { hasText: 'glBufferData' });
  await expect(row).toContainText('192 bytes');
  await page.getByRole('columnheader', { name: 'Data' }).getByRole('button').click();
  await expect(page.locator('.functions tbody td.name').first()).toHaveText('glBufferData');
});

test('loads decompressors only for what is not in Snappy', { tag: '@network' }, async ({ page }) => {
  const loaded: string[] = [];
  page.context().on('request', (request) => {
    if (request.url().includes('unspool_unpack')) loaded.push(request.url());
  });
  await open(page, fixture('scene.trace'));
  await pictured(page);
  expect(loaded).toEqual([]);
  for (const name of ['scene.gzip.trace', 'scene.zstd.trace', 'scene.brotli.trace']) {
    await open(page, fixture(name));
    await pictured(page);
  }
  expect(loaded.some((url) => url.endsWith('.wasm'))).toBe(true);
});

test('reports that decompressors do not load', { tag: '@network' }, async ({ page }) => {
  await page.context().route(/unspool_unpack/, (route) => route.abort());
  await open(page, fixture('scene.brotli.trace'), 'failed');
  await expect(page.locator('body')).toContainText('The part of this page that unpacks files could not be loaded.');
});

test.describe('a trace of calls', () => {
  test.beforeEach(async ({ page }) => {
    await open(page, fixture('scene.trace'));
    await pictured(page);
  });

  test('has frames and counters above its threads', async ({ page }) => {
    const names = page.locator('.track-name b');
    await expect(names).toHaveText(['frames', 'draw calls per frame', 'uploaded per frame', 'thread 0', 'thread 1']);
    await expect(track(page, 'frames')).toContainText('13 frames');
    await expect(track(page, 'draw calls')).toContainText('highest 12');
    const place = await placeOf(page, 50, SCENE_CALLS, 'frames', 10);
    await page.mouse.click(place.x, place.y);
    await expect(details(page)).toContainText('frame 1');
    await expect(details(page)).toContainText(/Draw calls\s*9/);
    await page.mouse.move(place.x, (await track(page, 'uploaded').boundingBox())!.y + 20);
    await expect(tooltip(page)).toContainText('uploaded per frame 0');
    const inBlobs = await placeOf(page, 100, SCENE_CALLS, 'uploaded', 24);
    await page.mouse.move(inBlobs.x, inBlobs.y);
    await expect(tooltip(page)).toContainText('uploaded per frame 64');
  });

  test('folds its counters', { tag: '@pixels' }, async ({ page }) => {
    const before = await inked(page);
    await track(page, 'draw calls').getByRole('button').click();
    await expect(track(page, 'draw calls')).toContainText('12');
    await expect.poll(() => inked(page)).not.toBe(before);
  });

  test('shows the arguments of the call under the pointer', async ({ page }) => {
    const place = await placeOf(page, 15, SCENE_CALLS, 'thread 0', 45);
    await page.mouse.move(place.x, place.y);
    await page.keyboard.down('Control');
    for (let i = 0; i < 4; i += 1) await page.mouse.wheel(0, -160);
    await page.keyboard.up('Control');
    await expect(tooltip(page)).toContainText(
      'glUniformMatrix4fv(location = 2, count = 1, transpose = false, value = {',
    );
    await expect(tooltip(page)).toContainText('at call 15');
  });

  test('counts calls on its ruler and labels markers', async ({ page }) => {
    await expect(page.locator('.ruler-corner')).toHaveText('call');
    await expect(page.locator('.ruler-mark').first()).toHaveText('0');
    const box = (await area(page).boundingBox())!;
    const top = (await track(page, 'thread 0').boundingBox())!.y;
    await expect(async () => {
      for (let x = box.x; x < box.x + box.width; x += 8) {
        await page.mouse.move(x, top + 10);
        await page.evaluate(() => new Promise(requestAnimationFrame));
        if ((await tooltip(page).count()) > 0) break;
      }
      await expect(tooltip(page)).toContainText('a cloud comes in');
    }).toPass();
  });

  test('selects calls by keyboard, not frames', async ({ page }) => {
    await area(page).focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('#announcer')).toContainText('glXMakeCurrent, 1 call, at call 0, on thread 0');
  });
});

test.describe('values', () => {
  const select = async (page: Page, call: number) => {
    const place = await placeOf(page, call, VALUES_CALLS, 'thread 0', 11);
    await page.mouse.click(place.x, place.y);
    await expect(details(page)).toContainText(new RegExp(`Call\\s*${call}\\D`));
  };
  test.beforeEach(async ({ page }) => {
    await open(page, fixture('values.trace'));
    await pictured(page);
  });

  test('are shown with all their parts, which can be folded', async ({ page }) => {
    await select(page, 21);
    await expect(details(page)).toContainText(/Data1\s*3,735,928,559/);
    await expect(details(page)).toContainText('8 elements');
    await details(page).getByRole('button', { name: 'value', exact: true }).click();
    await expect(details(page)).not.toContainText('Data1');
    await details(page).getByRole('button', { name: 'value', exact: true }).click();
    await expect(details(page)).toContainText('Data1');
  });

  test('can be constants with their number, pointers, null, bytes and text', async ({ page }) => {
    const shown: readonly (readonly [call: number, text: RegExp])[] = [
      [0, /value\s*null/],
      [1, /value\s*true/],
      [2, /−9,223,372,036,854,775,808/],
      [10, /260\sbytes[\s\S]*0008 f7 f6/],
      [16, /TWO\s+\S*2/],
      [17, /BOTH \| 0xf0/],
      [23, /0xffffffffffffffff/],
      [25, /wide: é €/],
    ];
    for (const [call, text] of shown) {
      await select(page, call);
      await expect(details(page)).toContainText(text);
    }
  });
});

test('shows a truncated trace and the offset of its end', async ({ page }) => {
  await open(page, fixture('cut.trace'));
  await pictured(page);
  await page.getByRole('button', { name: /problems/ }).click();
  await expect(page.getByRole('dialog')).toContainText('the file ends too early');
});

test('explains a trace of two bytes', async ({ page }) => {
  await open(page, fixture('before_first_flush.trace'));
  await expect(header(page)).toContainText('0 calls');
  await expect(page.locator('.nothing')).toContainText('holds no calls');
});

/** Opens a trace of one call with a long array and a long text, and selects the call. */
async function openLong(page: Page): Promise<void> {
  const numbers = Array.from({ length: 1000 }, (_, i) => [4, ...uint(i)]).flat();
  const bytes = traceOf([11, ...uint(1000), ...numbers], [7, ...string('long '.repeat(1000))]);
  await choose(page, chosen('long.trace', Buffer.from(bytes)));
  await settled(page, 'ready', 'long.trace');
  await pictured(page);
  await area(page).focus();
  await page.keyboard.press('Enter');
}

test('shows long arrays and texts in part, and in full on a click', async ({ page }) => {
  await openLong(page);
  await expect(details(page)).toContainText('1,000 elements');
  await expect(details(page).locator('.numbers')).toHaveCount(5);
  await details(page).getByRole('button', { name: '980 more' }).click();
  await expect(details(page).getByRole('region', { name: 'Elements' })).toContainText('8');
  await details(page).getByRole('button', { name: '3,000 more characters' }).click();
  await expect(details(page).locator('.text.block')).toContainText('long '.repeat(1000).trim());
});

test('of a long array only the elements in sight are in the document', { tag: '@layout' }, async ({ page }) => {
  await openLong(page);
  await details(page).getByRole('button', { name: '980 more' }).click();
  const rows = details(page).getByRole('region', { name: 'Elements' });
  await rows.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expect(rows).toContainText('999');
  expect(await rows.locator('.numbers').count()).toBeLessThan(40);
});

test(
  'says how much of a large trace is shown, and opens a part of the rest',
  { tag: '@worker' },
  async ({ page }, info) => {
    const path = info.outputPath('large.trace');
    mkdirSync(info.outputDir, { recursive: true });
    const call = (number: number) => [0, ...uint(0), 0, 1, ...uint(number), 0];
    const calls = Array.from({ length: 300_000 }, (_, i) => call(i)).flat();
    const stream = [...uint(3), 0, ...uint(0), ...string('tick'), ...uint(0), ...call(0).slice(2), ...calls.slice(6)];
    // Stored, so that it is read in several portions.
    writeFileSync(path, gzipSync(Uint8Array.from(stream), { level: 0 }));
    // As on a machine with little memory: room for some thousand slices.
    await page.addInitScript(() => Object.defineProperty(navigator, 'deviceMemory', { value: 0.001 }));
    await page.goto('./');
    await open(page, path);
    const part = header(page).getByRole('button', { name: /^\d+\s% of the file, up to call\s/ });
    await expect(part).toBeVisible();
    await expect(header(page)).not.toContainText('problem');
    await expect(page.locator('.overview-end')).toHaveText((await part.textContent())!);
    await part.click();
    const menu = page.getByRole('dialog', { name: 'The rest of the file' });
    await expect(menu).toContainText('larger than memory allows');
    await menu.getByLabel('From').fill('soon');
    await menu.getByRole('button', { name: 'Open this part' }).click();
    await expect(menu.getByRole('alert')).toContainText('Positions look like');
    await menu.getByLabel('From').fill('call 299,000');
    await menu.getByRole('button', { name: 'Open this part' }).click();
    await settled(page, 'ready', 'large from call 299,000.trace');
    await expect(header(page)).toContainText('1,000 calls');
    await expect(part).toBeHidden();
  },
);

/** A gzip trace of one call with two arguments, in version 3 of the format. */
function traceOf(first: readonly number[], second: readonly number[]): Uint8Array {
  const signature = [...uint(0), ...string('set'), ...uint(2), ...string('numbers'), ...string('text')];
  const enter = [0, ...signature, 1, ...uint(0), ...first, 1, ...uint(1), ...second, 0];
  return gzipSync(Uint8Array.from([...uint(3), ...enter, 1, ...uint(0), 0]));
}

function uint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...uint(value >> 7)];
}

function string(text: string): number[] {
  return [...uint(text.length), ...new TextEncoder().encode(text)];
}

test('the person goes to a frame by its name, which has no byte of its own', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await pictured(page);
  await page.keyboard.press('g');
  await page.keyboard.type('frame 3');
  await page.keyboard.press('Enter');
  await expect(details(page).getByRole('heading')).toHaveText('frame 3');
  await expect(details(page)).toContainText('Draw calls');
  await expect(details(page)).not.toContainText('at byte');
});
