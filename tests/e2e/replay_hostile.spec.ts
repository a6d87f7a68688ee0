import { expect, type Page } from '@playwright/test';
import { pictured } from '../alike.mjs';
import { SWIFTSHADER } from './gpu.ts';
import { fixture, open, test } from './page.ts';
import { addToWorkers } from './replay.ts';

test.use({ launchOptions: SWIFTSHADER });
test.describe.configure({ mode: 'default' });

/** Traces that demand too much, with what is said. */
const CASES = [
  // A slow computer takes too long for the loop, however it is bounded.
  ['replay_loop.trace', /a loop of its shader was stopped after 3815 iterations|nothing was heard of the GPU/],
  ['replay_lists.trace', 'expands to more than 1048576 commands of display lists'],
  ['replay_bytes.trace', 'take more than 512 MiB'],
  ['replay_contexts.trace', 'The trace has more than 32 contexts'],
] as const;

const TOO_OLD = 'Pictures need WebGL2 in workers, as in Chrome 111, Firefox 114 and Safari 17, or later.';

for (const [name, sentence] of CASES)
  test(`${name} ends with a sentence, and the page lives on`, { tag: '@webgl' }, async ({ page }) => {
    await open(page, fixture(name));
    await page.getByRole('tab', { name: 'Picture', exact: true }).click();
    const pane = page.getByRole('complementary', { name: 'Picture' });
    await expect(pane).toContainText(sentence, { timeout: 30_000 });
    // The rest of the page goes on.
    await page.getByRole('tab', { name: 'Details', exact: true }).click();
    await expect(page.getByRole('complementary', { name: /Trace|Details/ })).toBeVisible();
  });

test('a picture that takes long shows how far it is, and ends at a limit or by hand', { tag: '@webgl' }, async ({
  page,
}) => {
  await open(page, fixture('replay_time.trace'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane.getByRole('status')).toContainText(/Replaying… \d+ %/, { timeout: 30_000 });
  await pane.getByRole('button', { name: 'Stop' }).click({ timeout: 30_000 });
  await expect(pane).toContainText(/Stopped (within|after) call [\d,]+: what follows is missing\./);
  await expect(pane.getByRole('button', { name: 'Go on' })).toBeVisible();
  await page.getByRole('tab', { name: 'Details', exact: true }).click();
  await expect(page.getByRole('complementary', { name: /Trace|Details/ })).toBeVisible();
});

test('the GPU has a limited time for a picture', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture('replay_time.trace'));
  const answer = await pictured(page, Number.MAX_SAFE_INTEGER, undefined, 2000);
  expect(await answer.evaluate(({ picture }) => picture?.halted)).toContain('The GPU took more than 2 seconds');
});

for (const [what, code, sentence] of [
  ['has no canvas in workers', 'Reflect.deleteProperty(globalThis, "OffscreenCanvas")', TOO_OLD],
  ['has no WebGL2 in workers', 'Reflect.deleteProperty(globalThis, "WebGL2RenderingContext")', TOO_OLD],
  [
    'refuses WebGL2',
    'OffscreenCanvas.prototype.getContext = () => null',
    /gives this page no WebGL2 in workers.* reload the page/,
  ],
] as const)
  test(`a browser that ${what} shows a sentence, and the page lives on`, { tag: '@webgl' }, async ({ page }) => {
    await addToWorkers(page, code);
    await page.goto('./');
    await open(page, fixture('replay_views.trace'));
    await page.getByRole('tab', { name: 'Picture', exact: true }).click();
    const pane = page.getByRole('complementary', { name: 'Picture' });
    await expect(pane.getByRole('alert')).toContainText(sentence);
    await expect(pane.getByRole('img')).toHaveCount(0);
    // Another try comes to the same.
    await pane.getByRole('button', { name: 'Try again' }).click();
    await expect(pane.getByRole('alert')).toContainText(sentence);
    await page.getByRole('tab', { name: 'Details', exact: true }).click();
    await expect(page.getByRole('complementary', { name: /Trace|Details/ })).toBeVisible();
  });

/** The worker that replays. */
function replayWorker(page: Page) {
  return page.workers().find((worker) => worker.url().includes('#replay'))!;
}

test('a GPU that gives up, or a worker that hangs, ends with a sentence, and another try starts over', {
  tag: '@webgl',
}, async ({ page }) => {
  test.slow();
  await open(page, fixture('replay_views.trace'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  const picture = pane.getByRole('img', { name: /^Picture of/ });
  const retry = pane.getByRole('button', { name: 'Try again' });
  const alert = pane.getByRole('alert');
  /** Asks for one picture after another until one ends with a sentence. What the page asks for by itself may end so, too. */
  const ask = (sentence: string) =>
    expect(async () => {
      for (const view of ['Wireframe', 'Depth', 'Overdraw']) {
        if (await alert.isVisible()) break;
        await pane
          .getByRole('radio', { name: view })
          .click({ timeout: 2_000 })
          .catch(() => undefined);
        await alert.waitFor({ timeout: 5_000 }).catch(() => undefined);
      }
      await expect(alert).toContainText(sentence);
    }).toPass({ timeout: 90_000 });
  await expect(picture).toBeVisible({ timeout: 30_000 });
  await replayWorker(page).evaluate(() => {
    const { prototype } = WebGL2RenderingContext;
    const { fenceSync } = prototype;
    prototype.fenceSync = function (...args) {
      this.getExtension('WEBGL_lose_context')?.loseContext();
      return fenceSync.apply(this, args);
    };
  });
  await ask('The GPU failed during this replay.');
  await retry.click();
  await expect(picture).toBeVisible({ timeout: 30_000 });
  await replayWorker(page).evaluate(() => {
    WebGL2RenderingContext.prototype.readPixels = () => {
      for (;;);
    };
  });
  await ask('The replay was stopped after call');
  // Another picture is made without that.
  await pane.getByRole('button', { name: 'Next frame' }).click();
  await expect(picture).toBeVisible({ timeout: 30_000 });
  await expect(pane.getByRole('alert')).toHaveCount(0);
});
