import { expect } from '@playwright/test';
import { details, open, pictured, recording, test } from './page.ts';

test('findings are looked for when asked, and lead to their calls', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, recording('apitrace/recorded/glmark2_medium.trace'));
  await pictured(page);
  await expect(page.getByRole('tab').first()).toHaveText('Frames');
  await page.getByRole('button', { name: 'Findings', exact: true }).click();
  await expect(page.getByRole('button', { name: '10 findings', exact: true })).toBeVisible();
  const rows = page.getByRole('grid', { name: 'Findings' }).locator('tbody tr[aria-selected]');
  await expect(rows).toHaveCount(10);
  await rows.filter({ hasText: 'glClearDepth' }).click();
  await expect(details(page)).toContainText('2,501');
  await page.getByRole('button', { name: 'Next place' }).click();
  await expect(details(page)).not.toContainText('2,501');
  await expect(details(page)).toContainText('glClearDepth');
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('bind');
  await expect(rows).toHaveCount(2);
});
