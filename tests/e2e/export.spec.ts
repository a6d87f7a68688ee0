import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { EXPORT_FORMATS } from '../../web/features/export/export.ts';
import { fixture, marks, open, pictured, selectRange, showCalls, test } from './page.ts';

const button = (page: Page) => page.getByRole('button', { name: 'Export', exact: true }).first();
const menu = (page: Page) => page.getByRole('dialog', { name: 'Export' });

/** Exports by a download, and returns its name and its text. */
async function exported(page: Page, label: string): Promise<{ name: string; text: string }> {
  // Without a file that can be written, as in other browsers.
  await page.evaluate(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
  if (!(await menu(page).isVisible())) await button(page).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    menu(page).getByRole('button', { name: label }).click(),
  ]);
  await expect(menu(page).getByRole('status')).toContainText('Saved');
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'latin1') };
}

for (const [file, argument] of [
  ['events.xray', 'data'],
  ['scene.trace', 'texture'],
  ['frames/plugin.frames', null],
] as const) {
  test(`Chrome JSON has every slice of ${file}, with arguments`, async ({ page }) => {
    await open(page, fixture(file));
    const { name, text } = await exported(page, 'Chrome JSON');
    expect(name).toMatch(/\.json$/);
    const { traceEvents } = JSON.parse(text) as {
      traceEvents: { ph: string; name?: string; args?: Record<string, unknown> }[];
    };
    const slices = traceEvents.filter(({ ph }) => ph === 'X' || ph === 'b');
    expect(slices.length).toBeGreaterThan(10);
    expect(slices.every(({ name: of }) => of !== '')).toBe(true);
    const complete = async () => (await marks(page))['unspool:complete'] as unknown as { slices: number } | undefined;
    await expect.poll(async () => (await complete())?.slices).toBe(slices.length);
    const has = argument !== null && traceEvents.some(({ args }) => args && argument in args);
    expect(has).toBe(argument !== null);
  });
}

/** What the native command writes, as crate/cli/tests/convert.rs has it: by trace and format. */
const EXPORTS = JSON.parse(readFileSync(join(import.meta.dirname, '../exports.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>;

for (const [file, formats] of Object.entries(EXPORTS)) {
  test(`exports of ${file} are those of the native command`, async ({ page }) => {
    await open(page, fixture(file));
    await button(page).click();
    // The last one of the list.
    await expect(menu(page).getByRole('button', { name: 'CSV' })).toBeVisible();
    const found: Record<string, string> = {};
    for (const format of EXPORT_FORMATS) {
      const entry = menu(page).getByRole('button', { name: format.label });
      if ((await entry.count()) === 0) continue;
      const { text } = await exported(page, format.label);
      const bytes = Buffer.from(text, 'latin1');
      found[format.id] = `${bytes.length} bytes, CRC-32 ${crc32(bytes).toString(16).padStart(8, '0')}`;
    }
    expect(found).toEqual(formats);
  });
}

test('stacks of a range have less time than all', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const total = (text: string) =>
    text
      .trim()
      .split('\n')
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  const all = total((await exported(page, 'Folded stacks')).text);
  await page.keyboard.press('Escape');
  await selectRange(page, 0.1, 0.3);
  await button(page).click();
  await expect(menu(page).getByRole('radio', { name: /^Range/ })).toBeChecked();
  const { name, text } = await exported(page, 'Folded stacks');
  expect(name).toBe('threads.xray-range.folded.txt');
  expect(total(text)).toBeGreaterThan(0);
  expect(total(text)).toBeLessThan(all);
  await menu(page).getByRole('radio', { name: 'Whole trace' }).check();
  expect(total((await exported(page, 'Folded stacks')).text)).toBe(all);
});

test('a part is a trace of its own, without what should not leave', async ({ page }) => {
  await open(page, fixture('frames/calls.frames'));
  await button(page).click();
  await menu(page).getByText('Sanitize').click();
  await menu(page).getByLabel('Paths').selectOption('Hash');
  await menu(page).getByLabel('Environment variables').selectOption('Omit');
  await menu(page).getByRole('button', { name: 'Preview' }).click();
  const preview = menu(page).getByRole('region', { name: 'Preview' });
  await expect(preview).toContainText('HOME=/home/ada');
  await expect(preview).toContainText(/path-[0-9a-f]{16}/);
  const { name, text } = await exported(page, 'BAP frames 3');
  expect(name).toBe('calls-copy.frames');
  expect(text).not.toMatch(/\/home\/ada|HOME=/);
  const path = test.info().outputPath(name);
  writeFileSync(path, Buffer.from(text, 'latin1'));
  await open(page, path);
  await expect(page.locator('.summary')).toContainText('120 frames');
  await expect(page.getByRole('complementary', { name: 'Trace' })).toContainText(/path-[0-9a-f]{16}/);
});

test('a picture of a sandwich has the callers and the callees', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await showCalls(page, 'Functions');
  // #3 calls it, and it calls #11.
  await page.locator('.functions td.name', { hasText: /^#10$/ }).click();
  await page.getByRole('button', { name: 'Sandwich' }).click();
  await expect(page.getByRole('application', { name: /^Callees/ })).toBeVisible();
  const { text } = await exported(page, 'Flame graph as SVG');
  const texts = [...text.matchAll(/<text[^>]*>([^<]*)</g)].map(([, it]) => it);
  expect(texts.filter((it) => it === '#10')).toHaveLength(1);
  expect(texts).toContain('#3');
  expect(texts).toContain('#11');
});

test('without parts, the preview is of names and arguments', async ({ page }) => {
  const path = test.info().outputPath('log.yaml');
  const record = (kind: string, tsc: number, data: string) =>
    `  - { type: 0, func-id: 1, function: 'run', cpu: 0, thread: 7, process: 7, kind: ${kind}, tsc: ${tsc}, data: ${data} }`;
  const lines = [
    '---',
    'header:',
    '  version:         5',
    '  type:            1',
    '  constant-tsc:    true',
    '  nonstop-tsc:     true',
    '  cycle-frequency: 2000000000',
    'records:',
    record('function-enter', 100, "''"),
    record('custom-event', 200, 'startup'),
    record('function-exit', 300, "''"),
  ];
  writeFileSync(path, lines.join('\n'));
  await open(page, path);
  await button(page).click();
  await expect(menu(page).locator('.export-formats li').first()).toContainText('Perfetto');
  await menu(page).getByText('Sanitize').click();
  await menu(page).getByLabel('Payloads').selectOption('Omit');
  await menu(page).getByRole('button', { name: 'Preview' }).click();
  await expect(menu(page).getByRole('region', { name: 'Preview' })).toContainText(/Payloads: 2 found.*left out/);
  // Without arguments, there is the name of the event only.
  await menu(page)
    .getByRole('checkbox', { name: /^Arguments/ })
    .uncheck();
  await menu(page).getByRole('button', { name: 'Preview' }).click();
  await expect(menu(page).getByRole('region', { name: 'Preview' })).toContainText('Payloads: 1 found');
});

test('the menu closes with Escape, and its button has the focus again', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await button(page).click();
  await expect(menu(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(menu(page)).toBeHidden();
  await expect(button(page)).toBeFocused();
});

test('what was set back by hand needs no Keep all', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await button(page).click();
  await menu(page).getByText('Sanitize').click();
  const all = menu(page).getByRole('button', { name: 'Keep all' });
  await expect(all).toBeHidden();
  await menu(page).getByLabel('Paths').selectOption('Hash');
  await expect(all).toBeVisible();
  await menu(page).getByLabel('Paths').selectOption('Keep');
  await expect(all).toBeHidden();
});

test('a vector picture has the tracks, and no scripts', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const { name, text } = await exported(page, 'Timeline as SVG');
  expect(name).toBe('threads.xray.svg');
  const kinds = new Set([...text.matchAll(/<([^\s/>!?]+)/g)].map(([, kind]) => kind));
  expect([...kinds].sort()).toEqual(['clipPath', 'g', 'path', 'svg', 'text', 'title']);
  const texts = [...text.matchAll(/<text[^>]*>([^<]*)</g)].map(([, it]) => it);
  expect(texts).toEqual(expect.arrayContaining(['threads.xray', 'thread 4712', '#1']));
});

test('pictures of the timeline are well-formed', { tag: '@pixels' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const { text } = await exported(page, 'Timeline as SVG');
  // The page's policy forbids parsing markup; another page may.
  const blank = await page.context().newPage();
  const isBroken = await blank.evaluate(
    (svg) => new DOMParser().parseFromString(svg, 'image/svg+xml').querySelector('parsererror') !== null,
    text,
  );
  await blank.close();
  expect(isBroken).toBe(false);
  const png = await exported(page, 'Timeline as PNG');
  expect([png.name, png.text.slice(0, 4)]).toEqual(['threads.xray.png', '\x89PNG']);
});

test('the bytes go into the file that the person chose', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await page.evaluate(() => {
    const told: string[] = [];
    Object.assign(window, {
      told,
      showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) => ({
        createWritable: async () => ({
          write: async (bytes: Uint8Array) => void told.push(`${suggestedName} ${bytes[0]}`),
          close: async () => void told.push('close'),
          abort: async () => void told.push('abort'),
        }),
      }),
    });
  });
  await button(page).click();
  await menu(page).getByRole('button', { name: 'Perfetto' }).click();
  await expect(menu(page).getByRole('status')).toContainText('Saved threads.xray.pftrace');
  // A field with a message, as each packet is.
  expect(await page.evaluate(() => (window as unknown as { told: string[] }).told)).toEqual([
    'threads.xray.pftrace 10',
    'close',
  ]);
  await page.evaluate(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
});
