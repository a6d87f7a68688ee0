import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { SWIFTSHADER } from './gpu.ts';
import { fixture, open, test } from './page.ts';

test.use({ launchOptions: SWIFTSHADER });
test.describe.configure({ mode: 'default' });

/** Opens the dialog that saves the frame that is shown. */
async function dialogOf(page: Page, name: string) {
  await open(page, fixture(name));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane.getByRole('img', { name: /^Picture of/ })).toBeVisible({ timeout: 30_000 });
  await pane.getByRole('button', { name: 'Save frame…' }).click();
  return page.getByRole('dialog', { name: /^Save frame \d+ as a trace$/ });
}

test('a frame is saved as a trace once its picture was compared, and made smaller', { tag: '@webgl' }, async ({
  page,
}) => {
  test.slow();
  const dialog = await dialogOf(page, 'replay_views.trace');
  await expect(dialog).toContainText('The file shows the same picture as the trace, pixel by pixel.', {
    timeout: 30_000,
  });
  await expect(dialog).toContainText(/\d+.calls of the frame/);
  await dialog.getByText('What is kept, and why').click();
  await expect(dialog.getByRole('row', { name: /^the frames/ })).toBeVisible();

  const save = async () => {
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    return readFileSync(await (await download).path());
  };
  const whole = await save();
  // One draw is hidden behind the others.
  await dialog.getByRole('button', { name: 'Leave out what the picture does not need' }).click();
  await expect(dialog).toContainText('left out, as the picture stays the same', { timeout: 60_000 });
  await dialog.getByRole('button', { name: 'Stop' }).click();
  const smaller = await save();
  expect(smaller.length).toBeLessThan(whole.length);

  // What was saved opens, and shows the frame.
  await page.reload();
  await page.locator('input[type=file]').setInputFiles({ name: 'saved.trace', mimeType: '', buffer: smaller });
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  await expect(page.getByRole('img', { name: /^Picture of/ })).toBeVisible({ timeout: 30_000 });
});

test('what should not leave is left out, but for sources of shaders that the picture needs', { tag: '@webgl' }, async ({
  page,
}) => {
  test.slow();
  const dialog = await dialogOf(page, 'graphics/draws.trace');
  await expect(dialog).toContainText('The file shows the same picture as the trace, pixel by pixel.', {
    timeout: 30_000,
  });
  const save = async () => {
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    return readFileSync(await (await download).path());
  };
  const whole = await save();
  await dialog.getByText('Sanitize').click();
  await dialog.getByLabel('Other texts').selectOption('Omit');
  await dialog.getByLabel('Paths').selectOption('Omit');
  await expect(dialog).toContainText('names of uniforms stay');
  await expect(async () => expect(await save()).not.toEqual(whole)).toPass({ timeout: 60_000 });
  await expect(dialog).toContainText('The file shows the same picture as the trace, pixel by pixel.');
});

test('the buttons below a picture are within their pane', { tag: '@webgl' }, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page, fixture('replay_views.trace'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane.getByRole('button', { name: 'Save frame…' })).toBeVisible({ timeout: 30_000 });
  const overflow = await pane.locator('.picture-tools').evaluate((tools) => {
    const right = tools.closest('.picture-frame')?.getBoundingClientRect().right ?? 0;
    return Array.from(tools.children, (button) => button.getBoundingClientRect().right - right);
  });
  expect(overflow.length).toBeGreaterThan(3);
  expect(Math.max(...overflow)).toBeLessThanOrEqual(0);
});
