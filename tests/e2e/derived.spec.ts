import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { area, derived, details, digest, fixture, inkedAt, open, pictured, showCalls, test } from './page.ts';

const SAMPLES = join(import.meta.dirname, '../../web/public/samples');
const keep = (page: Page) => page.getByRole('button', { name: 'Keep as track' });

test.describe('a function', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('./?renderer=canvas2d');
    await open(page, fixture('threads.xray'));
    await pictured(page);
    await showCalls(page, 'Functions');
    // The rarest one.
    await page.getByRole('columnheader', { name: 'Count' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'Count' }).getByRole('button').click();
    await page.locator('.functions tbody tr:not(.spacer)').first().click();
  });

  test('is kept as a track and removed, and the trace stays as it is', async ({ page }) => {
    const before = await digest(page);
    const name = (await page.locator('.functions tr[aria-selected=true] td').first().innerText()).trim();
    const count = (await page.locator('.functions tr[aria-selected=true] td').nth(1).innerText()).trim();
    await keep(page).click();
    await expect(derived(page)).toHaveCount(1);
    await expect(derived(page)).toContainText(name);
    await expect(derived(page)).toHaveAttribute('title', new RegExp(`${count}\\scalls?\\nAll calls of ${name}`));
    await expect(page.getByRole('button', { name: 'Kept as track' })).toBeDisabled();
    expect(await digest(page)).toBe(before);
    await page.getByRole('button', { name: `Remove ${name}` }).click();
    await expect(derived(page)).toHaveCount(0);
    await expect(keep(page)).toBeEnabled();
    expect(await digest(page)).toBe(before);
  });

  test('leads from its track to the call of the trace', { tag: '@pixels' }, async ({ page }) => {
    await keep(page).click();
    await expect(derived(page)).toHaveCount(1);
    await expect.poll(async () => (await inkedAt(page, 10)).length).toBeGreaterThan(0);
    const [first] = await inkedAt(page, 10);
    const box = (await area(page).boundingBox())!;
    await page.mouse.click(box.x + first! * box.width + 1, box.y + 10);
    const name = (await page.locator('.functions tr[aria-selected=true] td').first().innerText()).trim();
    await expect(details(page).getByRole('heading')).toHaveText(name);
    await expect(details(page)).toContainText('thread 4711');
    await expect(details(page).getByRole('button', { name: 'Kept as track' })).toBeDisabled();
  });

  test('can be renamed by keyboard', async ({ page }) => {
    await keep(page).focus();
    await page.keyboard.press('Enter');
    await derived(page).getByTitle('Rename the track').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name of the track' }).fill('rare');
    await page.keyboard.press('Enter');
    await expect(derived(page)).toContainText('rare');
    await expect(page.getByRole('button', { name: 'Remove rare' })).toBeVisible();
  });
});

/** The places of pixels in the accent colour on a canvas, as fractions of its width. */
async function accentAt(page: Page, selector: string): Promise<number[]> {
  return page.evaluate((query) => {
    const canvas = document.querySelector<HTMLCanvasElement>(query)!;
    const { data, width, height } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const found = new Set<number>();
    for (let i = 0; i < width * height; i += 1) {
      const [r, g, b] = [data[4 * i]!, data[4 * i + 1]!, data[4 * i + 2]!];
      if (b - r > 90 && b - g > 40) found.add((i % width) / width);
    }
    return [...found];
  }, selector);
}

test('calls that are too short to be seen are marked, in the rows and over the whole trace', {
  tag: '@pixels',
}, async ({ page }) => {
  await page.goto('./?renderer=canvas2d');
  await page.emulateMedia({ colorScheme: 'light' });
  await open(page, join(SAMPLES, 'scene.trace'));
  await pictured(page);
  await showCalls(page, 'Functions');
  await page.getByRole('combobox', { name: 'Filter functions' }).fill('glCompileShader');
  await page.locator('.functions tbody tr:not(.spacer)').first().click();
  await expect.poll(async () => (await accentAt(page, '.overview-strip canvas')).length).toBeGreaterThan(0);
  const places = await accentAt(page, '.overview-strip canvas');
  const rows = await accentAt(page, '.area canvas');
  // The calls are at the beginning, and nothing else is marked.
  expect(Math.max(...places)).toBeLessThan(0.5);
  expect(rows.length).toBeGreaterThan(0);
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await accentAt(page, '.overview-strip canvas')).length).toBe(0);
});

/** Opens a sample and selects a row of its list of records. */
async function selectRow(page: Page, sample: string, tab: string, row: number): Promise<void> {
  await open(page, join(SAMPLES, sample));
  await pictured(page);
  await page.getByRole('tab', { name: tab }).click();
  await page.locator(`#event-${row}`).click();
}

test('a numeric argument is kept as a value over time', async ({ page }) => {
  await selectRow(page, 'scene.trace', 'Calls', 9);
  await expect(details(page).getByRole('heading')).toHaveText('glDrawElements');
  const before = await digest(page);
  await details(page).getByRole('button', { name: 'Keep count as track' }).click();
  await expect(derived(page)).toContainText('glDrawElements: count');
  await expect(derived(page)).toHaveAttribute('title', /Count of all calls of glDrawElements/);
  expect(await digest(page)).toBe(before);
  // A place on the graph leads to the call that has the value there.
  const box = (await area(page).boundingBox())!;
  await page.mouse.click(box.x + box.width * 0.8, box.y + 30);
  await expect(details(page).getByRole('heading')).toHaveText('glDrawElements');
  await expect(details(page).getByRole('button', { name: 'Keep count as track' })).toBeDisabled();
  await page.getByRole('button', { name: 'Remove glDrawElements: count' }).click();
  await expect(derived(page)).toHaveCount(0);
  expect(await digest(page)).toBe(before);
});

test('an executed address is kept as a track', async ({ page }) => {
  await selectRow(page, 'calls.frames', 'Steps', 12);
  await expect(details(page).getByRole('heading')).toHaveText('Step 12');
  const before = await digest(page);
  await keep(page).click();
  await expect(derived(page)).toContainText('0x401067');
  await expect(derived(page)).toHaveAttribute('title', /All executions of 0x401067/);
  expect(await digest(page)).toBe(before);
  await page.getByRole('button', { name: 'Remove 0x401067' }).click();
  await expect(derived(page)).toHaveCount(0);
  expect(await digest(page)).toBe(before);
});

test('the value that instructions write to a register, and a variable, are kept', async ({ page }) => {
  await selectRow(page, 'calls.frames', 'Steps', 12);
  await details(page).getByRole('button', { name: 'Keep RAX written as track' }).click();
  await expect(derived(page)).toContainText('RAX written');
  await selectRow(page, 'variables.trace', 'Points', 3);
  await details(page)
    .getByRole('button', { name: /^Keep \w+ as track$/ })
    .first()
    .click();
  await expect(derived(page)).toHaveCount(1);
});

test('an argument of a logged function is kept, by its thread and in order of time', async ({ page }) => {
  await selectRow(page, 'threads.xray', 'Records', 0);
  await details(page).getByRole('button', { name: 'Keep argument 0 as track' }).click();
  await expect(derived(page)).toContainText('#1: argument 0');
});

test('executions of an address in a database are kept', async ({ page }) => {
  await selectRow(page, 'blocks.sqlite', 'Steps', 11);
  await keep(page).click();
  await expect(derived(page)).toContainText('0x40000b');
  await details(page).getByRole('button', { name: 'Keep executions of 0x400003 as track' }).click();
  await expect(derived(page)).toHaveCount(2);
});
