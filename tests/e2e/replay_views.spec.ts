import { expect, type Locator, type Page } from '@playwright/test';
import { SWIFTSHADER } from './gpu.ts';
import { fixture, open, showPanel, test, typeGoTo } from './page.ts';

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

test('shows overdraw, depth and wireframes, and the draws of a pixel', { tag: '@webgl' }, async ({ page }) => {
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
  // Film below the lane of frames, once there was a picture.
  await expect(page.locator('.film canvas')).toHaveCount(3);
});

test('a selected frame shows what it has drawn, and nothing is overdrawn before it draws', { tag: '@webgl' }, async ({
  page,
}) => {
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

test('contexts share textures, and windows grow', { tag: '@webgl' }, async ({ page }) => {
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

test('draws out of buffers of indices', { tag: '@webgl' }, async ({ page }) => {
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

test('lists the draws that cannot be shown, marks them in Events, and shows the logs of shaders', {
  tag: '@webgl',
}, async ({ page }) => {
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
});

test('shows what the vertex shader of a draw writes, beside its inputs', { tag: '@webgl' }, async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, fixture('replay_outputs.trace'));
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  const outputsOf = async (call: number) => {
    await typeGoTo(page, call);
    await expect(page.getByRole('complementary', { name: 'State' })).toContainText(`call ${call}`);
    await page.getByRole('button', { name: 'Show mesh' }).click();
    const mesh = page.getByRole('dialog', { name: `Mesh of call ${call}` });
    await mesh.getByRole('radio', { name: 'Outputs' }).click();
    return mesh;
  };
  const table = (mesh: Locator) => mesh.getByRole('grid', { name: 'Vertices' });
  const cells = (mesh: Locator, row: number) =>
    table(mesh).locator('tbody tr:not(.spacer)').nth(row).getByRole('gridcell');

  // Vertices in the order of the indices: 2, 3, 0, 0, 1, 2.
  const indexed = await outputsOf(22);
  await expect(table(indexed).getByRole('columnheader')).toHaveText(
    ['#', 'Vertex', 'gl_Position', 'Device', 'Pixel', 'uv', 'number', 'light.normal', '0'],
    { timeout: 20_000 },
  );
  const first = ['0', '2', '0.75, -0.5, 0.5, 2', '0.375, -0.25, 0.25', '44, 30', '1, 1', '5', '1, 1, 4', '1, 1'];
  await expect(cells(indexed, 0)).toHaveText(first);
  await expect(cells(indexed, 3)).toHaveText([
    '3',
    '0',
    '-0.25, 0.5, 0.5, 2',
    '-0.125, 0.25, 0.25',
    '28, 18',
    '0, 0',
    '-1',
    '-1, -1, 4',
    '-1, -1',
  ]);
  await expect(indexed.getByRole('img', { name: 'Wireframe as on the screen, zoom 100 %' })).toHaveAttribute(
    'data-drawn',
    '6',
  );
  await cells(indexed, 0).first().click();
  await page.keyboard.press('Escape');

  // Of two instances with the same inputs, the second one lies further right.
  const instanced = await outputsOf(23);
  await expect(cells(instanced, 0).nth(2)).toHaveText('0.75, 0.5, 0.5, 2');
  await instanced.getByRole('spinbutton', { name: 'Instance' }).fill('2');
  await expect(cells(instanced, 0).nth(2)).toHaveText('1.75, 0.5, 0.5, 2');
  await expect(cells(instanced, 0).nth(6)).toHaveText('2');
  await page.keyboard.press('Escape');

  const fixed = await outputsOf(30);
  await expect(table(fixed).getByRole('columnheader').nth(5)).toHaveText('gl_FrontColor');
  await expect(cells(fixed, 2).nth(2)).toHaveText('0.5, 0.5, 0, 1');
  await expect(cells(fixed, 2).nth(5)).toHaveText('0, 0.5, 1, 1');
  await page.keyboard.press('Escape');

  const refused = await outputsOf(46);
  await expect(refused.getByRole('alert')).toHaveText(
    'The replay leaves this draw out: geometry shaders are not in WebGL2.',
  );
  await page.keyboard.press('Escape');

  // Where y goes down, the same numbers are at other pixels.
  const turned = await outputsOf(54);
  await expect(cells(turned, 3).nth(2)).toHaveText('-0.25, 0.5, 0.5, 2');
  await expect(cells(turned, 3).nth(4)).toHaveText('28, 30');
});

test('shows draws in the clip volume of Direct3D', { tag: '@webgl' }, async ({ page }) => {
  const pane = await pictureOf(page, 'replay_outputs.trace');
  await typeGoTo(page, 22);
  await expect(pane).toContainText('call 22');
  // Green grows with y of the vertices, which the matrix turns upside down.
  await expect.poll(() => colorAt(page, 36, 19)).toMatch(/^\d+ 3\d 0 255$/);
  await typeGoTo(page, 54);
  await expect.poll(() => colorAt(page, 36, 19)).toMatch(/^\d+ 2[2-5]\d 0 255$/);
  await expect(pane).not.toContainText('missing');
  await pane.getByRole('radio', { name: 'Depth' }).click();
  await expect(pane).toContainText('Depth from 0.250000 (light)');
});
