import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { fixture, open, pictured, plain, recording, stay, test, typeGoTo } from './page.ts';
import { goTo, isBefore, memory, pane, register, stateAt } from './state.ts';

test('registers and memory before a step, and what it writes', async ({ page }) => {
  await stateAt(page, fixture('frames/calls.frames'), 11);
  await expect(register(page, 'RDI')).toHaveText(/0x0000000000000005$/);
  await expect(register(page, 'RBX')).toHaveText(/0x0000000000000000.*→ 0x0000000000000005$/);
  await expect(memory(page)).toContainText('This step accesses no memory.');
  // The step before pushed RBX.
  await memory(page).getByRole('button', { name: 'Stack' }).click();
  const first = memory(page).locator('.state-line').first();
  await expect(first).toContainText('7fffffffdfd8');
  expect(plain(await first.innerText())).toContain('0000000000000000');
  await goTo(page, 10);
  await memory(page).getByRole('button', { name: 'This step' }).click();
  await expect(memory(page)).toContainText('writes 00 00 00 00 00 00 00 00 at 0x7fffffffdfd8');
  // Bytes that no step has accessed are not 0.
  await expect(memory(page).getByRole('button', { name: '0x7fffffffdfd8: unknown' })).toHaveText('??');
});

test('a step leads to the ones that read and write a register', async ({ page }) => {
  await stateAt(page, fixture('frames/calls.frames'), 11);
  await register(page, 'RDI').click();
  await expect(pane(page).getByText('Decimal')).toBeVisible();
  await pane(page).getByRole('button', { name: 'Previous step that writes this' }).click();
  await isBefore(page, 6);
  await pane(page).getByRole('button', { name: 'Next step that reads this' }).click();
  await isBefore(page, 11);
  await pane(page).getByRole('button', { name: 'All steps that read or write this' }).click();
  const history = pane(page).getByRole('region', { name: 'History of RDI' });
  await expect(history.getByRole('listitem').first()).toHaveText(/reads|writes/);
  await history.getByRole('button', { name: /^6 ?writes/ }).click();
  await isBefore(page, 6);
  // The instruction of the function that calls itself is executed several times.
  await goTo(page, 11);
  await pane(page).getByRole('button', { name: 'Next execution of this address' }).click();
  await expect(pane(page).getByText(/execution 2 of/)).toBeVisible();
  await pane(page).getByRole('button', { name: 'Previous execution of this address' }).click();
  await isBefore(page, 11);
});

test('where a value comes from, and what uses it', async ({ page }) => {
  await stateAt(page, fixture('frames/calls.frames'), 60);
  await register(page, 'RAX').click();
  await pane(page).getByRole('button', { name: 'Where this value comes from' }).click();
  const origin = pane(page).getByRole('region', { name: 'Where RAX comes from, before step 60' });
  await expect(origin).toContainText('58 imul eax, ebx');
  // The second factor was copied to the stack and back.
  await expect(origin).toContainText('RBX = 0x0000000000000003');
  await expect(origin).toContainText('RDI 24 lea edi, [rdi-1] after 3 copies');
  await origin.getByRole('button', { name: 'Open: RAX' }).click();
  await expect(origin).toContainText('48 mov eax, 1 · constant');
  await origin.getByRole('button', { name: 'Go to step 24' }).click();
  await isBefore(page, 24);
  // It stays, so that the user can go to its other steps.
  await expect(origin).toBeVisible();
  await register(page, 'RDI').click();
  await pane(page).getByRole('button', { name: 'Steps that use this value' }).click();
  const uses = pane(page).getByRole('region', { name: 'Uses of RDI, from step 24 on' });
  await expect(uses).toContainText('24 lea edi, [rdi-1]');
  await expect(uses).toContainText('Overwritten at step 24.');
  await uses.getByRole('button', { name: 'Open: What step 24 writes' }).click();
  await expect(uses).toContainText('RDI = 0x0000000000000003');
  await expect(uses).toContainText('29 mov ebx, edi');
  await uses.getByRole('button', { name: 'Close the uses' }).click();
  await expect(uses).toHaveCount(0);
});

test('accesses of a register and executions become hits and tracks', async ({ page }) => {
  await stateAt(page, fixture('frames/calls.frames'), 11);
  await register(page, 'RBX').click();
  await pane(page).getByRole('button', { name: 'All steps that read or write this' }).click();
  const history = pane(page).getByRole('region', { name: 'History of RBX' });
  // One of the steps is a key frame, the others are instructions. All of them are hits.
  await expect(history.getByText(/^20.steps$/)).toBeVisible();
  await history.getByRole('button', { name: 'Find all' }).click();
  await page.getByRole('tab', { name: 'Hits' }).click();
  const results = page.getByRole('tabpanel', { name: 'Hits' });
  await expect(results).toContainText('20 hits of reg.RBX:*');
  await history.getByRole('button', { name: 'Keep as track' }).click();
  await expect(page.getByRole('button', { name: 'RBX written', exact: true })).toBeVisible();
  await pane(page).getByRole('button', { name: 'Find all executions of this address' }).click();
  await expect(results).toContainText('5 hits of addr:0x401065');
});

test('nothing is indexed before the state is shown, and other formats have none', async ({ page }) => {
  const indexers = () => page.workers().filter((worker) => worker.url().endsWith('#steps'));
  await open(page, fixture('frames/calls.frames'));
  await pictured(page);
  expect(indexers()).toHaveLength(0);
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  await expect(pane(page)).toContainText('Select a frame or a call');
  await expect.poll(() => indexers().length).toBe(1);
  // Arrow keys lead from tab to tab.
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('tab', { name: 'Details' })).toBeFocused();
  await open(page, fixture('threads.xray'));
  await expect(page.getByRole('tab', { name: 'State', exact: true })).toHaveCount(0);
  await expect.poll(() => indexers().length).toBe(0);
});

test('every operand of a recorded program', async ({ page }) => {
  await stateAt(page, recording('frames/real-loads-stores.frames'), 7);
  await expect(register(page, 'RSP')).toHaveText(/0x00007fffffffe550$/);
  await expect(memory(page)).toContainText('writes 00 00 00 00 at 0x7fffffffe55c');
  const pushed = memory(page).locator('.state-line', { hasText: '7fffffffe568' });
  expect(plain(await pushed.innerText())).toContain('58e7ffffff7f0000');
  await register(page, 'RSP').click();
  await pane(page).getByRole('button', { name: 'All steps that read or write this' }).click();
  await expect(pane(page).getByText(/^3,694.steps, 1 to 60 shown$/)).toBeVisible();
  // push rbp wrote it, and pop rbp at the end of the function reads it.
  await memory(page).getByRole('button', { name: '0x7fffffffe570: f0, written at step 4' }).click();
  await memory(page).getByRole('button', { name: 'Previous step that writes this' }).click();
  await isBefore(page, 4);
});

test('all registers in each frame of a recorded program', async ({ page }) => {
  await stateAt(page, recording('frames/real-x86_64-gcd.frames'), 20_000);
  await expect(register(page, 'RAX')).toHaveText(/0x00007fffffffefc4/);
  await expect(register(page, 'R15')).toHaveText(/0xffffffffffb5d5a8$/);
  // The trace lists all registers with each instruction; the disassembler knows which ones that reads.
  await register(page, 'RAX').click();
  await pane(page).getByRole('button', { name: 'Where this value comes from' }).click();
  const origin = pane(page).getByRole('region', { name: /^Where RAX comes from/ });
  await expect(origin.getByRole('button', { name: /^Go to step/ }).first()).toBeVisible();
  await register(page, 'RAX').click();
  await register(page, 'R15').click();
  await pane(page).getByRole('button', { name: 'Previous step that writes this' }).click();
  await isBefore(page, 485);
});

test('what a trace executes, the hottest first, and for other programs', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, fixture('frames/calls.frames'));
  await pictured(page);
  await page.getByRole('tab', { name: 'Coverage' }).click();
  const panel = page.getByRole('tabpanel', { name: 'Coverage' });
  await expect(panel.getByText(/^10.blocks, 46.instructions, 143.bytes$/)).toBeVisible();
  const rows = panel.locator('tbody tr:not(.spacer)');
  await expect(rows.first()).toHaveText('50x401060177');
  await rows.first().click();
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  await expect(pane(page).getByText(/execution 1 of/)).toBeVisible();
  const saving = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'Save as drcov' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('calls.frames.drcov');
  const text = readFileSync(await saved.path(), 'latin1');
  expect(text.startsWith('DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\nModule Table: version 2, count 1\n')).toBe(true);
  expect(text).toContain(', /home/ada/copy\nBB Table: ');
});

test('the name of an operand leads to the steps that read or write it, and Back', async ({ page }) => {
  await stateAt(page, recording('frames/real-loads-stores.frames'), 2400);
  await page.getByRole('tab', { name: 'Details', exact: true }).click();
  await stay(page);
  await page
    .getByRole('complementary', { name: 'Details' })
    .getByRole('button', { name: '[0x4a7310]', exact: true })
    .click();
  const history = pane(page).getByRole('region', { name: /^History of 4.bytes at 0x4a7310/ });
  await expect(history.getByRole('button', { name: /2,400\s*writes/ })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Details', exact: true })).toHaveAttribute('aria-selected', 'true');
});

test('a folded loop leads to its executions', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, recording('frames/real-loads-stores.frames'));
  await page.getByRole('tab', { name: 'Steps', exact: true }).click();
  await page.getByRole('button', { name: 'Fold loops' }).click();
  await expect(page.getByText(/^\d+.loops/)).toBeVisible();
  await typeGoTo(page, 21);
  await page.locator('.events .fold-executions').first().click();
  await expect(page.getByRole('tab', { name: 'Hits' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('combobox', { name: 'Search', exact: true })).toHaveValue(/^addr:0x/);
  await expect(page.locator('.find-count')).toHaveText(/\d+ hits/);
});
