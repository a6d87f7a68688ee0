import { expect, type Page } from '@playwright/test';
import { SWIFTSHADER } from './gpu.ts';
import { fixture, open, recording, test } from './page.ts';
import { hashes } from './replay.ts';

test.use({ launchOptions: SWIFTSHADER });
test.describe.configure({ mode: 'default' });

/** Opens the page again as a browser without OffscreenCanvas in workers would. The page itself still has canvases. */
async function withoutOffscreenCanvas(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { Blob: Whole } = window;
    window.Blob = class extends Whole {
      constructor(parts: BlobPart[] = [], options?: BlobPropertyBag) {
        const isWorker = options?.type === 'text/javascript';
        super(isWorker ? [...parts, '\nReflect.deleteProperty(globalThis, "OffscreenCanvas");\n'] : parts, options);
      }
    };
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: [string]) {
      if (args[0] === 'webgl2' && !this.isConnected) document.documentElement.dataset['replays'] = 'here';
      return getContext.apply(this, args);
    } as typeof getContext;
  });
  await page.goto('./');
}

/** The worker that replays. */
const replayWorker = (page: Page) => page.workers().find((worker) => worker.url().includes('#replay'))!;

/** Shows the pane of pictures, and waits for one. */
async function pictureOf(page: Page, path: string) {
  await open(page, path);
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane.getByRole('img', { name: /^Picture of/ })).toBeVisible({ timeout: 30_000 });
  return pane;
}

test('draws on the page where workers have no canvas, with all views', async ({ page }) => {
  await withoutOffscreenCanvas(page);
  const pane = await pictureOf(page, fixture('replay_views.trace'));
  expect(await replayWorker(page).evaluate(() => typeof OffscreenCanvas)).toBe('undefined');
  await expect(page.locator('html')).toHaveAttribute('data-replays', 'here');
  await pane.getByRole('radio', { name: 'Overdraw' }).click();
  await expect(pane).toContainText('Pixels are drawn over 0.75 times on average, 2 at most.');
  await pane.getByRole('radio', { name: 'Depth' }).click();
  await expect(pane).toContainText('Depth from 0.500000 (light) to 0.750000 (dark).');
  await pane.getByRole('radio', { name: 'Picture' }).click();
  const canvas = pane.getByRole('img', { name: /^Picture of/ });
  await canvas.focus();
  await canvas.press('ArrowLeft');
  await canvas.press('Enter');
  const touches = pane.getByRole('region', { name: 'Draws of a pixel' });
  await expect(touches.getByRole('listitem')).toHaveCount(3);
  await expect(page.locator('.film canvas')).toHaveCount(3);
});

for (const [path, calls] of [
  ['modern/gtk4_widgets', [11_888, 27_936, 3_000]],
  ['recorded/glmark2_medium', [120_000, 129_388, 20_000]],
] as const)
  test(`shows the same pictures of ${path} on the page as in a worker`, async ({ page }) => {
    test.setTimeout(120_000);
    const trace = recording(`apitrace/${path}.trace`);
    await open(page, trace);
    const inWorker = await hashes(page, calls, {});
    await withoutOffscreenCanvas(page);
    await open(page, trace);
    expect(await hashes(page, [...calls, calls[0]], {})).toEqual([...inWorker, inWorker[0]!]);
    await expect(page.locator('html')).toHaveAttribute('data-replays', 'here');
  });

test('says that the page must be reloaded if the browser gives it no GPU after one gave up', async ({ page }) => {
  await withoutOffscreenCanvas(page);
  await page.evaluate(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    const contexts: WebGL2RenderingContext[] = [];
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: [string]) {
      // The timeline has another size.
      if (args[0] !== 'webgl2' || this.isConnected || this.width !== 1) return getContext.apply(this, args);
      if (contexts.length > 0) return null;
      const context = getContext.apply(this, args) as unknown as WebGL2RenderingContext;
      contexts.push(context);
      return context;
    } as typeof getContext;
    addEventListener('keydown', ({ key }) => {
      if (key === 'F9') contexts[0]?.getExtension('WEBGL_lose_context')?.loseContext();
    });
  });
  const pane = await pictureOf(page, fixture('replay_views.trace'));
  await page.keyboard.press('F9');
  // The small pictures may have noticed it first.
  await pane
    .getByRole('radio', { name: 'Overdraw' })
    .click({ timeout: 2_000 })
    .catch(() => undefined);
  await expect(pane.getByRole('alert')).toContainText('The GPU failed during this replay.');
  await pane.getByRole('button', { name: 'Try again' }).click();
  await expect(pane.getByRole('alert')).toContainText(
    'no longer gives this page WebGL2. Reload the page to try again.',
  );
});

test('a trace that demands too much ends with a sentence, and the page lives on', async ({ page }) => {
  await withoutOffscreenCanvas(page);
  await open(page, fixture('replay_time.trace'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane).toContainText('The GPU took more than 4 seconds', { timeout: 30_000 });
  await page.getByRole('tab', { name: 'Details', exact: true }).click();
  await expect(page.getByRole('complementary', { name: /Trace|Details/ })).toBeVisible();
});
