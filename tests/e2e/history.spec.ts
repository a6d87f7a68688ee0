import { expect, type Page } from '@playwright/test';
import { area, DIALOG, details, fixture, open, pictured, stay, test } from './page.ts';

const said = (page: Page) => page.locator('#announcer').textContent();
const entry = (page: Page) => page.evaluate(() => history.state?.entry as number | undefined);
const brush = (page: Page) => page.locator('.brush').evaluate((it) => Number.parseFloat(it.style.width));

/** Selects the call at the beginning of the screen and those below it; returns what is said of each. */
async function selectThree(page: Page): Promise<string[]> {
  const seen = [''];
  for (const key of ['Enter', 'ArrowDown', 'ArrowDown']) {
    await page.keyboard.press(key);
    await expect.poll(() => said(page)).not.toBe(seen.at(-1));
    seen.push((await said(page))!);
    await stay(page);
  }
  return seen;
}

test('Alt and the arrows lead through what was selected', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const [, first, second, third] = await selectThree(page);
  await page.keyboard.press('Alt+ArrowLeft');
  await expect.poll(() => said(page)).toBe(second);
  await page.keyboard.press('Alt+ArrowLeft');
  await expect.poll(() => said(page)).toBe(first);
  await page.keyboard.press('Alt+ArrowRight');
  await page.keyboard.press('Alt+ArrowRight');
  await expect.poll(() => said(page)).toBe(third);
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('Alt+ArrowLeft');
  await expect(details(page)).toBeHidden();
});

test('the buttons of the browser lead through views and ranges', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const whole = await brush(page);
  const box = (await area(page).boundingBox())!;
  await page.mouse.move(box.x + 300, box.y + 20);
  await page.keyboard.down('Control');
  for (let i = 0; i < 12; i += 1) await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  // Once the view rests.
  await expect.poll(() => entry(page)).toBe(1);
  const zoomed = await brush(page);
  expect(zoomed).toBeLessThan(whole / 2);
  await page.keyboard.press('r');
  await expect.poll(() => entry(page)).toBe(2);
  const range = page.getByRole('navigation', { name: 'Range' });
  await expect(range).toBeVisible();
  await page.goBack();
  await expect(range).toBeHidden();
  await page.goBack();
  await expect.poll(() => brush(page)).toBeCloseTo(whole, 0);
  await page.goForward();
  await expect.poll(() => brush(page)).toBeCloseTo(zoomed, 0);
  await page.goForward();
  await expect(range).toBeVisible();
});

test('another trace begins from scratch, and the address keeps what else it has', { tag: '@network' }, async ({
  page,
}) => {
  await page.goto('./?renderer=canvas2d');
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await selectThree(page);
  expect(await entry(page)).toBe(3);
  await open(page, fixture('events.xray'));
  await pictured(page);
  await expect.poll(() => entry(page)).toBe(0);
  // The entries of the other trace are still ahead.
  await page.goForward();
  await expect.poll(() => entry(page)).toBe(0);
  await page.keyboard.press('Enter');
  await expect(details(page)).toBeVisible();
  await expect.poll(() => entry(page)).toBe(1);
  await page.keyboard.press('Alt+ArrowLeft');
  await expect(details(page)).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('events.xray');
  expect(new URL(page.url()).search).toBe('?renderer=canvas2d');
});

test('entries from before a reload lead nowhere', { tag: '@network' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await selectThree(page);
  await page.reload();
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await expect.poll(() => entry(page)).toBe(0);
  await page.goBack();
  expect(page.url()).toBe('about:blank');
});

test('before the first entry the page is left, after a question if the trace was costly', DIALOG, async ({ page }) => {
  // Each look at the clock takes long, so reading does.
  await page.evaluate(() => {
    const now = performance.now.bind(performance);
    let late = 0;
    performance.now = () => {
      late += 3000;
      return now() + late;
    };
  });
  await open(page, fixture('threads.xray'));
  await page.evaluate(() => Reflect.deleteProperty(performance, 'now'));
  await pictured(page);
  await area(page).click({ position: { x: 300, y: 10 } });
  await page.keyboard.press('Enter');
  await expect(details(page)).toBeVisible();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.goBack();
  await expect(details(page)).toBeHidden();
  expect(asked).toEqual([]);
  // Nothing comes of it, so it is not waited for.
  void page.goBack().catch(() => null);
  await expect.poll(() => asked).toEqual(['beforeunload']);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('threads.xray');
});
