import { expect, type Page } from '@playwright/test';
import { clickAt, details, fixture, header, open, pictured, test } from './page.ts';

const problems = (page: Page) => page.getByRole('button', { name: /problem/ });

test.describe('instructions', () => {
  test('appear as calls of their threads, with the values that each call read and wrote', async ({ page }) => {
    await open(page, fixture('frames/calls.frames'));
    await pictured(page);
    await expect(header(page)).toContainText('120 frames');
    await expect(page.locator('.track-name b')).toContainText(['recording', 'modules', 'thread 1', 'taint']);
    await clickAt(page, 'thread 1', 60, 120, 28);
    await expect(details(page)).toContainText('call 0x401020');
    await expect(details(page)).toContainText(/Written\s*RSP/);
  });

  test('keep 64-bit numbers exact', async ({ page }) => {
    await open(page, fixture('frames/streamed.frames'));
    await pictured(page);
    const frames = Number(/(\d+)\sframes/.exec((await header(page).textContent()) ?? '')?.[1]);
    await clickAt(page, 'thread 1', frames - 1, frames, 9);
    await expect(details(page)).toContainText('0xffffffffffffffff');
  });

  test('are shown up to the break of a broken file', async ({ page }) => {
    await open(page, fixture('frames/cut.frames'));
    await pictured(page);
    await problems(page).click();
    await expect(page.getByRole('dialog')).toContainText('the file ends too early');
  });
});

test.describe('variables', () => {
  test('are graphs over points, below their files', async ({ page }) => {
    await open(page, fixture('trace_db/variables.trace'));
    await pictured(page);
    await expect(page.locator('.track', { hasText: 'statements' }).first()).toBeVisible();
    await expect(page.locator('.track', { hasText: 'mean' }).first()).toContainText('double');
    const points = Number(/([\d,]+)\spoints/.exec((await header(page).textContent()) ?? '')?.[1]?.replace(',', ''));
    await clickAt(page, 'statements', 0, points, 9);
    await expect(details(page)).toContainText('Variables');
  });

  test('keep 64-bit numbers exact', { tag: '@pointer' }, async ({ page }) => {
    await open(page, fixture('trace_db/values.trace'));
    await pictured(page);
    await clickAt(page, 'statements', 0, 5, 9);
    await expect(details(page)).toContainText(/18,446,744,073,709,551,615|18446744073709551615/);
  });

  test('are shown up to the break of a broken file', async ({ page }) => {
    await open(page, fixture('trace_db/cut.trace'));
    await pictured(page);
    await problems(page).click();
    await expect(page.getByRole('dialog')).toContainText(/the last point is not complete|the file ends too early/);
  });
});

test('an apitrace keeps 64-bit numbers exact', async ({ page }) => {
  await open(page, fixture('values.trace'));
  await pictured(page);
  await clickAt(page, 'thread 0', 3.5, 30, 11);
  await expect(details(page)).toContainText(/18,446,744,073,709,551,615|18446744073709551615/);
});

test('an XRay log keeps 64-bit arguments exact', async ({ page }) => {
  await page.evaluate((metadata) => {
    // One buffer: its length, thread, time, process and CPU, then a call with an argument.
    const record = (kind: number, ...data: number[]) => [...[kind, ...data], ...new Array(15 - data.length).fill(0)];
    const body = [
      ...record(0x01, 7),
      ...record(0x09),
      ...record(0x13, 7),
      ...record(0x05, 0, 0, 100),
      ...[0x16, 0, 0, 0, 0, 0, 0, 0],
      ...record(0x0d, ...new Array(8).fill(0xff)),
      ...[0x12, 0, 0, 0, 50, 0, 0, 0],
    ];
    const header = [5, 0, 1, 0, 3, 0, 0, 0, 0, 0xca, 0x9a, 0x3b, ...new Array(20).fill(0)];
    const bytes = Uint8Array.from([...header, ...record(metadata, body.length), ...body]);
    window.postMessage({ type: 'unspool:open', name: 'argument.xray', buffer: bytes.buffer });
  }, 0x0f);
  await pictured(page);
  await clickAt(page, 'thread 7', 0.5, 1, 11);
  await expect(details(page)).toContainText('0xffffffffffffffff');
});
