import { expect } from '@playwright/test';
import { fixture, open, test, typeGoTo } from './page.ts';

test('lists frames and interfaces of Direct3D, and says what is not known', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, fixture('direct3d9.trace'));
  const frames = page.getByRole('grid', { name: 'Frames' }).locator('tbody tr:not(.spacer)');
  await expect(frames).toHaveCount(4);
  await expect(page.locator('.frames')).toContainText('Vertices and state of Direct3D are not counted');
  await frames.nth(1).click();
  await page.getByRole('button', { name: 'Its interfaces' }).click();
  const rows = page.getByRole('grid', { name: 'Resources' }).locator('tbody tr:not(.spacer)');
  // The device, texture, vertex buffer, shader, and the back buffer.
  await expect(rows).toHaveCount(5);
  await page.getByRole('button', { name: /Used in frame 1/ }).click();
  await expect(rows).toHaveCount(8);
  await expect(page.locator('.resources-list')).toContainText('3 not released');
  const texture = rows.filter({ hasText: 'IDirect3DTexture9 0x2a01000' });
  await expect(texture).toHaveText(/IDirect3DTexture9 0x2a01000\s*6236/);
  await expect(page.getByRole('columnheader', { name: 'Released' })).toBeVisible();
  await texture.click();
  await expect(page.getByRole('list', { name: 'Marks on the timeline' })).toHaveText(
    /created, released\s*2\s*used\s*6/,
  );
  await expect(page.locator('.resource')).toContainText('Contents of Direct3D objects are not reconstructed.');
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  await typeGoTo(page, 16);
  const state = page.getByRole('complementary', { name: 'State' });
  await expect(state).toContainText('State is known for OpenGL calls only, not for Direct3D.');
});

test('interfaces of Direct3D 11 are found in lists', async ({ page }) => {
  await open(page, fixture('direct3d11.trace'));
  await page.getByRole('tab', { name: 'Resources' }).click();
  const rows = page.getByRole('grid', { name: 'Resources' }).locator('tbody tr:not(.spacer)');
  await expect(rows.filter({ hasText: 'ID3D11RenderTargetView 0x100050000' })).toHaveText(/0x100050000\s*3215/);
  // What it is, no call has said.
  await expect(rows.filter({ hasText: 'Interface 0x100070000' })).toHaveCount(1);
});
