import { expect, type Page } from '@playwright/test';
import { SWIFTSHADER } from './gpu.ts';
import { barriers, fixture, open, showPanel, test, typeGoTo } from './page.ts';

test.use({ launchOptions: SWIFTSHADER });
test.describe.configure({ mode: 'default' });

/** Shows the pane of pictures, and waits for one. */
async function pictureOf(page: Page, name: string) {
  await open(page, fixture(name));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane.getByRole('img', { name: /^Picture of/ })).toBeVisible({ timeout: 30_000 });
  return pane;
}

/** The colour of a pixel of the picture. */
async function colorAt(page: Page, x: number, y: number): Promise<string> {
  return page.locator('.picture-canvas').evaluate(
    (canvas: HTMLCanvasElement, [left, top]) => {
      const { data } = canvas.getContext('2d')!.getImageData(left!, top!, 1, 1);
      return [...data].join(' ');
    },
    [x, y],
  );
}

test('shows overdraw, depth and wireframes, and the draws of a pixel', async ({ page }) => {
  const pane = await pictureOf(page, 'replay_views.trace');
  await expect.poll(() => colorAt(page, 8, 8)).toBe('255 0 0 255');
  expect(await colorAt(page, 40, 24)).toBe('0 255 0 255');
  expect(await colorAt(page, 60, 4)).toBe('0 0 255 255');

  // Half is red, a quarter is green, and what is behind both is hidden.
  await pane.getByRole('radio', { name: 'Overdraw' }).click();
  await expect(pane).toContainText('Pixels are drawn over 0.75 times on average, 2 at most.');
  expect(await colorAt(page, 60, 4)).toBe('16 16 24 255');
  expect(await colorAt(page, 8, 8)).toBe(await colorAt(page, 40, 24));
  expect(await colorAt(page, 20, 24)).not.toBe(await colorAt(page, 8, 8));

  await pane.getByRole('radio', { name: 'Depth' }).click();
  await expect(pane).toContainText('Depth from 0.500000 (light) to 0.750000 (dark).');
  expect(await colorAt(page, 40, 24)).toBe('255 255 255 255');
  expect(await colorAt(page, 60, 4)).toBe('0 0 0 255');

  await pane.getByRole('radio', { name: 'Wireframe' }).click();
  await expect.poll(() => colorAt(page, 3, 24)).toBe('0 0 255 255');

  await pane.getByRole('radio', { name: 'Picture' }).click();
  await expect.poll(() => colorAt(page, 8, 8)).toBe('255 0 0 255');
  const canvas = pane.getByRole('img', { name: /^Picture of/ });
  await canvas.focus();
  // From the middle, where all three are, one of them behind the others.
  await canvas.press('ArrowLeft');
  await canvas.press('Enter');
  const touches = pane.getByRole('region', { name: 'Draws of a pixel' });
  await expect(touches).toContainText('Pixel 31, 24');
  await expect(touches.getByRole('listitem')).toHaveCount(3);
  await expect(touches.getByRole('listitem').nth(1)).toContainText('#ff0000');
  await expect(touches.getByRole('listitem').nth(2)).toContainText(/#00ff(00|80|ff)/);
  expect(await barriers(page)).toEqual([]);
  // Film below the lane of frames, once there was a picture.
  await expect(page.locator('.film canvas')).toHaveCount(3);
});

test('a selected frame shows what it has drawn, and nothing is overdrawn before it draws', async ({ page }) => {
  const pane = await pictureOf(page, 'replay_views.trace');
  await showPanel(page, 'Frames');
  const rows = page.getByRole('grid', { name: 'Frames' }).getByRole('row');
  for (const [frame, corner] of [
    [0, '0 255 0 255'],
    [1, '0 255 128 255'],
    [2, '0 255 255 255'],
  ] as const) {
    await rows.nth(frame + 1).click();
    await expect(pane).toContainText(`Frame ${frame} of 0–2`);
    await expect(pane).toContainText('4 of 4 draws and clears');
    await expect.poll(() => colorAt(page, 40, 24)).toBe(corner);
  }
  // The draws of its pixels are its own.
  await pane.getByRole('img', { name: /^Picture of/ }).focus();
  await page.keyboard.press('Enter');
  await expect(pane.getByRole('region', { name: 'Draws of a pixel' }).getByRole('listitem')).toHaveCount(2);
  // The first call of the frame, before anything is drawn.
  await pane.getByRole('radio', { name: 'Overdraw' }).click();
  await expect(pane).toContainText('Pixels are drawn over 0.75 times on average, 2 at most.');
  await typeGoTo(page, 77);
  await expect(pane).toContainText('This frame has drawn nothing here yet.');
  expect(await colorAt(page, 8, 8)).toBe('16 16 24 255');
});

test('contexts share textures, and windows grow', async ({ page }) => {
  const pane = await pictureOf(page, 'replay_windows.trace');
  for (const [frame, size, pixel] of [
    ['Frame 0 of 0–2', '32 by 32', '0 255 0 255'],
    ['Frame 1 of 0–2', '16 by 16', '255 128 0 255'],
    ['Frame 2 of 0–2', '64 by 40', '255 0 255 255'],
  ] as const) {
    await expect(pane).toContainText(frame);
    await expect(pane.getByRole('img', { name: new RegExp(`of ${size} `) })).toBeVisible();
    await expect.poll(() => colorAt(page, 8, 8)).toBe(pixel);
    const next = pane.getByRole('button', { name: 'Next frame' });
    if (await next.isEnabled()) await next.click();
  }
});

test('draws out of buffers of indices', async ({ page }) => {
  const pane = await pictureOf(page, 'replay_indices.trace');
  await showPanel(page, 'Frames');
  const rows = page.getByRole('grid', { name: 'Frames' }).getByRole('row');
  const [white, black] = ['255 255 255 255', '0 0 0 255'];
  for (const [frame, left, right] of [
    [0, white, black],
    [1, black, white],
  ] as const) {
    await rows.nth(frame + 1).click();
    await expect.poll(() => colorAt(page, 8, 24)).toBe(left);
    expect(await colorAt(page, 56, 24)).toBe(right);
  }
  await expect(pane.getByRole('region', { name: 'What was refused' })).toHaveCount(0);
});

test('lists the draws that cannot be shown, marks them in Events, and shows the logs of shaders', async ({ page }) => {
  const pane = await pictureOf(page, 'replay_unshown.trace');
  const list = pane.getByRole('region', { name: 'What cannot be shown' });
  for (const reason of [
    'the draw has more than 16777216 vertices',
    'the draw reads vertices beyond its buffers',
    'the draw reads indices beyond its buffer',
    'compute shaders are not in WebGL2',
    'geometry shaders are not in WebGL2',
  ])
    await expect(list).toContainText(reason);
  const failed = pane.getByRole('region', { name: 'Shaders that failed' });
  await failed.locator('summary').first().click();
  await expect(failed).toContainText('missing');
  await expect(failed).toContainText('In the trace');
  await showPanel(page, 'Calls');
  await page.getByLabel('Filter calls').fill('name:glDispatchCompute');
  await expect(page.getByRole('row').getByRole('img', { name: /compute shaders/ })).toBeVisible();
  expect(await barriers(page)).toEqual([]);
});
