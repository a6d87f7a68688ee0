import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';
import { text, uint } from './apitrace.ts';
import { choose, chosen, fixture, settled, test } from './page.ts';

const BEFORE = readFileSync(fixture('threads.xray'));
const AFTER = readFileSync(fixture('events.xray'));

const panel = (page: Page) => page.locator('.differences');
const list = (page: Page) => panel(page).getByRole('grid', { name: 'Differences between records' });
const beside = (page: Page) => panel(page).getByRole('grid', { name: 'Records of A and B' });
const sentence = (page: Page) => panel(page).locator('.difference-sentence');

/** Opens two traces together, and compares their records. */
async function compare(page: Page, before: Buffer, after: Buffer, type: string): Promise<void> {
  await choose(page, chosen(`before.${type}`, before), chosen(`after.${type}`, after));
  await settled(page, 'ready', `before.${type}`);
  await page.getByRole('tab', { name: 'Differences' }).click();
  await panel(page).getByRole('radio', { name: 'Records' }).click();
  await expect(list(page)).toBeVisible();
}

test('records of both stand beside each other, with gaps, and scroll together', async ({ page }) => {
  await compare(page, BEFORE, AFTER, 'xray');
  // The first thread is in one of the traces only.
  await list(page).getByRole('row').nth(2).click();
  await page.keyboard.press('Enter');
  await expect(beside(page)).toBeVisible();
  const first = beside(page).locator('tr.beside-differs').first();
  await expect(first).toContainText('function-enter');
  const alone = beside(page)
    .locator('tr.beside-differs')
    .filter({ has: page.locator('.beside-gap') });
  await expect(alone.first().locator('.beside-gap')).toHaveCount(2);
  // A row is selected in the trace that has it.
  await first.click();
  await expect(page.locator('.details')).toContainText('Function id');
  await beside(page).focus();
  await page.keyboard.press('End');
  const last = beside(page).locator('tbody tr[aria-selected="true"]');
  await expect(last).not.toContainText('…');
  const [count, number] = await Promise.all([
    beside(page).getAttribute('aria-rowcount'),
    last.getAttribute('aria-rowindex'),
  ]);
  expect(number).toBe(count);
});

/** The log with another value in the second argument of a call. */
function argued(): Buffer {
  const after = Buffer.from(BEFORE);
  const argument = BEFORE.indexOf(Buffer.from([0x40, 0x1a, 0x8c, 0x5e, 0xfd, 0x7f]));
  after[argument] = 0x48;
  return after;
}

test('a value that differs is underlined in both', async ({ page }) => {
  await compare(page, BEFORE, argued(), 'xray');
  await expect(list(page).getByRole('row').nth(1)).toContainText('1 record with other contents');
  await list(page).getByRole('row').nth(1).click();
  await page.keyboard.press('Enter');
  await expect(beside(page).locator('mark[data-side="a"]').first()).toContainText('1a40');
  await expect(beside(page).locator('mark[data-side="b"]').first()).toContainText('1a48');
});

/** A compressed apitrace of two threads that call in turns, a function each. `value`: of the argument of a call. */
function called(calls: number, value: (call: number) => number): Buffer {
  const bytes = uint(5);
  for (let i = 0; i < calls; i += 1) {
    const thread = i % 2;
    const signature = i < 2 ? [...text(['even', 'odd'][thread]!), 1, ...text('n')] : [];
    bytes.push(0, thread, thread, ...signature, 1, 0, 4, ...uint(value(i)), 0, 1, ...uint(i), 0);
  }
  return gzipSync(Buffer.from(bytes));
}

test('records of several threads in one file are those of their threads', { tag: '@worker' }, async ({ page }) => {
  const calls = 400_000;
  const isOther = (i: number) => i % 50_001 === 50_000;
  const before = called(calls, (i) => i);
  await compare(
    page,
    before,
    called(calls, (i) => (isOther(i) ? i + 1_000_000 : i)),
    'trace',
  );
  const others = Array.from({ length: calls }, (_, i) => i).filter(isOther);
  const rows = list(page).getByRole('row').filter({ hasText: 'n = ' });
  await expect(rows).toHaveCount(others.length);
  // Thread by thread.
  const inOrder = [...others.filter((i) => i % 2 === 0), ...others.filter((i) => i % 2 === 1)];
  for (const [at, i] of inOrder.entries()) {
    const name = ['even', 'odd'][i % 2];
    await expect(rows.nth(at)).toHaveText(
      new RegExp(`A\\s*${name}\\s*n = ${i}\\s*B\\s*${name}\\s*n = ${i + 1_000_000}$`),
    );
  }
});

test('keys go from difference to difference wherever the focus is', async ({ page }) => {
  await compare(page, BEFORE, AFTER, 'xray');
  await page.getByRole('tab', { name: 'Functions', exact: true }).click();
  await page.locator('.side .area, .area').first().focus();
  await page.keyboard.press('n');
  await expect(page.locator('.details')).not.toContainText('Start here');
  await page.getByRole('tab', { name: 'Differences' }).click();
  await panel(page).getByRole('radio', { name: 'Records' }).click();
  await expect(list(page).locator('tr[aria-selected="true"]')).toHaveAttribute('aria-rowindex', '2');
  await page.locator('.side .area, .area').first().focus();
  await page.keyboard.press('n');
  await expect(list(page).locator('tr[aria-selected="true"]')).toHaveAttribute('aria-rowindex', '3');
  await page.keyboard.press('Shift+N');
  await expect(list(page).locator('tr[aria-selected="true"]')).toHaveAttribute('aria-rowindex', '2');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Go to the next or previous difference');
});

test('differences are in order, or the largest first', async ({ page }) => {
  await compare(page, BEFORE, AFTER, 'xray');
  const second = list(page).getByRole('row').nth(2);
  const before = await second.innerText();
  await panel(page).getByRole('combobox', { name: 'Order of differences' }).selectOption('size');
  await expect.poll(() => second.innerText()).not.toBe(before);
  await list(page).focus();
  await page.keyboard.press('n');
  await expect(list(page).locator('tr[aria-selected="true"]')).toHaveAttribute('aria-rowindex', '2');
});

/** How many pixels of a canvas have one of the colours of both sides. */
const marked = (page: Page, nth: number) =>
  page
    .locator('.overview canvas')
    .nth(nth)
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        const colour = (data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!;
        if (colour === 0x1f6fb2 || colour === 0xb45309) count += 1;
      }
      return count;
    });

test('both overviews have marks of the differences', { tag: '@pixels' }, async ({ page }) => {
  await choose(page, chosen('before.xray', BEFORE), chosen('after.xray', AFTER));
  await settled(page, 'ready', 'before.xray');
  expect([await marked(page, 0), await marked(page, 1)]).toEqual([0, 0]);
  await page.getByRole('tab', { name: 'Differences' }).click();
  await panel(page).getByRole('radio', { name: 'Records' }).click();
  await expect(list(page)).toBeVisible();
  await expect.poll(() => marked(page, 0)).toBeGreaterThan(0);
  await expect.poll(() => marked(page, 1)).toBeGreaterThan(0);
});

test('what rules name is ignored', async ({ page }) => {
  await compare(page, BEFORE, AFTER, 'xray');
  await panel(page).getByRole('button', { name: 'Ignore…' }).click();
  await panel(page).getByRole('textbox', { name: 'Functions' }).fill('*');
  await page.keyboard.press('Enter');
  await panel(page).getByRole('textbox', { name: 'Threads' }).fill('thread 4713, thread 4714');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(panel(page).getByRole('button', { name: 'Ignored: *, thread 4713, thread 4714' })).toBeVisible();
  await expect(panel(page)).toContainText(/Each record of A is in B/);
  await expect(panel(page)).toContainText(/[\d,]+ \+ \d+\srecords, 2 \+ 0\sthreads left out/);
});

/** A trace of instructions, and the same with a jump that leads elsewhere: its instruction and the address of the next step differ. */
function parted(): readonly [Buffer, Buffer] {
  const before = readFileSync(fixture('frames/calls.frames'));
  const after = Buffer.from(before);
  const jump = before.indexOf(Buffer.from([0x7e, 0x0b]));
  after[jump + 1] = 0x0c;
  // The address of the next step, 0x401071, is a number of seven bits a byte.
  const address = before.indexOf(Buffer.from([0xf1, 0xa0, 0x80, 0x02]), jump);
  after[address] = 0xf2;
  return [before, after];
}

test('Why? leads from where the paths part to the cause, and each step is selected in both', async ({ page }) => {
  await compare(page, ...parted(), 'frames');
  await panel(page).getByRole('radio', { name: 'Why?' }).click();
  await expect(sentence(page)).toHaveText(/The paths part at step 15\. .* The cause is an instruction that differs\./);
  const chain = panel(page).getByRole('grid', { name: 'From the cause to where the paths part' });
  const cause = chain.getByRole('row').nth(1);
  await expect(cause).toContainText('jle 0x40107c');
  await cause.click();
  await expect(page.locator('.details')).toContainText('Step 14');
  await sentence(page).getByRole('button', { name: 'step 15' }).click();
  await expect(page.locator('.details')).toContainText('Step 15');
  await page.keyboard.press('n');
  await panel(page).getByRole('radio', { name: 'List' }).click();
  await expect(sentence(page)).toHaveText(/The paths part at step 1\d of .*, and join again at step 16\./);
  await panel(page).getByRole('radio', { name: 'Side by side' }).click();
  await expect(sentence(page)).toHaveText(/The paths join again at step 16\.$/);
  await expect(beside(page).locator('tr[aria-selected="true"]')).toContainText('0x40106f  jle');
});
