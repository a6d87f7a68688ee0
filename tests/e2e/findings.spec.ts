import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { barriers, open, pictured, test } from './page.ts';

const TRACE = join(import.meta.dirname, '../../../shared/corpus/apitrace/recorded/glmark2_medium.trace');

test('findings are looked for when asked, and lead to their calls', async ({ page }) => {
  test.skip(!existsSync(TRACE), `${TRACE} is missing`);
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, TRACE);
  await pictured(page);
  await expect(page.getByRole('tab').first()).toHaveText('Frames');
  await page.getByRole('button', { name: 'Findings', exact: true }).click();
  await expect(page.getByRole('button', { name: '10 findings' })).toBeVisible();
  const rows = page.getByRole('grid', { name: 'Findings' }).locator('tbody tr[aria-selected]');
  await expect(rows).toHaveCount(10);
  await rows.filter({ hasText: 'glClearDepth' }).click();
  const details = page.getByRole('complementary', { name: 'Details' });
  await expect(details).toContainText('2,501');
  await page.getByRole('button', { name: 'Next place' }).click();
  await expect(details).not.toContainText('2,501');
  await expect(details).toContainText('glClearDepth');
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('bind');
  await expect(rows).toHaveCount(2);
});
