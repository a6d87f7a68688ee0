/*
 * Names of a file that hide what they consist of: each of them is shown with escapes, wherever it is shown, and copied as it is.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';
import { uint } from './apitrace.ts';
import { choose, chosen, details, fixture, header, pictured, settled, showPanel, test } from './page.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

/** A mark that turns the direction of writing, a space without a width, an isolate, and a tag. */
const HIDDEN = '\u{202e}\u{200b}\u{2066}\u{e0001}';
const SHOWN = '\\u{202e}\\u{200b}\\u{2066}\\u{e0001}';

const string = (it: string) => [...uint(Buffer.byteLength(it)), ...Buffer.from(it)];
const number = (it: number) => [4, ...uint(it)];
const text = (it: string) => [7, ...string(it)];

/** Calls of OpenGL as an apitrace of version 3, each of another function. */
function traceOf(calls: readonly (readonly [name: string, args: readonly (readonly number[])[]])[]): Buffer {
  const bytes = calls.flatMap(([name, args], id) => {
    const names = args.flatMap((_, i) => string(`arg${i}`));
    const values = args.flatMap((value, i) => [1, ...uint(i), ...value]);
    return [0, ...uint(id), ...string(name), ...uint(args.length), ...names, ...values, 0, 1, ...uint(id), 0];
  });
  return gzipSync(Uint8Array.from([...uint(3), ...bytes]));
}

/** A texture with a label, in a debug group. */
const labelled = traceOf([
  ['glXMakeCurrent', [number(1), number(2), number(3)]],
  ['glPushDebugGroup', [number(0x824a), number(0), number(4), text(`group${HIDDEN}`)]],
  ['glBindTexture', [number(0xde1), number(5)]],
  ['glObjectLabel', [number(0x1702), number(5), number(4), text(`label${HIDDEN}`)]],
  ['glClear', [number(0x4000)]],
  ['glPopDebugGroup', []],
  ['glXSwapBuffers', [number(1), number(2)]],
]);

/** Texts of the document, shown or said, that have characters without a shape. */
async function hidden(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const pieces = [document.title];
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        if (/^(title|alt|label|placeholder|aria-(label|valuetext))$/.test(name)) pieces.push(value);
      }
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) pieces.push(texts.currentNode.textContent ?? '');
    return pieces.filter((piece) => /[\u200b\u2066\u202e]|\u{e0001}/u.test(piece));
  });
}

/** The bytes of a fixture with names of the same length that hide something. */
function renamed(path: string, names: Readonly<Record<string, string>>): Buffer {
  let bytes = readFileSync(fixture(path)).toString('latin1');
  for (const [name, other] of Object.entries(names)) {
    bytes = bytes.replaceAll(name, Buffer.from(other).toString('latin1'));
  }
  return Buffer.from(bytes, 'latin1');
}

test('names of a file, of markers and of objects, and texts of arguments, have escapes', async ({ page }) => {
  await choose(page, chosen(`file${HIDDEN}.trace`, labelled));
  await settled(page, 'ready', `file${SHOWN}.trace`);
  await pictured(page);
  expect(await page.title()).toContain(`file${SHOWN}.trace`);
  await expect(header(page).getByTitle(`file${SHOWN}.trace`)).toBeVisible();
  await showPanel(page, 'Resources');
  await expect(page.getByRole('tabpanel')).toContainText(`label${SHOWN}`);
  expect(await hidden(page)).toEqual([]);
  await showPanel(page, 'Calls');
  await page.getByRole('row').filter({ hasText: 'glObjectLabel' }).first().click();
  await expect(details(page)).toContainText(`label${SHOWN}`);
  expect(await hidden(page)).toEqual([]);
});

test('names of tracks and cells of results have escapes, and rows are copied as they are', async ({ page }) => {
  await choose(page, chosen('named.trace', renamed('trace_db/variables.trace', { key: '\u{202e}' })));
  await settled(page, 'ready', 'named.trace');
  await pictured(page);
  await expect(page.locator('.track').getByText('\\u{202e}').first()).toBeVisible();
  await showPanel(page, 'SQL');
  await page.getByRole('textbox', { name: 'SQL query' }).press('Control+a');
  await page.keyboard.insertText("select 'x' || char(8238) || 'y' as one");
  await page.keyboard.press('Control+Enter');
  const cell = page.getByRole('region', { name: 'Rows' }).getByText('x\\u{202e}y');
  await cell.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy the row' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('x\u{202e}y');
  expect(await hidden(page)).toEqual([]);
});

test('payloads of events have escapes', async ({ page }) => {
  await choose(page, chosen('named.xray', renamed('events.xray', { 'GET ': '\u{202e}T' })));
  await settled(page, 'ready', 'named.xray');
  await showPanel(page, 'Records');
  await expect(page.getByRole('row').filter({ hasText: '\\u{202e}T/item' }).first()).toBeVisible();
  expect(await hidden(page)).toEqual([]);
});
