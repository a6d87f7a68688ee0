import { expect, type Page } from '@playwright/test';
import { area, details, fixture, inked, open, pictured, test } from './page.ts';

const scale = (page: Page) => page.locator('.ruler').innerText();
/** Waits until an animation ends: two equal readings of the scale. */
async function atRest(page: Page): Promise<string> {
  let before = '';
  await expect
    .poll(async () => {
      const last = before;
      before = await scale(page);
      return before === last;
    })
    .toBe(true);
  return before;
}

test.describe('a trace', () => {
  test.beforeEach(async ({ page }) => {
    await open(page, fixture('threads.xray'));
    await pictured(page);
    await page.mouse.move(0, 0);
  });

  test('zooms at the pointer, pans with a drag, and goes back to the whole', async ({ page }) => {
    const box = (await area(page).boundingBox())!;
    const whole = await scale(page);
    const brush = () => page.locator('.brush').evaluate((it) => Number.parseFloat(it.style.width));
    const wide = await brush();
    await page.mouse.move(box.x + 300, box.y + 90);
    const place = await page.locator('.pointer-time').innerText();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -800);
    await page.keyboard.up('Control');
    await expect.poll(brush).toBeLessThan(wide / 1.2);
    // The position under the pointer stays, to the precision of a pixel.
    expect((await page.locator('.pointer-time').innerText()).slice(0, 3)).toBe(place.slice(0, 3));
    const zoomed = await atRest(page);
    await page.mouse.down();
    await page.mouse.move(box.x + 160, box.y + 90, { steps: 4 });
    await page.mouse.up();
    expect(await scale(page)).not.toBe(zoomed);
    await page.mouse.move(0, 0);
    await page.keyboard.press('0');
    await expect.poll(() => scale(page)).toBe(whole);
  });

  test('scrolls sideways with Shift and zooms with Ctrl', async ({ page }) => {
    const box = (await area(page).boundingBox())!;
    await page.mouse.move(box.x + 300, box.y + 90);
    const whole = await scale(page);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await expect.poll(() => scale(page)).not.toBe(whole);
    const zoomed = await atRest(page);
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, 200);
    await page.keyboard.up('Shift');
    await expect.poll(() => scale(page)).not.toBe(zoomed);
  });

  test('selects a window on the overview', { tag: '@layout' }, async ({ page }) => {
    const box = (await page.locator('.overview-strip').boundingBox())!;
    const drag = async (from: number, to: number) => {
      await page.mouse.move(box.x + from, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(box.x + to, box.y + 20, { steps: 4 });
      await page.mouse.up();
    };
    const brush = async () => {
      const { x, width } = (await page.locator('.brush').boundingBox())!;
      return [Math.round((x - box.x) / 4), Math.round(width / 4)];
    };
    await drag(200, 400);
    await expect.poll(brush).toEqual([50, 50]);
    await drag(300, 500);
    await expect.poll(brush).toEqual([100, 50]);
    await drag(600, 700);
    await expect.poll(brush).toEqual([100, 75]);
  });

  test('shows the details of a clicked call', async ({ page }) => {
    const found = await findSlice(page);
    await page.mouse.click(found.x, found.y);
    await expect(details(page)).toContainText('Duration');
    await expect(details(page)).toContainText('Start');
    await expect(details(page)).toContainText(/at byte\s[\d,]+/);
    await expect(page.locator('#announcer')).not.toBeEmpty();
    await page.mouse.dblclick(found.x, found.y);
    await atRest(page);
    await page.mouse.move(0, 0);
    await page.keyboard.press('Escape');
    await expect(details(page)).toBeHidden();
    await expect(page.locator('#announcer')).toBeEmpty();
  });

  test('shows a name under the pointer', async ({ page }) => {
    const found = await findSlice(page);
    await page.mouse.move(found.x, found.y);
    await expect(page.locator('.tooltip')).toContainText(/at/);
  });

  test('can be explored by keyboard alone', async ({ page }) => {
    await area(page).focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('#announcer')).not.toBeEmpty();
    const first = await page.locator('#announcer').innerText();
    await page.keyboard.press(']');
    await expect.poll(() => page.locator('#announcer').innerText()).not.toBe(first);
    await page.keyboard.press('[');
    await expect.poll(() => page.locator('#announcer').innerText()).toBe(first);
    const whole = await atRest(page);
    await page.keyboard.press('w');
    await expect.poll(() => scale(page)).not.toBe(whole);
    const zoomed = await atRest(page);
    await page.keyboard.press('d');
    await expect.poll(() => scale(page)).not.toBe(zoomed);
  });

  test('folds and unfolds a track', { tag: '@pixels' }, async ({ page }) => {
    const before = await inked(page);
    const fold = page.locator('.track', { hasText: 'main thread' }).getByRole('button', { name: /^(Fold|Unfold)/ });
    await fold.click();
    await expect(fold).toHaveAttribute('aria-expanded', 'false');
    await expect.poll(() => inked(page)).not.toBe(before);
    await fold.click();
    await expect.poll(() => inked(page)).toBe(before);
  });

  test('widens the track names by keyboard', { tag: '@layout' }, async ({ page }) => {
    const divider = page.getByRole('separator', { name: 'Width of the track names' });
    const before = (await page.locator('.tracks').boundingBox())!.width;
    await divider.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => (await page.locator('.tracks').boundingBox())!.width).toBe(before + 16);
  });
});

test('shows the payload of an event as text and bytes', async ({ page }) => {
  await open(page, fixture('events.xray'));
  await pictured(page);
  await expect(page.locator('.tracks')).toContainText('event');
  const lane = await findInstant(page);
  await page.mouse.click(lane.x, lane.y);
  await expect(page.locator('.bytes')).toBeVisible();
});

test('lists all keys', async ({ page }) => {
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Zoom at the pointer');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('follows the theme of the system until the person chooses one', { tag: '@pixels' }, async ({ page }) => {
  const html = page.locator('html');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(html).toHaveAttribute('data-theme', 'light');
  await page.getByRole('button', { name: /Theme/ }).click();
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(html).toHaveAttribute('data-theme', 'dark');
});

test('fits a narrow window', { tag: '@layout' }, async ({ page }) => {
  await page.setViewportSize({ width: 480, height: 760 });
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await area(page).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Parts of the page' }).getByText('Details').click();
  await expect(details(page)).toContainText('Duration');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(480);
});

/** A place of a single slice: its tooltip has a name, a length and a position. */
function findSlice(page: Page): Promise<{ x: number; y: number }> {
  return seek(page, (lines) => lines >= 3);
}

/** A place of an instant: its tooltip has a name and a position, but no length. */
function findInstant(page: Page): Promise<{ x: number; y: number }> {
  return seek(page, (lines, text) => lines === 2 && !text.startsWith('Several'));
}

async function seek(page: Page, found: (lines: number, text: string) => boolean): Promise<{ x: number; y: number }> {
  const box = (await area(page).boundingBox())!;
  for (let y = box.y + 4; y < box.y + Math.min(box.height, 400); y += 8) {
    for (let x = box.x + 12; x < box.x + box.width; x += 40) {
      await page.mouse.move(x, y);
      await page.evaluate(() => new Promise(requestAnimationFrame));
      const tip = page.locator('.tooltip');
      if ((await tip.count()) > 0 && found(await tip.locator('p').count(), await tip.innerText())) return { x, y };
    }
  }
  throw new Error('nothing of that kind on the screen');
}

test.describe('calls without duration', () => {
  /** The place of a tick. The whole trace has 40 ticks and a margin of 8 pixels. */
  const placeOf = async (page: Page, tick: number) => {
    const box = (await area(page).boundingBox())!;
    return box.x + 8 + ((box.width - 16) * tick) / 40;
  };
  const rowOf = async (page: Page) => {
    const track = page.locator('.track', { hasText: 'main thread' }).first();
    return (await track.boundingBox())!.y + 28;
  };
  const title = (page: Page) => details(page).getByRole('heading').first();

  test.beforeEach(async ({ page }) => {
    await open(page, fixture('coarse.xray'));
    await pictured(page);
  });

  test('can be clicked, and the keyboard steps through those at one tick', async ({ page }) => {
    const y = await rowOf(page);
    await page.mouse.click((await placeOf(page, 5)) + 1, y);
    await expect(title(page)).toContainText('#2');
    await expect(details(page)).toContainText('#1');
    for (const next of ['#3', '#2', '#4']) {
      await page.keyboard.press('.');
      await expect(title(page)).toContainText(next);
    }
    await page.keyboard.press(',');
    await expect(title(page)).toContainText('#2');
    // Between two marks that touch.
    await page.mouse.click((await placeOf(page, 12)) + 1, y);
    await expect(title(page)).toContainText('#6');
  });

  test('never suggest a zoom that has no effect', async ({ page }) => {
    const y = await rowOf(page);
    await page.mouse.move((await placeOf(page, 5)) + 1, y);
    await expect(page.locator('.tooltip')).toContainText('#2');
    const x = await placeOf(page, 5);
    await page.mouse.move(x, y);
    await page.keyboard.down('Control');
    for (let i = 0; i < 8; i += 1) await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    await atRest(page);
    // The mark is within a few pixels of the pointer.
    const told: string[] = [];
    for (let off = -8; off <= 8; off += 1) {
      await page.mouse.move(x + off, y + 1);
      told.push((await page.locator('.tooltip').allInnerTexts()).join());
    }
    expect(told.filter((text) => text.includes('#2')).length).toBeGreaterThanOrEqual(2);
    expect(told.filter((text) => text.includes('Zoom in'))).toEqual([]);
  });
});
