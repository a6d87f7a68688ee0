import { expect, type Page } from '@playwright/test';
import { open, pictured, recording, stay, test, typeGoTo } from './page.ts';

const pane = (page: Page) => page.getByRole('complementary', { name: 'State' });
const section = (page: Page, name: string) => pane(page).getByRole('region', { name, exact: true });
const row = (page: Page, of: string, name: string) =>
  section(page, of)
    .locator('.gl-rows > div')
    .filter({ has: page.getByText(name, { exact: true }) });

/** Opens a trace, shows the state and selects a call. */
async function stateAt(page: Page, path: string, call: number): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, path);
  await pictured(page);
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  await goTo(page, call);
}

async function goTo(page: Page, call: number): Promise<void> {
  await typeGoTo(page, call);
  await isAt(page, call);
}

async function isAt(page: Page, call: number): Promise<void> {
  await expect(pane(page).locator('.gl-head')).toContainText(`call ${call.toLocaleString('en')}`);
}

test('what a draw uses, and which call set it', async ({ page }) => {
  await stateAt(page, recording('apitrace/recorded/glmix_3f.trace'), 47);
  await expect(pane(page).locator('.gl-head')).toContainText('glDrawElements');
  await expect(row(page, 'Program', 'Program 1 “my "program"”')).toContainText('linked');
  await expect(row(page, 'Uniforms', 'vec4 col')).toContainText('0.33333334, 0.5, -0.25, 1');
  await expect(row(page, 'Vertex inputs', '0 pos')).toContainText('2 × FLOAT, tightly packed, buffer 1');
  await expect(row(page, 'Framebuffer', 'Framebuffer')).toContainText('default: the window');
  await expect(row(page, 'Framebuffer', 'Viewport')).toContainText('0, 0, 200, 200');
  // The call that set the uniform.
  await row(page, 'Uniforms', 'vec4 col').getByRole('button', { name: /^call/ }).click();
  await isAt(page, 29);
  // Before it, the uniform has its initial value, and the vertex array did not exist.
  await pane(page).getByRole('radio', { name: 'Before' }).click();
  await expect(row(page, 'Uniforms', 'vec4 col')).toContainText('0, 0, 0, 0');
  await expect(section(page, 'Vertex inputs')).toHaveCount(0);
  await pane(page).getByRole('radio', { name: 'After' }).click();
  await expect(row(page, 'Uniforms', 'vec4 col')).toContainText('0.33333334, 0.5, -0.25, 1');
});

test('shaders open as wide as the window, and changes since the previous draw are marked', async ({ page }) => {
  await stateAt(page, recording('apitrace/recorded/glmark2_medium.trace'), 55_328);
  const changed = pane(page).locator('.gl-changed');
  await expect(changed.first()).toBeVisible();
  await expect(pane(page)).toContainText(/changed since the draw at call/);
  await section(page, 'Program').getByRole('button', { name: 'Fragment shader' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fragment shader' });
  await expect(dialog).toContainText('gl_FragColor');
  await dialog.getByRole('radio', { name: 'Vertex' }).click();
  await expect(page.getByRole('dialog', { name: 'Vertex shader' })).toContainText('gl_Position');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await isAt(page, 55_328);
});

test('textures that samplers read are used', async ({ page }) => {
  await stateAt(page, recording('apitrace/recorded/glmark2_medium.trace'), 9_180);
  const texture = row(page, 'Textures', 'MaterialTexture0 · unit 0');
  await expect(texture).toContainText('512 × 512 RGB');
  await texture.getByTitle('Show it in Resources').click();
  await expect(page.getByRole('tab', { name: 'Resources' })).toHaveAttribute('aria-selected', 'true');
  const resource = page.getByRole('region', { name: 'Resource', exact: true });
  await expect(resource).toContainText(/Texture \d+\s*at call 9,180/);
});

test('the picture of a texture is there once it is in sight, and Back leads to it', { tag: '@layout' }, async ({
  page,
}) => {
  await stateAt(page, recording('apitrace/recorded/glmark2_medium.trace'), 9_180);
  const texture = row(page, 'Textures', 'MaterialTexture0 · unit 0');
  await texture.scrollIntoViewIfNeeded();
  await expect(texture.locator('canvas')).toBeVisible();
  await stay(page);
  await texture.getByTitle('Show it in Resources').click();
  const resource = page.getByRole('region', { name: 'Resource', exact: true });
  await expect(resource.locator('canvas')).toBeVisible();
  // The pattern behind it ends where the image does.
  const [box, image] = await Promise.all([
    resource.locator('.texture-box').boundingBox(),
    resource.locator('canvas').boundingBox(),
  ]);
  expect([image!.x > box!.x, image!.y > box!.y]).toEqual([true, true]);
  await expect(resource.locator('.texture-box')).toHaveCSS('background-image', 'none');
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Frames' })).toHaveAttribute('aria-selected', 'true');
  await isAt(page, 9_180);
});

test('blending, depth and scissor are unfolded', async ({ page }) => {
  await stateAt(page, recording('apitrace/recorded/glmix_3f.trace'), 47);
  for (const title of ['Viewport and scissor', 'Blending', 'Depth test'])
    await expect(pane(page).locator('details', { hasText: title }).first()).toHaveAttribute('open');
  await expect(pane(page).locator('details', { hasText: 'Hints' })).not.toHaveAttribute('open');
});

test('the mesh is in reach', { tag: '@layout' }, async ({ page }) => {
  await stateAt(page, recording('apitrace/recorded/glmix_3f.trace'), 47);
  await expect(pane(page).getByRole('button', { name: 'Show mesh' })).toBeInViewport();
});

test('state of the fixed function', async ({ page }) => {
  await stateAt(page, recording('apitrace/recorded/glxgears_3s.trace'), 6_241);
  await expect(row(page, 'Program', 'Program')).toContainText('none: fixed function');
  const matrices = pane(page).locator('details').filter({ hasText: 'Matrices' });
  await matrices.locator('summary').click();
  await expect(matrices).toContainText('-39.2745');
});

test('shows the mesh of a draw, which can be turned', async ({ page }) => {
  await stateAt(page, recording('apitrace/recorded/glmark2_medium.trace'), 55_328);
  await pane(page).getByRole('button', { name: 'Show mesh' }).click();
  const mesh = page.getByRole('dialog', { name: 'Mesh of call 55,328' });
  await expect(mesh.locator('.mesh-facts')).toContainText('480 triangles');
  // As native replay has them.
  const rows = mesh.getByRole('grid', { name: 'Vertices' }).locator('tbody tr:not(.spacer)');
  await expect(rows.first()).toContainText('0.065839, -0.695415, -0.48019');
  await expect(rows.first()).toContainText('-0.287219, -0.687882, -0.666576');
  await expect(rows.nth(1)).toContainText('0.151636, -0.65028, -0.559587');
  const wires = mesh.getByRole('img', { name: /^Wireframe turned by -34°/ });
  await expect(wires).toHaveAttribute('data-drawn', '1440');
  await mesh.getByRole('region', { name: 'Wireframe' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('+');
  await expect(mesh.getByRole('img', { name: 'Wireframe turned by -28°, tilted by 23°, zoom 120 %' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(mesh).toHaveCount(0);
});
