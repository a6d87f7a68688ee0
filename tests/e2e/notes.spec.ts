import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { area, details, fixture, open, pictured, test } from './page.ts';

const flags = (page: Page) => page.getByRole('group', { name: 'Notes' }).getByRole('button');
const field = (page: Page) => page.getByRole('textbox', { name: 'Text of the note' });
const menu = (page: Page) => page.locator('.notes-popover');
const openMenu = async (page: Page) => {
  await page.locator('.notes-button').click();
  await expect(menu(page)).toBeVisible();
};
const stored = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('unspool:file:')).length);
/** A note on the first call, which is selected by keyboard. */
const noteOnFirst = async (page: Page, text: string) => {
  await pictured(page);
  await expect(area(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('.details-head')).toContainText('#1');
  await page.keyboard.press('m');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
};

test('M puts a note at the selection, and a click on its flag leads back', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await page.keyboard.press('Enter');
  await page.keyboard.press('m');
  // The name of the call is offered as the text.
  await expect(field(page)).toHaveValue('#1');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('begins here');
  await page.keyboard.press('Enter');
  await expect(field(page)).toBeHidden();
  await expect(flags(page)).toHaveText(['begins here']);
  await expect(area(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('complementary', { name: 'Trace' })).toBeVisible();
  await flags(page).first().click();
  await expect(details(page).getByRole('heading').first()).toHaveText('#1');
  await expect(field(page)).toHaveValue('begins here');
  // Escape closes the note, and then clears the selection.
  await page.keyboard.press('Escape');
  await expect(field(page)).toBeHidden();
  await expect(details(page)).toBeVisible();
});

test('a note without a selection is at the pointer', { tag: '@layout' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const box = (await area(page).boundingBox())!;
  await page.mouse.move(box.x + 400, box.y + 5);
  await page.keyboard.press('m');
  await page.keyboard.type('x');
  await page.keyboard.press('Enter');
  const flag = (await flags(page).first().boundingBox())!;
  expect(Math.abs(flag.x - (box.x + 400))).toBeLessThan(3);
});

test('Escape takes back a new note, and what was changed of another', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await noteOnFirst(page, 'stays');
  await flags(page).first().click();
  await field(page).fill('changed');
  await page.getByRole('radio', { name: 'red' }).check();
  await page.keyboard.press('Escape');
  await expect(flags(page)).toHaveText(['stays']);
  await page.keyboard.press('.');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('m');
  await expect(field(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(flags(page)).toHaveCount(1);
});

test('Shift+M keeps a range, which the menu leads to', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await page.keyboard.press('Shift+M');
  // There is neither a range nor a selection.
  await expect(flags(page)).toHaveCount(0);
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('r');
  const range = page.getByRole('navigation', { name: 'Range' });
  const shown = await range.textContent();
  await page.keyboard.press('Shift+M');
  await page.keyboard.type('phase');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(range).toBeHidden();
  await openMenu(page);
  await menu(page)
    .getByRole('button', { name: /^phase/ })
    .click();
  await expect(range).toHaveText(shown!);
});

test('notes come back with the file, and with no other', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await noteOnFirst(page, 'kept');
  await page.reload();
  await open(page, fixture('threads.xray'));
  await expect(flags(page)).toHaveText(['kept']);
  await open(page, fixture('events.xray'));
  await expect(flags(page)).toHaveCount(0);
});

test('notes are exported, and imported by dropping the file', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await noteOnFirst(page, 'shared');
  await openMenu(page);
  const download = page.waitForEvent('download');
  await menu(page).getByRole('button', { name: 'Export' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('threads.xray.notes.json');
  const path = await file.path();
  const text = JSON.parse(readFileSync(path, 'utf8'));
  expect(text).toMatchObject({ unspool: 'notes', version: 1, file: { name: 'threads.xray', size: 10184 } });
  expect(text.notes).toMatchObject([{ at: expect.stringMatching(/^\d+$/), text: 'shared', track: expect.any(Number) }]);
  await menu(page).getByRole('button', { name: 'Delete shared' }).click();
  await expect(flags(page)).toHaveCount(0);
  const choose = async (...names: { name: string; path: string }[]) =>
    page.setInputFiles(
      '#file-input',
      names.map((it) => ({ name: it.name, mimeType: '', buffer: readFileSync(it.path) })),
    );
  await choose({ name: 'threads.xray.notes.json', path });
  await expect(flags(page)).toHaveText(['shared']);
  await expect(page.getByRole('status').filter({ hasText: 'added' })).toContainText('1\u00a0note added.');
  // With a trace, they join that one. It is not the one they were made for.
  await choose({ name: 'n.json', path }, { name: 'events.xray', path: fixture('events.xray') });
  await expect(page.getByRole('heading', { level: 1 })).toContainText('events.xray');
  await expect(page.getByRole('status').filter({ hasText: 'added' })).toContainText('another file, threads.xray');
});

test('notes that come before their trace wait for it', async ({ page }) => {
  const note = { at: '7140220600000', text: 'waits', colour: 'green' };
  const buffer = Buffer.from(JSON.stringify({ unspool: 'notes', version: 1, notes: [note] }));
  await page.setInputFiles('#file-input', { name: 'n.json', mimeType: '', buffer });
  await expect(page.getByRole('status').first()).toContainText('added to the trace that you open next');
  await open(page, fixture('threads.xray'));
  await expect(flags(page)).toHaveText(['waits']);
});

test('what is stored can be deleted, for one file and for all', async ({ page }) => {
  await open(page, fixture('events.xray'));
  await pictured(page);
  await page.keyboard.press('m');
  await page.keyboard.press('Enter');
  await open(page, fixture('threads.xray'));
  await noteOnFirst(page, 'gone soon');
  expect(await stored(page)).toBe(2);
  await openMenu(page);
  await menu(page).getByRole('button', { name: 'Delete all for this file' }).click();
  expect(await stored(page)).toBe(2);
  await menu(page).getByRole('button', { name: 'Really delete?' }).click();
  await expect(flags(page)).toHaveCount(0);
  expect(await stored(page)).toBe(1);
  await menu(page).getByRole('button', { name: 'Delete all for 1\u00a0file' }).click();
  await menu(page).getByRole('button', { name: 'Really delete?' }).click();
  expect(await stored(page)).toBe(0);
});

test('without a storage notes last as long as the page, and the menu says so', { tag: '@storage' }, async ({
  page,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('', 'SecurityError');
      },
    });
  });
  await page.reload();
  await open(page, fixture('threads.xray'));
  await noteOnFirst(page, 'here only');
  await expect(flags(page)).toHaveText(['here only']);
  await openMenu(page);
  await expect(menu(page)).toContainText('notes last until the page is closed');
});

test('notes are usable by keyboard', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await noteOnFirst(page, 'a note');
  await page.locator('.notes-button').press('Enter');
  await expect(menu(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(menu(page)).toBeHidden();
  await expect(page.locator('.notes-button')).toBeFocused();
  // M at the place of a note writes in that one.
  await page.keyboard.press('m');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('other words');
  await page.keyboard.press('Enter');
  await expect(flags(page)).toHaveText(['other words']);
  await expect(page.locator('.notes-button')).toBeFocused();
  await flags(page).first().press('Delete');
  await expect(flags(page)).toHaveCount(0);
  await expect(page.locator('.notes-button')).toBeFocused();
});

test('a step of a program keeps its note', async ({ page }) => {
  await open(page, fixture('frames/calls.frames'));
  await pictured(page);
  await page.keyboard.press('g');
  await page.locator('#find-field').fill('12');
  await page.keyboard.press('Enter');
  await expect(page.locator('.details-head')).toContainText('Step 12');
  await area(page).focus();
  await page.keyboard.press('m');
  await page.keyboard.type('here');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await openMenu(page);
  await expect(menu(page)).toContainText('step\u00a012');
  await menu(page).getByRole('button', { name: /^here/ }).click();
  await expect(page.locator('.details-head')).toContainText('Step 12');
});
