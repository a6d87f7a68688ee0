import { expect, type Page } from '@playwright/test';
import { SWIFTSHADER } from './gpu.ts';
import { fixture, open, test, typeGoTo } from './page.ts';

test.use({ launchOptions: SWIFTSHADER, viewport: { width: 1440, height: 900 } });

/** Chooses a resource of the list. */
async function choose(page: Page, name: string) {
  await page
    .getByRole('grid', { name: 'Resources' })
    .getByRole('gridcell', { name: new RegExp(`^${name}\\b`) })
    .click();
  return page.getByRole('region', { name: 'Resource', exact: true });
}

/** The colour of a pixel of the image, counted from its first row: what is shown upside down is not. */
async function colorAt(page: Page, x: number, y: number): Promise<string> {
  return page.locator('.texture canvas').evaluate(
    (canvas: HTMLCanvasElement, [left, top]) => {
      const { data } = canvas.getContext('2d')!.getImageData(left!, top!, 1, 1);
      return [...data].join(' ');
    },
    [x, y],
  );
}

test('Resources has what was drawn to textures and copied to buffers', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture('replay_written.trace'));
  await page.getByRole('tab', { name: 'Resources' }).click();

  // The left half is drawn, and one pixel uploaded after that.
  const resource = await choose(page, 'Texture 1');
  await expect(resource).toContainText('replayed, drawn to by call', { timeout: 30_000 });
  expect(await colorAt(page, 0, 3)).toBe('0 255 0 255');
  expect(await colorAt(page, 3, 0)).toBe('255 0 0 255');
  expect(await colorAt(page, 3, 3)).toBe('0 0 255 255');
  await resource.getByRole('button', { name: /^call \d+$/ }).click();
  await expect(resource).toContainText('at call 27');

  // After its clear there is nothing green or blue yet.
  await typeGoTo(page, 16);
  await expect.poll(() => colorAt(page, 0, 3)).toBe('255 0 0 255');
  await expect(resource.getByRole('button', { name: 'call 16' })).toBeVisible();

  await typeGoTo(page, 27);
  await choose(page, 'Renderbuffer 1');
  await expect(resource).toContainText('replayed, drawn to by call 27');
  await expect(resource).toContainText('holds 0.5 to 1');

  await typeGoTo(page, 64);
  await choose(page, 'Texture 2');
  await expect(resource.getByRole('alert')).toHaveText(
    'Only uploads are shown. The replay leaves call 50 out, which draws to it: geometry shaders are not in WebGL2.',
  );

  await choose(page, 'Buffer 2');
  await expect(resource).toContainText('Replayed, written by call');
  const cells = resource.getByRole('table', { name: 'Contents' }).locator('tbody tr:not(.spacer)').first();
  await expect(cells.getByRole('cell')).toHaveText(['0', '0', '5', '6', '7', '8']);
  await choose(page, 'Buffer 3');
  await expect(resource.getByRole('alert')).toHaveText(
    'Only uploads are shown. The replay does not have its contents: it holds what transform feedback has written, which is not replayed.',
  );
});
