import { expect } from '@playwright/test';
import { fixture, notice, open, pictured, showPanel, test } from './page.ts';

test('a notice covers no panel, and leaves by itself', { tag: '@layout' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await showPanel(page, 'SQL');
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async () => undefined }, configurable: true });
  });
  await page.getByRole('button', { name: 'Export', exact: true }).first().click();
  await page.getByRole('button', { name: 'Copy link to this view' }).click();
  const shown = notice(page).locator('p');
  await expect(shown).toContainText('Copied a link');
  const [told, dock] = [(await shown.boundingBox())!, (await page.locator('.dock').boundingBox())!];
  expect(told.y).toBeGreaterThanOrEqual(dock.y + dock.height - 1);
  // A pointer that rests on it would keep it.
  await page.mouse.move(5, dock.y + dock.height - 5);
  await expect(shown).toHaveCount(0, { timeout: 20_000 });
});
