import { expect } from '@playwright/test';
import { test } from './page.ts';

test('a page that embeds this one opens, moves and closes its own trace, and hears of it', async ({ page }) => {
  await page.goto('./embedding/');
  const messages = page.getByLabel('Messages');
  const inner = page.frameLocator('iframe');
  await expect(messages).toHaveValue(/unspool:ready/);
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await expect(messages).toHaveValue(/"unspool:opened","name":"threads.xray","format":"xray"/);
  await page.getByRole('button', { name: 'Show the middle' }).click();
  await expect(messages).toHaveValue(/"unspool:viewed"[^\n]*"range":\{"from":"\d+"/);
  // Its own trace is replaced without a question.
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await expect(messages).toHaveValue(/unspool:closed[\s\S]*unspool:opened/);
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(inner.getByRole('button', { name: 'Open a trace' })).toBeVisible();
});

test('a page hears nothing of a trace that the person has opened, and cannot close it', async ({ page }) => {
  await page.goto('./embedding/');
  const messages = page.getByLabel('Messages');
  await expect(messages).toHaveValue(/unspool:ready/);
  const inner = page.frameLocator('iframe');
  await inner
    .getByRole('button', { name: /^threads\.xray|Threads/i })
    .first()
    .click();
  await expect(inner.locator('.file-name')).toHaveText(/xray/);
  await expect(inner.locator('.summary')).toBeVisible();
  await page.evaluate(() => frames[0]!.postMessage({ type: 'unspool:close' }, '*'));
  await page.evaluate(() => frames[0]!.postMessage({ type: 'unspool:view', find: 'x' }, '*'));
  await expect(inner.locator('.summary')).toBeVisible();
  expect(await messages.inputValue()).not.toMatch(/opened|viewed|closed/);
});
