import { expect, type Page } from '@playwright/test';
import { area, barriers, details, fixture, open, pictured, test } from './page.ts';

const heading = (page: Page) => details(page).getByRole('heading').first();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.className ?? '');

test('the timeline has the focus after a file is opened', async ({ page }) => {
  await page.getByRole('button', { name: 'Open a trace' }).focus();
  await open(page, fixture('threads.xray'));
  expect(await focused(page)).toBe('area');
  await open(page, fixture('events.xray'));
  expect(await focused(page)).toBe('area');
});

test('up and down change the row, then the track, and lead back', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const place = () => page.locator('.details-where').textContent();
  const said = () => page.locator('#announcer').textContent();
  await page.keyboard.press('ArrowDown');
  await expect(details(page)).toContainText('Duration');
  const first = await said();
  const track = await place();
  const seen = [first];
  for (let i = 0; i < 12; i += 1) {
    await page.keyboard.press('ArrowDown');
    await expect.poll(said).not.toBe(seen.at(-1));
    seen.push(await said());
  }
  // Twelve rows down is another thread.
  await expect.poll(place).not.toBe(track);
  for (const expected of seen.slice(0, -1).reverse()) {
    await page.keyboard.press('ArrowUp');
    await expect.poll(said).toBe(expected);
  }
});

test('the values of the details are one tab stop', async ({ page }) => {
  await open(page, fixture('apitrace/values.trace'));
  await pictured(page);
  await page.keyboard.press('Enter');
  await expect(details(page)).toContainText('Call');
  const stops = () =>
    page
      .locator('.details .fields')
      .first()
      .evaluate(
        (list) =>
          [...list.querySelectorAll('button, [role="button"]')].filter((it) => (it as HTMLElement).tabIndex === 0)
            .length,
      );
  await expect.poll(stops).toBe(1);
  const values = page.locator('.details .fields').first().locator('[role="button"]');
  await values.first().focus();
  await page.keyboard.press('ArrowDown');
  await expect(values.first()).not.toBeFocused();
  expect(await focused(page)).not.toBe('area');
  await expect.poll(stops).toBe(1);
  await page.keyboard.press('Home');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('.fields') !== null)).toBe(false);
});

test('the file input is hidden, and the button opens it', async ({ page }) => {
  await expect(page.locator('#file-input')).toBeHidden();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await (await chooser).setFiles(fixture('threads.xray'));
  await pictured(page);
  await expect(page.getByRole('img', { name: /^Overview of the whole trace/ })).toBeVisible();
  for (const canvas of await page.locator('canvas').all()) {
    const named = await canvas.evaluate((it) => it.closest('[aria-label]') !== null);
    expect(named).toBe(true);
  }
});

test('the page has landmarks, which contain all there is', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  expect(await barriers(page, ['landmark-one-main', 'region'])).toEqual([]);
});

test('help opens at its top on a small screen, and leads to each of its parts', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 500 });
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading', { name: 'Help', exact: true })).toBeInViewport();
  await expect(dialog.getByRole('heading', { name: 'Questions', exact: true })).toBeInViewport();
  expect(await dialog.locator('.help-body').evaluate((it) => it.scrollTop)).toBe(0);
  for (const part of ['Keys', 'Words', 'Documentation']) {
    await dialog.getByRole('navigation').getByRole('button', { name: part }).click();
    await expect(dialog.getByRole('heading', { name: part, exact: true })).toBeInViewport();
  }
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeInViewport();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
});

test.describe('going to a step', () => {
  const goTo = async (page: Page, position: string) => {
    await page.keyboard.press('g');
    await page.locator('#find-field').fill(position);
    await page.keyboard.press('Enter');
  };

  test('shows what the instruction read and wrote', async ({ page }) => {
    await open(page, fixture('frames/calls.frames'));
    await pictured(page);
    await goTo(page, '12');
    await expect(heading(page)).toHaveText('Step 12');
    await expect(details(page)).toContainText('mov eax, 1');
    await expect(details(page)).toContainText('RAX');
    await expect(page.locator('#announcer')).toContainText(/^step.12, .*on thread 1$/);
  });

  test('selects the point of a trace-db', async ({ page }) => {
    await open(page, fixture('trace_db/variables.trace'));
    await pictured(page);
    await goTo(page, '7');
    await expect(heading(page)).toContainText('statement');
    await expect(page.locator('#announcer')).toContainText(/at point.7,/);
  });

  test('selects the call on whatever thread it is', async ({ page }) => {
    await open(page, fixture('apitrace/scene.trace'));
    await pictured(page);
    await area(page).focus();
    for (const call of ['30', '31', '400']) {
      await goTo(page, call);
      await expect(details(page)).toContainText(new RegExp(`Call\\s*${call}\\D`));
    }
  });
});
