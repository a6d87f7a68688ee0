import { type Browser, expect, type Page } from '@playwright/test';
import { area, fixture, inked, open, pictured, recordWorkers, showCalls, test, traceWorkers } from './page.ts';

const backend = (page: Page) => page.locator('.area [data-renderer]').getAttribute('data-renderer');
/** Number of frames of the timeline so far. */
const frames = (page: Page) =>
  page.evaluate(() => {
    const all = performance.getEntriesByName('unspool:frame') as PerformanceMeasure[];
    return (all.at(-1)?.detail as { frame: number } | undefined)?.frame ?? 0;
  });

/** Waits until drawing has stopped. */
async function still(page: Page): Promise<number> {
  let before = -1;
  await expect
    .poll(
      async () => {
        const last = before;
        before = await frames(page);
        return before === last;
      },
      { intervals: [300] },
    )
    .toBe(true);
  return before;
}

/** A new page that draws with this back end. */
async function drawnBy(browser: Browser, renderer: string, options: object): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 }, ...options });
  const page = await context.newPage();
  await page.goto(`./?renderer=${renderer}`);
  return page;
}

/** Opens an XRay log of a thread with 20,000 calls of many lengths within one long call: more than there are pixels. */
async function openDense(page: Page): Promise<void> {
  await page.evaluate(() => {
    const metadata = (kind: number, ...data: number[]) => [...[kind, ...data], ...new Array(15 - data.length).fill(0)];
    const call = (id: number, kind: number, after: number) => [(id << 4) | kind, id >> 4, 0, 0, after, 0, 0, 0];
    const [ENTER, EXIT] = [0, 2];
    const calls = Array.from({ length: 20_000 }, (_, i) => {
      const id = 1 + ((i * 7) % 40);
      return [...call(id, ENTER, (i * 5) % 11), ...call(id, EXIT, 1 + ((i * i) % 90))];
    }).flat();
    const thread = [...metadata(0x01, 7), ...metadata(0x09), ...metadata(0x13, 7), ...metadata(0x05, 0, 0, 100)];
    const body = [...thread, ...call(50, ENTER, 1), ...calls, ...call(50, EXIT, 1)];
    const length = [0, 8, 16, 24].map((shift) => (body.length >> shift) & 255);
    const header = [5, 0, 1, 0, 3, 0, 0, 0, 0, 0xca, 0x9a, 0x3b, ...new Array(20).fill(0)];
    const bytes = Uint8Array.from([...header, ...metadata(0x0f, ...length), ...body]);
    window.postMessage({ type: 'unspool:open', name: 'dense.xray', buffer: bytes.buffer });
  });
  await pictured(page);
  await expect(page.locator('body')).toHaveAttribute('data-state', 'ready');
  await still(page);
}

interface Difference {
  readonly pixels: number;
  /** Number of pixels with a component that differs by more than 2 of 255. */
  readonly differing: number;
}

/** Compares two screenshots in a browser, which decodes them. */
function compare(page: Page, a: Buffer, b: Buffer): Promise<Difference> {
  return page.evaluate(
    async (images) => {
      const [first, second] = await Promise.all(
        images.map(async (image) => {
          const bytes = Uint8Array.from(atob(image), (letter) => letter.charCodeAt(0));
          const blob = new Blob([bytes], { type: 'image/png' });
          const bitmap = await createImageBitmap(blob);
          const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
          context.drawImage(bitmap, 0, 0);
          return context.getImageData(0, 0, bitmap.width, bitmap.height);
        }),
      );
      const pixels = first!.width * first!.height;
      if (second!.width !== first!.width || second!.height !== first!.height) return { pixels, differing: pixels };
      let differing = 0;
      for (let i = 0; i < first!.data.length; i += 4) {
        const parts = [0, 1, 2].map((part) => Math.abs(first!.data[i + part]! - second!.data[i + part]!));
        if (Math.max(...parts) > 2) differing += 1;
      }
      return { pixels, differing };
    },
    [a.toString('base64'), b.toString('base64')],
  );
}

for (const [name, colorScheme, deviceScaleFactor] of [
  ['threads.xray', 'dark', 1],
  ['events.xray', 'light', 1.5],
  ['scene.trace', 'light', 2],
  ['trace_db/variables.trace', 'dark', 1.25],
] as const) {
  test(`both back ends draw ${name} alike`, { tag: '@pixels' }, async ({ browser, page }) => {
    const pages = await Promise.all(
      ['webgl2', 'canvas2d'].map((renderer) => drawnBy(browser, renderer, { colorScheme, deviceScaleFactor })),
    );
    const same = async () => {
      await Promise.all(pages.map(still));
      const [a, b] = await Promise.all(pages.map((each) => area(each).screenshot()));
      const { pixels, differing } = await compare(page, a!, b!);
      expect(pixels).toBeGreaterThan(300_000);
      expect(differing).toBe(0);
    };
    for (const each of pages) {
      await open(each, fixture(name));
      await pictured(each);
    }
    expect(await Promise.all(pages.map(backend))).toEqual(['webgl2', 'canvas2d']);
    await same();
    // First the hovered state with a tooltip, then a selection at a closer zoom.
    for (const each of pages) await each.mouse.move(500, 140);
    await same();
    for (const each of pages) {
      await area(each).focus();
      await each.keyboard.press('Enter');
      await each.keyboard.down('Control');
      await each.mouse.wheel(0, -300);
      await each.keyboard.up('Control');
      await each.mouse.move(0, 0);
    }
    await same();
    for (const each of pages) await each.context().close();
  });
}

test('both back ends draw rows of thousands of calls alike', { tag: '@pixels' }, async ({ browser, page }) => {
  const pages = await Promise.all(
    ['webgl2', 'canvas2d'].map((renderer) => drawnBy(browser, renderer, { deviceScaleFactor: 1.5 })),
  );
  for (const each of pages) {
    await openDense(each);
    await each.mouse.move(600, 180);
    await still(each);
  }
  const notes = (await pages[1]!.evaluate(() =>
    performance.getEntriesByName('unspool:frame').map((entry) => (entry as PerformanceMeasure).detail),
  )) as { shapes: number }[];
  expect(notes.at(-1)!.shapes).toBeGreaterThan(700);
  const [a, b] = await Promise.all(pages.map((each) => area(each).screenshot()));
  expect((await compare(page, a!, b!)).differing).toBe(0);
  // With the marks of a function that stands out.
  for (const each of pages) {
    await showCalls(each, 'Functions');
    await each.locator('.functions tbody tr:not(.spacer)').first().click();
    await expect
      .poll(async () => (await compare(page, a!, await area(each).screenshot())).differing)
      .toBeGreaterThan(0);
    await still(each);
  }
  const [c, d] = await Promise.all(pages.map((each) => area(each).screenshot()));
  expect((await compare(page, c!, d!)).differing).toBe(0);
  for (const each of pages) await each.context().close();
});

test('a software renderer is not used', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  expect(await backend(page)).toBe('canvas2d');
});

test('keeps the picture while the graphics processor is lost, and uses it again afterwards', { tag: '@webgl' }, async ({
  page,
}) => {
  await page.goto('./?renderer=webgl2');
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await page.mouse.move(0, 0);
  await still(page);
  expect(await backend(page)).toBe('webgl2');
  const before = await area(page).screenshot();
  for (let losses = 0; losses < 2; losses += 1) {
    await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.area canvas')!;
      const lose = canvas.getContext('webgl2')!.getExtension('WEBGL_lose_context')!;
      Object.assign(window, { giveBack: () => lose.restoreContext() });
      lose.loseContext();
    });
    await expect.poll(() => backend(page)).toBe('canvas2d');
    expect(await inked(page)).toBeGreaterThan(1000);
    await still(page);
    expect((await compare(page, before, await area(page).screenshot())).differing).toBe(0);
    // The size changes while the graphics processor is lost.
    await page.setViewportSize({ width: 1300, height: 800 });
    await page.evaluate(() => (window as unknown as { giveBack(): void }).giveBack());
    await expect.poll(() => backend(page)).toBe('webgl2');
    await page.setViewportSize({ width: 1440, height: 900 });
    await still(page);
    expect((await compare(page, before, await area(page).screenshot())).differing).toBe(0);
  }
});

test('draws and requests only after a change', { tag: '@pointer' }, async ({ page }) => {
  await page.evaluate(() => {
    const { postMessage } = Worker.prototype;
    let questions = 0;
    Object.assign(window, { questions: () => questions });
    Worker.prototype.postMessage = function (this: Worker, message: { call?: string }, ...rest: []) {
      if (message.call === 'picture') questions += 1;
      postMessage.call(this, message, ...rest);
    } as typeof postMessage;
  });
  const questions = () => page.evaluate(() => (window as unknown as { questions(): number }).questions());
  // This height leaves room below the tracks.
  await page.setViewportSize({ width: 1440, height: 1300 });
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const drawn = await still(page);
  const asked = await questions();
  expect(asked).toBeGreaterThan(0);
  // None of these actions changes the timeline.
  await page.mouse.move(700, 20);
  await page.mouse.move(740, 20);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  expect(await still(page)).toBe(drawn);
  expect(await questions()).toBe(asked);
  // Below the tracks only the crosshair follows the pointer.
  const box = (await area(page).boundingBox())!;
  const y = box.y + box.height - 6;
  await page.mouse.move(box.x + 100, y);
  await still(page);
  const before = await frames(page);
  for (let x = 110; x < 200; x += 10) await page.mouse.move(box.x + x, y);
  expect(await still(page)).toBe(before);
  // A drag within the picture draws at most once per frame and requests nothing.
  await page.mouse.down();
  for (let i = 0; i < 10; i += 1) await page.mouse.move(box.x + 190 - 6 * i, y);
  await page.mouse.up();
  const after = await still(page);
  expect(after).toBeGreaterThan(before);
  expect(after - before).toBeLessThanOrEqual(12);
  expect(await questions()).toBe(asked);
});

test('draws at most one shape per pixel, with one draw call per frame', { tag: '@webgl' }, async ({ page }) => {
  await page.goto('./?renderer=webgl2');
  await page.evaluate(() => {
    const { drawArraysInstanced } = WebGL2RenderingContext.prototype;
    let calls = 0;
    Object.assign(window, { drawCalls: () => calls });
    WebGL2RenderingContext.prototype.drawArraysInstanced = function (...all) {
      calls += 1;
      return drawArraysInstanced.apply(this, all);
    };
  });
  await openDense(page);
  await page.mouse.move(0, 0);
  await still(page);
  const { width, height } = (await area(page).boundingBox())!;
  const told = await page.evaluate(() => ({
    calls: (window as unknown as { drawCalls(): number }).drawCalls(),
    notes: (performance.getEntriesByName('unspool:frame') as PerformanceMeasure[]).map(
      ({ detail }) => detail as { frame: number; shapes: number; exact: boolean },
    ),
  }));
  expect(told.calls).toBeLessThanOrEqual(told.notes.length + 1);
  for (const { shapes } of told.notes) expect(shapes).toBeLessThanOrEqual((width + 4) * Math.ceil(height / 17));
  expect(told.notes.at(-1)!.exact).toBe(true);
});

test('terminates the workers of the previous trace', { tag: '@worker' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await expect.poll(() => recordWorkers(page).length).toBe(1);
  // That which was there before the trace may still be ending.
  await expect.poll(() => traceWorkers(page).length).toBe(1);
  const before = page.workers();
  await open(page, fixture('events.xray'));
  await pictured(page);
  await expect.poll(() => page.workers().some((worker) => before.includes(worker))).toBe(false);
  await expect.poll(() => traceWorkers(page).length).toBe(1);
  await expect.poll(() => recordWorkers(page).length).toBe(1);
});
