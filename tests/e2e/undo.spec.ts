import { expect } from '@playwright/test';
import { fixture, open, pictured, runCommand, selectRange, test } from './page.ts';

test('Ctrl+Z takes back ranges, notes and hidden tracks, but not in a field', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const hidden = page.getByText(/^\d+ hidden$/);
  const range = page.locator('.range');
  const flags = page.locator('.note-flag');
  await selectRange(page, 0.2, 0.6);
  await expect(range).toBeVisible();
  await page.keyboard.press('m');
  await page.keyboard.type('here');
  await expect(flags).toHaveCount(1);
  // The browser takes back what was typed.
  await page.keyboard.press('Control+z');
  await expect(flags).toHaveCount(1);
  await page.keyboard.press('Enter');
  await page.locator('.area').focus();
  await page.keyboard.press('j');
  await runCommand(page, 'Hide the track');
  await expect(hidden).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search commands' }).fill('Undo');
  await expect(page.getByRole('option', { name: /Undo\s*hide / })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(hidden).toBeHidden();
  await page.keyboard.press('Control+z');
  await expect(flags).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(range).toBeHidden();
  await page.keyboard.press('Control+y');
  await expect(range).toBeVisible();
  await page.keyboard.press('Control+Shift+Z');
  await expect(flags).toHaveCount(1);
});
