import { expect, type Page } from '@playwright/test';
import { details, fixture, open, pictured, plain, test } from './page.ts';

async function show(page: Page, path: string, tab: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, fixture(path));
  await pictured(page);
  await page.getByRole('tab', { name: tab }).click();
}

const records = (page: Page, noun: string) => page.getByRole('combobox', { name: `Filter ${noun}` });
const said = (page: Page) => page.locator('.events .panel-bar');
async function rows(page: Page): Promise<string[]> {
  return (await page.locator('.events tbody tr:not(.spacer)').allInnerTexts()).map(plain);
}

test('the list of records is narrowed by arguments, and whole again', async ({ page }) => {
  await show(page, 'scene.trace', 'Calls');
  await records(page, 'calls').fill('name:glDrawElements arg.count:108');
  await expect(said(page)).toContainText('24 calls found');
  await expect.poll(async () => (await rows(page)).every((row) => /glDrawElements.*count = 108/.test(row))).toBe(true);
  expect((await rows(page)).length).toBeGreaterThan(5);
  // A row leads to its call, and the call to its row.
  await page.locator('#event-3').click();
  await expect(details(page)).toContainText('glDrawElements');
  await records(page, 'calls').fill('name:glDrawElements arg.count:');
  await expect(page.getByRole('alert')).toContainText('Expected a value here.');
  await expect(said(page)).toContainText('24 calls found');
  await records(page, 'calls').fill('name:nothing');
  await expect(page.locator('.events')).toContainText('No call matches.');
  await records(page, 'calls').press('Escape');
  await expect(records(page, 'calls')).toHaveValue('');
  await expect(said(page)).not.toContainText('found');
});

test('records of several threads are narrowed by durations and depths', async ({ page }) => {
  await show(page, 'xray/threads.xray', 'Records');
  await records(page, 'records').fill('name:#3 dur>2us');
  // One of the 28 calls began before the recording, so no record begins it.
  await expect(said(page)).toContainText('27 records found');
  await expect.poll(async () => (await rows(page)).every((row) => /function-enter.*#3/.test(row))).toBe(true);
  await records(page, 'records').fill('thread:4712 depth<=1');
  await expect(said(page)).toContainText('10 records found');
  await records(page, 'records').fill('name:#3 -dur>2us');
  await expect(said(page)).not.toContainText('10 records found');
  await expect.poll(async () => (await rows(page)).some((row) => /function-exit.*#3/.test(row))).toBe(true);
});

for (const [file, tab, noun, expression, found] of [
  ['frames/calls.frames', 'Steps', 'frames', 'insn:call', '9 frames found'],
  ['rvn/blocks.sqlite', 'Steps', 'transitions', 'insn:call', '2 transitions found'],
  ['trace_db/variables.trace', 'Points', 'points', 'arg.i>3 arg.j:0..2', '7 points found'],
] as const) {
  test(`instructions and values narrow the list of ${file}`, async ({ page }) => {
    await show(page, file, tab);
    await records(page, noun).fill(expression);
    await expect(said(page)).toContainText(found);
    expect((await rows(page)).length).toBeGreaterThan(1);
  });
}

test('functions are narrowed to those with calls that match', async ({ page }) => {
  await show(page, 'scene.trace', 'Functions');
  const field = page.getByRole('combobox', { name: 'Filter functions' });
  const names = () => page.locator('.functions tbody td.name').allInnerTexts();
  await field.fill('arg.count:108');
  await expect.poll(names).toEqual(['glDrawElements']);
  await field.fill('name:/^glDraw/ or name:glClear*');
  await expect.poll(async () => (await names()).sort()).toEqual(['glClear', 'glDrawElements']);
  await field.fill('arg.count:');
  await expect(page.getByRole('alert')).toContainText('Expected a value here.');
  await field.fill('clear');
  await expect.poll(async () => (await names()).sort()).toEqual(['glClear']);
});

test('a cell narrows its list, and is found everywhere', async ({ page }) => {
  await show(page, 'scene.trace', 'Calls');
  await records(page, 'calls').fill('name:gl*');
  await expect(said(page)).toContainText('calls found');
  const frame = page.locator('#event-5 td').nth(1);
  // Its row may have to be fetched.
  await expect(frame).not.toBeEmpty();
  const number = (await frame.innerText()).trim();
  await frame.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Only rows with this value' }).click();
  await expect(records(page, 'calls')).toHaveValue(`name:gl* frame:${number}`);
  await expect.poll(async () => (await rows(page)).every((row) => row.split(' ')[1] === number)).toBe(true);
  await page.locator('#event-2 td').nth(2).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Find all with this value' }).click();
  await expect(page.getByRole('combobox', { name: 'Search', exact: true })).toHaveValue(/^thread:/);
  await expect(page.locator('.find-count')).toContainText('hits');
});
