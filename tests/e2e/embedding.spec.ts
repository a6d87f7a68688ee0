import { expect } from '@playwright/test';
import { test } from './page.ts';

test('a page that embeds this one opens, moves and closes its own trace, and hears of it', { tag: '@network' }, async ({
  page,
}) => {
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

test('a page does not hear that a trace is gone which could not be read', { tag: '@network' }, async ({ page }) => {
  await page.goto('./embedding/');
  const messages = page.getByLabel('Messages');
  await expect(messages).toHaveValue(/unspool:ready/);
  const send = (name: string) =>
    page.evaluate((name) => {
      const buffer = new TextEncoder().encode('no trace of any kind '.repeat(200)).buffer;
      frames[0]!.postMessage({ type: 'unspool:open', name, buffer }, '*');
    }, name);
  await send('first');
  await expect(messages).toHaveValue(/"unspool:failed","name":"first"/);
  await send('second');
  await expect(messages).toHaveValue(/"unspool:failed","name":"second"/);
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await expect(messages).toHaveValue(/"unspool:opened","name":"threads.xray"/);
  expect(await messages.inputValue()).not.toMatch(/closed/);
});

test('a page hears nothing of a trace that the person has opened, and cannot close it', { tag: '@network' }, async ({
  page,
}) => {
  await page.goto('./embedding/');
  const messages = page.getByLabel('Messages');
  await expect(messages).toHaveValue(/unspool:ready/);
  const inner = page.frameLocator('iframe');
  await inner
    .getByRole('button', { name: /^threads\.xray|Threads/i })
    .first()
    .click();
  await expect(inner.locator('.file-name')).toHaveText(/xray/);
  await expect(inner.locator('.summary')).toContainText('records');
  await page.evaluate(() => frames[0]!.postMessage({ type: 'unspool:view', find: 'x' }, '*'));
  await page.evaluate(() => frames[0]!.postMessage({ type: 'unspool:close' }, '*'));
  // Timers fire in their order: a view would be told 200 ms after it has changed.
  await inner.locator('body').evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)));
  await expect(inner.locator('.summary')).toContainText('records');
  await expect(inner.getByRole('combobox', { name: 'Search', exact: true })).toHaveValue('');
  // Messages keep their order, so those about the trace of the user would come before those about the page's own.
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await inner.locator('.notice').getByRole('button', { name: 'Open' }).click();
  await expect(messages).toHaveValue(/unspool:opened/);
  const types = [...(await messages.inputValue()).matchAll(/"type":"unspool:(\w+)"/g)].map(([, type]) => type);
  expect(types.slice(0, 2)).toEqual(['ready', 'opened']);
});
