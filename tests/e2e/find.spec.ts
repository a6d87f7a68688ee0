import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { area, details, fixture, open, pictured, plain, recording, showPanel, test } from './page.ts';

interface Case {
  readonly file: string;
  readonly expression: string;
  /** Absolute positions. */
  readonly hits: readonly number[];
}

/** The answers that the native command gives (`crate/cli/tests/find.rs`). */
const CASES = JSON.parse(readFileSync(join(import.meta.dirname, '../find.json'), 'utf8')) as readonly Case[];

const field = (page: Page) => page.getByRole('combobox', { name: 'Search', exact: true });
const count = (page: Page) => page.locator('.find-count');
const hitRows = (page: Page) => page.locator('.results tbody tr:not(.spacer)');

async function find(page: Page, expression: string): Promise<void> {
  await page.keyboard.press('Control+f');
  await field(page).fill(expression);
}

async function show(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, path);
  await pictured(page);
}

test.describe('expressions with known answers', () => {
  for (const file of [...new Set(CASES.map((one) => one.file))]) {
    test(`have the hits of the native command: ${file}`, async ({ page }) => {
      await show(page, fixture(file));
      for (const { expression, hits } of CASES.filter((one) => one.file === file)) {
        await find(page, expression);
        const noun = hits.length === 1 ? 'hit' : 'hits';
        await expect(count(page), expression).toHaveText(`${hits.length.toLocaleString('en-US')} ${noun}`);
      }
    });
  }
});

test('all hits are listed, selected in turn, and marked', async ({ page }) => {
  await show(page, fixture('scene.trace'));
  await find(page, 'arg.mode:GL_TRIANGLES arg.count:108');
  await expect(count(page)).toHaveText('24 hits');
  await field(page).press('Enter');
  await expect(count(page)).toHaveText('1 of 24');
  await expect(details(page)).toContainText('glDrawElements');
  await field(page).press('Enter');
  await field(page).press('Shift+Enter');
  await field(page).press('Shift+Enter');
  await expect(count(page)).toHaveText('24 of 24');
  await area(page).focus();
  await page.keyboard.press('F3');
  await expect(count(page)).toHaveText('1 of 24');
  await page.keyboard.press('n');
  await expect(count(page)).toHaveText('2 of 24');
  await page.keyboard.press('Shift+N');
  await expect(count(page)).toHaveText('1 of 24');
  await page.getByRole('button', { name: 'All hits' }).click();
  await expect(hitRows(page).first()).toContainText('glDrawElements');
  expect(plain(await hitRows(page).first().innerText())).toContain('mode: GL_TRIANGLES, count: 108');
  await hitRows(page).nth(2).click();
  await expect(count(page)).toHaveText('3 of 24');
});

test('a head of the hits stands over its column', { tag: '@layout' }, async ({ page }) => {
  await show(page, fixture('scene.trace'));
  await find(page, 'arg.mode:GL_TRIANGLES arg.count:108');
  await page.getByRole('button', { name: 'All hits' }).click();
  const left = async (text: string, of: string) =>
    page
      .locator(`.results ${of}`)
      .getByText(text, { exact: true })
      .first()
      .evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().left;
      });
  expect(Math.abs((await left('Thread', 'th button')) - (await left('thread 0', 'td')))).toBeLessThan(2);
});

test('bytes that steps write one at a time have no hit, and the list says why', async ({ page }) => {
  await show(page, fixture('frames/calls.frames'));
  await find(page, 'bytes:ab cd ef 01 02');
  await expect(count(page)).toHaveText('0 hits');
  await showPanel(page, 'Hits');
  await expect(page.locator('.results')).toContainText('Each step is searched by itself');
});

test('hits are put in another order', async ({ page }) => {
  await show(page, fixture('threads.xray'));
  await find(page, 'name:#3 dur>2us');
  await page.getByRole('button', { name: 'All hits' }).click();
  await page.getByRole('button', { name: 'Duration' }).click();
  await expect(page.getByRole('columnheader', { name: 'Duration' })).toHaveAttribute('aria-sort', 'descending');
  await expect(hitRows(page).first()).toContainText('µs');
  const lengths = (await hitRows(page).allInnerTexts()).map((text) => Number(/([\d.]+) µs$/.exec(plain(text))?.[1]));
  expect(lengths.length).toBeGreaterThan(3);
  expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
  // The keyboard goes along that order.
  await hitRows(page).first().click();
  await expect(hitRows(page).first()).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('grid', { name: 'Hits' }).press('ArrowDown');
  await page.getByRole('grid', { name: 'Hits' }).press('ArrowDown');
  await expect(hitRows(page).nth(2)).toHaveAttribute('aria-selected', 'true');
  await expect(hitRows(page).first()).toHaveAttribute('aria-selected', 'false');
});

test('words are found as they are on the screen', async ({ page }) => {
  await show(page, fixture('frames/calls.frames'));
  await expect(field(page)).toHaveAttribute('placeholder', /xor esi/);
  await find(page, 'mov eax');
  await expect(page.getByRole('option').first()).toHaveText(/^Find.*Records that match “mov eax”/);
  await expect(count(page)).toHaveText(/^[1-9]\d* hits?$/);
  await field(page).press('Enter');
  await expect(details(page)).toContainText('mov eax');
});

test('what finds nothing proposes what would have worked', async ({ page }) => {
  await show(page, fixture('scene.trace'));
  await find(page, 'name:glDrawElement');
  await expect(count(page)).toHaveText('0 hits');
  await page.getByRole('option', { name: 'name:*glDrawElement*' }).click();
  await expect(field(page)).toHaveValue('name:*glDrawElement* ');
  await expect(count(page)).toHaveText(/^[1-9]/);
  // Keys of other formats are not named.
  await find(page, 'foo<1');
  const note = page.locator('.find .expression-note');
  await expect(note).toContainText('Unknown key foo. Keys: name, thread, start, depth, frame, flag, arg.…, ret, text');
  await expect(note).not.toContainText('insn');
  await find(page, 'call 23');
  await field(page).press('Enter');
  await expect(details(page)).toContainText(/Call\s*23\D/);
});

test('examples in empty fields are never cut', { tag: '@layout' }, async ({ page }) => {
  await show(page, fixture('frames/calls.frames'));
  await page.setViewportSize({ width: 1180, height: 800 });
  await page.getByRole('tab', { name: 'Steps' }).click();
  for (const id of ['find-field', 'events-filter']) {
    const room = await page.locator(`#${id}`).evaluate((it: HTMLInputElement) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(it);
      const pen = document.createElement('canvas').getContext('2d')!;
      pen.font = font;
      const padding = Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight);
      return it.clientWidth - padding - pen.measureText(it.placeholder).width;
    });
    expect(room, id).toBeGreaterThanOrEqual(0);
  }
});

test('a wrong expression is explained at its place', async ({ page }) => {
  await show(page, fixture('threads.xray'));
  await find(page, 'name:main dur>1mz');
  await expect(page.locator('.expression-note')).toContainText('Expected a length, such as 1.5ms, 200us or 1000.');
  await expect(page.locator('.expression-wrong mark')).toHaveText('1mz');
  await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
});

test('keys and names are completed by keyboard', async ({ page }) => {
  await show(page, fixture('scene.trace'));
  await page.keyboard.press('/');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('nam');
  await expect(page.getByRole('option').nth(1)).toContainText('name:');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(field(page)).toHaveValue('name:');
  await page.keyboard.type('glDrawEl');
  await expect(page.getByRole('option').nth(1)).toContainText('glDrawElements');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await expect(field(page)).toHaveValue('name:glDrawElements ');
  await expect(count(page)).toContainText('hits');
  await page.keyboard.press('Escape');
  await expect(field(page)).toHaveValue('');
  await expect(area(page)).toBeFocused();
  await expect(page.getByRole('tab', { name: 'Hits' })).toBeHidden();
});

test('a value in the details is found everywhere', async ({ page }) => {
  await show(page, fixture('scene.trace'));
  await find(page, 'name:glDrawElements arg.count:108');
  await field(page).press('Enter');
  await expect(details(page)).toContainText('108');
  await details(page).getByText('108', { exact: true }).hover();
  await details(page)
    .getByRole('button', { name: 'Find all with this value: name:glDrawElements arg.count:108' })
    .click();
  await expect(field(page)).toHaveValue('name:glDrawElements arg.count:108');
  await details(page).getByRole('button', { name: 'Find all', exact: true }).click();
  await expect(field(page)).toHaveValue('name:glDrawElements');
  await expect(count(page)).toContainText(/of \d+|hits/);
});

test('hits are kept as a track, and saved', async ({ page }) => {
  await show(page, fixture('scene.trace'));
  await find(page, 'arg.mode:GL_TRIANGLES arg.count:108');
  await expect(count(page)).toHaveText('24 hits');
  await page.getByRole('button', { name: 'All hits' }).click();
  await page.locator('.results').getByRole('button', { name: 'Keep as track' }).click();
  await expect(page.locator('.results').getByRole('button', { name: 'Kept as track' })).toBeVisible();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Copy or save the table' }).click();
  await page.getByRole('menuitem', { name: 'Save as CSV' }).click();
  const saved = readFileSync(await (await saving).path(), 'utf8').split('\r\n');
  expect(saved[0]).toBe('Position,Thread,Name,Match');
  expect(saved).toHaveLength(26);
  expect(saved[1]).toContain('glDrawElements');
});

test.describe('recorded traces', () => {
  test('answer what their text says', async ({ page }) => {
    const path = recording('apitrace/recorded/glmark2_medium.trace');
    await show(page, path);
    for (const [expression, hits] of [
      ['text:"gl_Position"', '14 hits'],
      ['name:glBindTexture arg.texture:1', '2,994 hits'],
      ['name:glShaderSource', '28 hits'],
    ] as const) {
      await find(page, expression);
      await expect(count(page)).toHaveText(hits, { timeout: 20_000 });
    }
    // All of them are seen at once, and walked through.
    await page.getByRole('button', { name: 'All hits' }).click();
    await expect(page.getByRole('grid', { name: 'Hits' })).toHaveAttribute('aria-rowcount', '29');
    await field(page).press('Shift+Enter');
    await expect(count(page)).toHaveText('28 of 28');
    await expect(details(page)).toContainText('glShaderSource');
  });

  test('an address finds all its runs', { tag: '@worker' }, async ({ page }) => {
    const path = recording('rvn/medium.sqlite');
    await show(page, path);
    // As many as the database has executions of this block.
    await find(page, 'addr:0xfffff80312010bf0');
    await expect(count(page)).toHaveText('421 hits', { timeout: 60_000 });
  });

  test('Go to leads to the very step', async ({ page }) => {
    const path = recording('frames/real-x86_64-gcd.frames');
    await show(page, path);
    await page.keyboard.press('g');
    await page.keyboard.type('20000');
    await page.keyboard.press('Enter');
    await expect(details(page)).toContainText('0x43bb60');
    await expect(details(page)).toContainText('movzx');
    await expect(details(page)).toContainText('RBX');
    await expect(details(page)).toContainText('0x4a32a8');
  });
});

test('a search without a hit proposes the near spelling', async ({ page }) => {
  await show(page, fixture('scene.trace'));
  await find(page, 'glDrawElemnts');
  const near = page.getByRole('option', { name: /A near spelling/ }).first();
  await expect(near).toContainText('glDrawElements');
  await near.click();
  await expect(count(page)).toHaveText(/[1-9]\d* hits/);
});

test('what is typed before the code of the search is there is kept', { tag: '@network' }, async ({ page }) => {
  let load: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    void page.route(/search_box-.*\.js$/, async (route) => {
      const gate = new Promise<void>((go) => {
        load = go;
      });
      resolve();
      await gate;
      await route.continue();
    });
  });
  await page.reload();
  await isAsked;
  await page.keyboard.press('Control+k');
  const early = page.getByRole('textbox', { name: 'Search', exact: true });
  await expect(early).toBeFocused();
  await page.keyboard.type('help');
  load();
  const commands = page.getByRole('combobox', { name: 'Search commands' });
  await expect(commands).toHaveValue('help');
  await expect(commands).toBeFocused();
  await page.keyboard.type(' and');
  await expect(commands).toHaveValue('help and');
  await expect(page.getByRole('option').first()).toContainText('Show help and keys');
});
