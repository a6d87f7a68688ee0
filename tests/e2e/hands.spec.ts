import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { area, details, fixture, open, pictured, settled, showCalls, showPanel, test } from './page.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const entry = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });
const menu = (page: Page) => page.getByRole('menu');

/** Where the controls of a bar are: their left edges and widths. */
async function places(page: Page, bar: string): Promise<readonly string[]> {
  return page
    .locator(bar)
    .first()
    .evaluate((it) =>
      [...it.children]
        .map((child) => child.getBoundingClientRect())
        .filter(({ width }) => width > 0)
        .map(({ left, width }) => `${Math.round(left)} ${Math.round(width)}`),
    );
}

/** Pastes into the element that has the focus. */
async function paste(page: Page, what: { readonly text?: string; readonly file?: string }): Promise<void> {
  const bytes = what.file ? [...readFileSync(what.file)] : null;
  await page.evaluate(
    ([text, content]) => {
      const clipboardData = new DataTransfer();
      if (text !== undefined) clipboardData.setData('text/plain', text);
      if (content) clipboardData.items.add(new File([new Uint8Array(content)], 'pasted.xray'));
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      (document.activeElement ?? document.body).dispatchEvent(event);
    },
    [what.text, bytes] as const,
  );
}

test.describe('the wheel, a drag and keys', () => {
  test('stop at the ends of the trace', { tag: '@pointer' }, async ({ page }) => {
    // Each key has its effect at once.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, fixture('threads.xray'));
    await pictured(page);
    const ruler = () => page.locator('.ruler').innerText();
    const whole = await ruler();
    const box = (await area(page).boundingBox())!;
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.keyboard.down('Control');
    for (let i = 0; i < 6; i += 1) await page.mouse.wheel(0, 300);
    await page.keyboard.up('Control');
    await page.keyboard.press('s');
    await page.keyboard.press('d');
    await page.mouse.down();
    await page.mouse.move(box.x + 100, box.y + 60, { steps: 3 });
    await page.mouse.up();
    await page.mouse.move(0, 0);
    await expect.poll(ruler).toBe(whole);
    await page.keyboard.press('w');
    await expect.poll(ruler).not.toBe(whole);
    const brush = async () => {
      // As it is drawn after the last key.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const { left, width } = await page.locator('.brush').evaluate((it) => it.style);
      return { left: Number.parseFloat(left), width: Number.parseFloat(width) };
    };
    const { width } = await brush();
    // Beyond the beginning there is a margin of eight pixels, of which an enlarged view has fewer.
    await expect(async () => {
      await page.keyboard.press('a');
      expect((await brush()).left).toBeLessThan(8);
    }).toPass();
    await page.keyboard.press('a');
    const first = await brush();
    // Further on, the brush would lose of its width, or leave its place.
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('a');
    expect(await brush()).toEqual(first);
    expect(first.width).toBeCloseTo(width, 3);
  });

  test('scroll tracks that are higher than the window, and zoom with Ctrl', { tag: '@layout' }, async ({ page }) => {
    await page.setViewportSize({ width: 1000, height: 460 });
    await open(page, fixture('threads.xray'));
    await pictured(page);
    const top = () => page.locator('.scroller').evaluate((it) => it.scrollTop);
    const ruler = () => page.locator('.ruler').innerText();
    expect(await page.locator('.scroller').evaluate((it) => it.scrollHeight > it.clientHeight)).toBe(true);
    const box = (await area(page).boundingBox())!;
    await page.mouse.move(box.x + 300, box.y + 20);
    const whole = await ruler();
    await page.mouse.wheel(0, 40);
    await expect.poll(top).toBeGreaterThan(20);
    expect(await ruler()).toBe(whole);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await expect.poll(ruler).not.toBe(whole);
  });
});

test.describe('toolbars keep their place', { tag: '@layout' }, () => {
  for (const width of [1180, 1440]) {
    test(`while a function is chosen, at ${width} pixels`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      await open(page, fixture('tail-calls.xray'));
      await pictured(page);
      await showCalls(page, 'Functions');
      const bar = '.functions .panel-bar';
      const before = await places(page, bar);
      const row = page.locator('.functions tbody tr:not(.spacer)').nth(1);
      await row.click();
      await expect(row).toHaveAttribute('aria-selected', 'true');
      expect(await places(page, bar)).toEqual(before);
      // Nothing is drawn over anything else.
      const edges = before.map((place) => place.split(' ').map(Number) as [number, number]);
      for (const [i, [left]] of edges.entries()) {
        const [from, wide] = edges[i - 1] ?? [0, 0];
        expect(left).toBeGreaterThanOrEqual(from + wide);
      }
    });
  }

  test('while a frame is chosen', async ({ page }) => {
    await open(page, fixture('scene.trace'));
    await pictured(page);
    await showPanel(page, 'Frames');
    const row = page.locator('.frames tbody tr:not(.spacer)').nth(1);
    await expect(row).toBeVisible();
    const before = await places(page, '.frames .panel-bar');
    await row.click();
    await expect(row).toHaveAttribute('aria-selected', 'true');
    expect(await places(page, '.frames .panel-bar')).toEqual(before);
  });
});

test.describe('the focus returns to where it was', () => {
  test.beforeEach(async ({ page }) => {
    await open(page, fixture('threads.xray'));
    await pictured(page);
    await showCalls(page, 'Functions');
  });

  test('from the sheet of keys, the palette and menus', async ({ page }) => {
    const table = page.getByRole('grid', { name: 'Functions' });
    await table.focus();
    await page.keyboard.press('ArrowDown');
    for (const key of ['?', 'Control+k', 'ContextMenu']) {
      await page.keyboard.press(key);
      await expect(table).not.toBeFocused();
      await page.keyboard.press('Escape');
      await expect(table).toBeFocused();
    }
    // The key that opened it closes it, too.
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('?');
    await expect(table).toBeFocused();
  });

  test('from Find, and from the fields of the timeline', async ({ page }) => {
    const table = page.getByRole('grid', { name: 'Functions' });
    for (const key of ['Control+f', 'g']) {
      await table.focus();
      await page.keyboard.press(key);
      await expect(table).not.toBeFocused();
      await page.keyboard.press('Escape');
      await expect(table).toBeFocused();
    }
  });
});

test.describe('Ctrl+C copies', () => {
  test('the chosen row, or what is selected on the timeline', async ({ page }) => {
    await open(page, fixture('threads.xray'));
    await pictured(page);
    await page.keyboard.press('Enter');
    await expect(details(page).getByRole('heading').first()).toHaveText('#1');
    await page.keyboard.press('Control+c');
    await expect.poll(() => clipboard(page)).toMatch(/^#1\t[\d.,]+ [nµm]?s\t[\d.,]+ [nµm]?s\tmain thread 4711$/);
    await showCalls(page, 'Functions');
    const row = page.locator('.functions tbody tr:not(.spacer)').nth(2);
    await row.click();
    const texts = (await row.locator('td').allInnerTexts()).map((text) => text.trim().replaceAll('\u00a0', ' '));
    await page.keyboard.press('Control+c');
    await expect.poll(() => clipboard(page)).toBe(texts.join('\t'));
  });
});

test.describe('menus', () => {
  test('of the flame graph and of the call graph act on the function', { tag: '@layout' }, async ({ page }) => {
    await open(page, fixture('threads.xray'));
    await pictured(page);
    await showCalls(page, 'Flame');
    const flame = page.locator('.flame-area').first();
    await flame.click({ button: 'right', position: { x: 100, y: 30 } });
    await expect(entry(page, 'Zoom in')).toBeVisible();
    const name = (await menu(page).getAttribute('aria-label'))!;
    await entry(page, 'List its calls').click();
    await expect(page.getByRole('group', { name: `Calls of ${name}` })).toBeVisible();
  });

  test('of a frame have nothing that is about calls', async ({ page }) => {
    await open(page, fixture('scene.trace'));
    await pictured(page);
    await showPanel(page, 'Frames');
    const row = page.locator('.frames tbody tr:not(.spacer)').nth(1);
    await row.click({ button: 'right' });
    await entry(page, 'Show in the timeline').click();
    await expect(row).toHaveAttribute('aria-selected', 'true');
    await area(page).focus();
    await page.keyboard.press('ContextMenu');
    await expect(entry(page, 'Zoom to the selection')).toBeVisible();
    for (const title of ['List its calls', 'Highlight its calls', 'Select the caller', 'Select the longest callee'])
      await expect(entry(page, title)).toHaveCount(0);
  });
});

test.describe('what is pasted', () => {
  test('opens if it is a file', async ({ page }) => {
    await paste(page, { file: fixture('threads.xray') });
    await settled(page, 'ready', 'pasted.xray');
  });

  test('leads to the view of a link', { tag: '@focus' }, async ({ page }) => {
    await open(page, fixture('threads.xray'));
    await pictured(page);
    const range = page.getByRole('navigation', { name: 'Range' });
    const link = 'https://elsewhere.example/#unspool=1&name=threads.xray&range=1000..9000';
    await page.keyboard.press('g');
    await paste(page, { text: link });
    await page.keyboard.press('Escape');
    await expect(range).toHaveCount(0);
    await paste(page, { text: link });
    await expect(range).toBeVisible();
    await paste(page, { text: 'https://elsewhere.example/wiki' });
    await expect(page.locator('.notice')).toContainText('elsewhere.example');
  });

  test('opens what an address leads to', { tag: '@network' }, async ({ page, baseURL }) => {
    await settled(page, 'empty');
    await paste(page, { text: new URL('samples/threads.xray', baseURL).href });
    await page.waitForURL(/\?url=/);
    await settled(page, 'ready', 'threads.xray');
  });
});
