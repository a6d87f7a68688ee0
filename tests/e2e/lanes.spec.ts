import { expect } from '@playwright/test';
import { area, derived, details, digest, fixture, inkedAt, open, pictured, runCommand, test } from './page.ts';

test.describe('CPUs', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('./?renderer=canvas2d');
    await open(page, fixture('threads.xray'));
    await pictured(page);
  });

  test('have tracks with the threads that ran on them', async ({ page }) => {
    const before = await digest(page);
    await runCommand(page, 'Show a track for each CPU');
    await expect(derived(page)).toHaveCount(4);
    await expect(derived(page)).toContainText(['CPU 0', 'CPU 1', 'CPU 2', 'CPU 3']);
    // Threads 4713 and 4714 came to it from other CPUs, or began there.
    await expect(derived(page).nth(2)).toHaveAttribute('title', /Threads with records on CPU 2: 2\sthreads/);
    expect(await digest(page)).toBe(before);
    await runCommand(page, 'Remove the tracks of CPUs');
    await expect(derived(page)).toHaveCount(0);
  });

  test('lead to the records', { tag: '@pixels' }, async ({ page }) => {
    await runCommand(page, 'Show a track for each CPU');
    await expect.poll(async () => (await inkedAt(page, 10)).length).toBeGreaterThan(0);
    const box = (await area(page).boundingBox())!;
    const [first] = await inkedAt(page, 10);
    await page.mouse.click(box.x + first! * box.width + 1, box.y + 10);
    await expect(details(page)).toContainText('CPU');
    await expect(details(page).locator('dt', { hasText: /^CPU$/ }).locator('+ dd')).toHaveText(/^0/);
  });

  test('of a thread are one step away: in the menu of its track, and in details', async ({ page }) => {
    await page.locator('.track', { hasText: 'thread 4713' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Show the CPUs of the thread' }).click();
    await expect(derived(page)).toHaveCount(1);
    await expect(derived(page)).toContainText('CPUs of thread 4713');
    await expect(derived(page)).toHaveAttribute('title', /2\sCPUs, \d+\smigrations?/);
    await page.getByRole('button', { name: 'Remove CPUs of thread 4713' }).click();
    await expect(derived(page)).toHaveCount(0);
    await page.getByRole('tab', { name: 'Records' }).click();
    await page.locator('#event-3').click();
    await details(page).getByRole('button', { name: 'Keep threads by CPU as tracks' }).click();
    await expect(derived(page)).toHaveCount(4);
  });
});

test.describe('events', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('./?renderer=canvas2d');
    await open(page, fixture('events.xray'));
    await pictured(page);
  });

  test('have a track per type, with the name of the type', async ({ page }) => {
    const before = await digest(page);
    await runCommand(page, 'Show a track for each type of event');
    await expect(derived(page)).toHaveCount(4);
    await expect(derived(page)).toContainText(['custom events', 'typed event 0', 'typed event 1', 'typed event 2']);
    await expect(derived(page).first()).toHaveAttribute('title', /12\sevents/);
    await expect(derived(page).nth(1)).toHaveAttribute('title', /4\sevents\nAll typed events of type 0/);
    expect(await digest(page)).toBe(before);
  });

  test('of one type are kept from the list and from details', async ({ page }) => {
    await page.getByRole('tab', { name: 'Records' }).click();
    await page.getByRole('combobox', { name: 'Filter records' }).fill('arg.type:1');
    const row = page.locator('[id^=event-]').first();
    await expect(row).toContainText('typed-event');
    await row.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Keep all events of its type as a track' }).click();
    await expect(derived(page)).toHaveCount(1);
    await expect(derived(page)).toContainText('typed event 1');
    await row.click();
    await details(page).getByRole('textbox', { name: 'Name of type 1' }).fill('frame');
    await details(page).getByRole('textbox', { name: 'Name of type 1' }).press('Enter');
    await expect(derived(page)).toContainText('frame');
    await page.getByRole('button', { name: 'Remove frame' }).click();
    await expect(derived(page)).toHaveCount(0);
    await details(page).getByRole('button', { name: 'Keep as track' }).click();
    await expect(derived(page)).toHaveCount(1);
  });
});
