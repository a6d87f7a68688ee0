import { expect, type Page } from '@playwright/test';
import { fixture, open, pictured, recording, test } from './page.ts';
import { isBefore, memory, pane, register, stateAt } from './state.ts';

const byte = (page: Page, address: string) => memory(page).getByRole('button', { name: new RegExp(`^${address}: `) });
const results = (page: Page) => page.getByRole('tabpanel', { name: 'Hits' });

test('a range of memory has a history, hits of two colours, and a track', async ({ page }) => {
  await stateAt(page, recording('frames/real-loads-stores.frames'), 7);
  await page.getByRole('textbox', { name: 'Address of memory' }).fill('0x4a72e4');
  await page.keyboard.press('Enter');
  await byte(page, '0x4a72e4').click();
  await page.keyboard.press('Shift+ArrowRight');
  await byte(page, '0x4a72e7').click({ modifiers: ['Shift'] });
  await expect(memory(page).getByText('4 bytes', { exact: true })).toBeVisible();
  await memory(page).getByRole('button', { name: 'All steps that read or write this' }).click();
  const history = pane(page).getByRole('region', { name: 'History of 4 bytes at 0x4a72e4' });
  // 120 reads and 123 writes, counted in the dump.
  await expect(history.getByText(/^243.steps/)).toBeVisible();
  await history.getByRole('button', { name: 'Find all' }).click();
  await page.getByRole('tab', { name: 'Hits' }).click();
  await expect(results(page)).toContainText('243 hits of mem:0x4a72e4..0x4a72e7');
  await expect(
    results(page)
      .getByRole('row', { name: /writes \[0x4a72e4\]: 01 00 00 00/ })
      .first(),
  ).toBeVisible();
  await history.getByRole('button', { name: 'Keep as track' }).click();
  await expect(page.getByRole('button', { name: '[0x4a72e4] +4', exact: true })).toBeVisible();
});

test('the wheel over a selected byte walks through its accesses', async ({ page }) => {
  await stateAt(page, recording('frames/real-loads-stores.frames'), 7);
  // push rbp wrote it, and pop rbp at the end of the function reads it.
  await byte(page, '0x7fffffffe570').hover();
  await page.mouse.wheel(0, -100);
  await isBefore(page, 7);
  await byte(page, '0x7fffffffe570').click();
  await page.mouse.wheel(0, -100);
  await isBefore(page, 4);
  await expect(byte(page, '0x7fffffffe570')).toHaveAttribute('aria-pressed', 'true');
  await byte(page, '0x7fffffffe570').hover();
  await page.mouse.wheel(0, 100);
  await isBefore(page, 17_234);
});

test('details of an instruction lead to where its operands come from', async ({ page }) => {
  await stateAt(page, fixture('frames/calls.frames'), 58);
  await page.getByRole('tab', { name: 'Details', exact: true }).click();
  const follow = page.getByRole('button', { name: 'Where RBX comes from' });
  await follow.focus();
  await page.keyboard.press('Enter');
  const origin = pane(page).getByRole('region', { name: 'Where RBX comes from, before step 58' });
  await expect(origin).toContainText('24 lea edi, [rdi-1]');
  await expect(register(page, 'RBX')).toBeVisible();
});

test('taint is found by its id, and marked in the listing', async ({ page }) => {
  await open(page, fixture('frames/calls.frames'));
  await pictured(page);
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search', exact: true }).fill('taint:*');
  await page.getByRole('tab', { name: 'Hits' }).click();
  await expect(results(page)).toContainText('9 hits of taint:*');
  await results(page).getByRole('row').nth(2).click();
  await page.getByRole('tab', { name: 'Steps' }).click();
  await expect(page.locator('tr.tainted').first()).toContainText('taint');
});

test('coverage is joined with other lists', async ({ page }) => {
  await open(page, fixture('frames/calls.frames'));
  await pictured(page);
  await page.getByRole('tab', { name: 'Coverage' }).click();
  const panel = page.getByRole('tabpanel', { name: 'Coverage' });
  const rows = panel.getByRole('grid', { name: 'Blocks' }).locator('tbody tr[id]');
  await expect(rows.first()).toBeVisible();
  const [total, summary] = [await rows.count(), await panel.locator('.muted').first().textContent()];
  await panel.getByRole('button', { name: 'Keep list' }).click();
  const choice = panel.getByRole('combobox', { name: 'Compare with another list' });
  await expect(choice.getByRole('option')).toHaveText(['Compare with…', 'calls.frames', 'A drcov file…']);
  await choice.selectOption('calls.frames');
  await expect(rows).toHaveCount(0);
  await panel.getByRole('radio', { name: 'In both' }).click();
  await expect(rows).toHaveCount(total);
  await expect(panel.locator('.muted').first()).toHaveText(summary!);
  await panel.getByRole('radio', { name: 'Modules' }).click();
  await expect(rows.first()).toContainText('/home/ada/copy');
  const text = 'DRCOV VERSION: 2\nno modules\n';
  await panel.getByLabel('drcov file').setInputFiles({ name: 'x.drcov', mimeType: '', buffer: Buffer.from(text) });
  await expect(panel.getByRole('alert')).toContainText(
    'This is no drcov file: at byte 28, a module table was expected.',
  );
  await choice.selectOption('');
  await expect(panel.getByRole('alert')).toHaveCount(0);
  // What is chosen already can be chosen again.
  await panel.getByRole('radio', { name: 'Blocks' }).click();
  await expect(rows).toHaveCount(total);
  await panel.getByRole('radio', { name: 'Blocks' }).click();
  await page.getByRole('tab', { name: 'Steps' }).focus();
  await expect(rows).toHaveCount(total);
});
