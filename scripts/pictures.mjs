// `node scripts/pictures.mjs [--only readme|values|xray|graphics|picture|reverse-engineering]`: the pictures of README.md, of docs/values.md, from
// a fixture, and of docs/xray.md, docs/graphics.md and docs/reverse-engineering.md, from recordings of the corpus. They show the build in
// dist/, in the colours that the browser writes. Those of README.md, docs/values.md and docs/graphics.md are reduced to 256 colours by
// hand before they are committed, as by `pngquant 256`. A test holds each to 105 kB.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { fail, findChromium, options, root, say } from './lib.mjs';

/**
 * A page, and what takes pictures of it, or of a part of it.
 *
 * @typedef {object} Opened
 * @property {import('@playwright/test').Page} page
 * @property {(picture: string, part?: string, width?: number, top?: number) => Promise<void>} take
 */

const given = options(['port', 'only']);
const port = Number(given.port ?? 4174);
const corpus = join(root, '..', 'shared', 'corpus');
const files = ['threads-20MB.xray.zst', 'threads.elf'].map((name) => join(corpus, 'xray', 'large', name));
const glmark2 = join(corpus, 'apitrace', 'recorded', 'glmark2_medium.trace');
const steps = join(corpus, 'frames', 'real-loads-stores.frames');
/** @param {string} name */
const isWanted = (name) => given.only === undefined || given.only === name;
const fixtures = ['overrun.trace', 'overrun.csv'].map((name) => join(root, 'tests', 'fixtures', 'trace_db', name));
const needed = { readme: files, xray: files, graphics: [glmark2], picture: [glmark2], 'reverse-engineering': [steps] };
if (!Object.entries(needed).every(([name, paths]) => !isWanted(name) || paths.every(existsSync))) {
  fail('A recording is missing: the corpus lies beside the repository.');
}

const server = spawn(process.execPath, [join(root, 'scripts', 'serve.mjs'), '--port', String(port)], {
  stdio: 'ignore',
});
const browser = await chromium.launch({
  executablePath: /** @type {string} */ (findChromium()),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  if (isWanted('readme')) await pictureReadme(await opened(files, '.'));
  if (isWanted('values')) await pictureValues(await opened(fixtures, 'values'));
  if (isWanted('xray')) await pictureXray(await opened(files, 'xray'));
  if (isWanted('graphics')) await pictureGraphics(await opened([glmark2], 'graphics', false));
  if (isWanted('picture')) await picturePicture(await opened([glmark2], '.', false));
  if (isWanted('reverse-engineering')) await pictureSteps(await opened([steps], 'reverse-engineering', false));
} finally {
  await browser.close();
  server.kill();
}

/**
 * Opens files in a new page. Returns the page, and what takes pictures of it into a folder of docs.
 *
 * @param {string[]} paths
 * @param {string} name
 * @returns {Promise<Opened>}
 */
async function opened(paths, name, hasNames = true) {
  const folder = join(root, 'docs', name);
  mkdirSync(folder, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 1180, height: 640 }, colorScheme: 'dark' });
  await page.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'networkidle' });
  await page.evaluate(() => localStorage.setItem('unspool:dock', JSON.stringify({ open: true, height: 250 })));
  await page.reload();
  await page.setInputFiles('#file-input', paths);
  await page.waitForFunction(() => document.body.dataset['state'] === 'ready');
  if (hasNames) await page.getByText('It names', { exact: false }).waitFor();
  /** @type {Opened['take']} */
  const take = async (picture, part, width = 820, top = 0) => {
    await page.mouse.move(0, 0);
    await page.waitForTimeout(900);
    const path = join(folder, `${picture}.png`);
    if (part) await page.locator(part).screenshot({ path });
    else await page.screenshot({ path, clip: { x: 0, y: top, width, height: 640 - top } });
    say(path);
  };
  return { page, take };
}

/**
 * A range, a selected call and a note, in the dark.
 *
 * @param {Opened} opened
 */
async function pictureReadme({ page }) {
  await page.setViewportSize({ width: 1440, height: 900 });
  const area = page.locator('.area');
  await area.click({ position: { x: 330, y: 150 } });
  await page.getByRole('complementary', { name: 'Details' }).getByText('Duration').waitFor();
  const { x, y } = /** @type {{ x: number, y: number }} */ (await area.boundingBox());
  await page.keyboard.down('Shift');
  await page.mouse.move(x + 300, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + 480, y + 60, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.mouse.move(0, 0);
  await page.waitForTimeout(1500);
  const path = join(root, 'docs', 'page.png');
  await page.screenshot({ path });
  say(path);
}

/** @param {Opened} opened */
async function pictureValues({ page, take }) {
  /** @param {string} name */
  const tab = (name) => page.getByRole('tab', { name, exact: true }).click();
  /** @param {string} name */
  const view = (name) => page.getByRole('radio', { name, exact: true }).click();
  /** @param {string} text */
  const row = (text) => page.locator('.dock tbody tr', { hasText: text }).first();
  await tab('Statements');
  await row('p = copy + i').waitFor();
  await take('statements', undefined, 1180);
  await tab('Variables');
  await row('length').waitFor();
  await take('variables', '.dock');
  await view('Out of bounds');
  await row('1 byte past the end').click();
  await take('out-of-bounds', undefined, 1180, 130);
  await tab('Statements');
  await row('p = copy + i').click();
  await view('Invariants');
  await row('i ≤ n').waitFor();
  await page.evaluate(() =>
    /** @type {HTMLElement} */ (document.querySelector('.dock')).style.setProperty('height', '400px'),
  );
  await take('invariants', '.dock');
  await row('i ≤ n').click();
  await page.locator('#occurrence-3').waitFor();
  await take('exceptions', '.dock');
}

/** @param {Opened} opened */
async function pictureXray({ page, take }) {
  /** @param {string} name */
  const view = (name) => page.getByRole('radio', { name, exact: true }).click();
  /** @param {number} height */
  const taller = (height) =>
    page.evaluate(
      (to) => /** @type {HTMLElement} */ (document.querySelector('.dock')).style.setProperty('height', `${to}px`),
      height,
    );
  /** @type {(grid: string, text: string | RegExp) => import('@playwright/test').Locator} */
  const row = (grid, text) => page.getByRole('grid', { name: grid }).locator('tbody tr', { hasText: text }).first();

  await page.locator('#tab-calls').click();
  await view('Functions');
  await row('Functions', /^l5\(int\)/).click();
  await take('log-and-program');
  await view('Stacks');
  await taller(420);
  await row('Stacks', 'l5(int)').click();
  await take('stacks', '.dock');
  await view('Functions');
  await row('Functions', /^l5\(int\)/).dblclick();
  await page.getByRole('group', { name: 'Percentiles' }).getByRole('button').nth(4).waitFor();
  await taller(330);
  await take('calls', '.dock');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('table', { name: 'A slow call beside a median one' }).waitFor();
  await taller(260);
  await take('slow-beside-median', '.dock');
  await page.getByRole('button', { name: 'Longest call', exact: true }).click();
  await page.getByRole('button', { name: 'Zoom to selection' }).click();
  await taller(150);
  await take('longest-call');
  const back = page.getByRole('button', { name: '‹ Back' });
  while (await back.isVisible()) await back.click();
  await view('Graph');
  await taller(560);
  await take('call-graph', '.dock');
}

/** @param {Opened} opened */
async function pictureSteps({ page, take }) {
  /** @param {number} height */
  const taller = (height) =>
    page.evaluate(
      (to) => /** @type {HTMLElement} */ (document.querySelector('.dock')).style.setProperty('height', `${to}px`),
      height,
    );
  /** @param {number} step */
  const goTo = async (step) => {
    await page.keyboard.press('Control+p');
    await page.locator('#find-field').fill(String(step));
    await page.keyboard.press('Enter');
    await page.getByText(`Before step ${step.toLocaleString('en')} `, { exact: false }).waitFor();
  };
  /** @param {string} address */
  const byte = (address) => page.getByRole('button', { name: new RegExp(`^${address}: `) });
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  await goTo(2382);
  await page.getByRole('textbox', { name: 'Address of memory' }).fill('0x4a72e4');
  await page.keyboard.press('Enter');
  await byte('0x4a72e4').click();
  await byte('0x4a72e7').click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'All steps that read or write this' }).click();
  await page.getByRole('button', { name: 'Find all', exact: true }).click();
  await page.getByRole('tab', { name: 'Hits' }).click();
  await page.getByText('243 hits of').waitFor();
  await page.getByRole('tab', { name: 'Hits' }).focus();
  await page.keyboard.press('0');
  await page.waitForTimeout(900);
  const folder = join(root, 'docs', 'reverse-engineering');
  await page.screenshot({ path: join(folder, 'history.png'), clip: { x: 0, y: 44, width: 820, height: 520 } });
  await page
    .getByRole('region', { name: /^History of/ })
    .getByRole('button', { name: 'Keep as track' })
    .click();
  await page.getByRole('button', { name: '[0x4a72e4] +4', exact: true }).waitFor();
  await taller(34);
  await page.waitForTimeout(900);
  await page.screenshot({ path: join(folder, 'track.png'), clip: { x: 0, y: 44, width: 820, height: 330 } });
  await taller(250);
  await page.getByRole('button', { name: 'Close the history' }).click();
  await goTo(2400);
  await page.getByRole('tab', { name: 'Details', exact: true }).click();
  const follow = page.getByRole('button', { name: /^Where \[0x4a7310\] comes from/ });
  await follow.focus();
  await page.keyboard.press('Enter');
  const origin = page.getByRole('region', { name: /^Where .* comes from, before step/ });
  for (let level = 0; level < 5; level += 1) {
    const open = origin.getByRole('button', { name: /^Open: / }).first();
    await open.waitFor();
    await open.click();
    await page.waitForTimeout(300);
  }
  await origin.screenshot({ path: join(folder, 'origin.png') });
  await page.getByRole('tab', { name: 'Coverage', exact: true }).click();
  await page.getByRole('button', { name: 'Keep list' }).click();
  await page.getByRole('button', { name: 'List kept' }).waitFor();
  await page.getByRole('combobox', { name: 'Compare with another list' }).selectOption({ index: 1 });
  await page.getByRole('radio', { name: 'In both' }).click();
  await take('coverage', '.dock');
}

/** @param {Opened} opened */
async function pictureGraphics({ page, take }) {
  /** @param {string} name */
  const button = (name) => page.getByRole('button', { name });
  const rows = page.getByRole('grid', { name: 'Resources' }).locator('tbody tr:not(.spacer)');
  await page.setViewportSize({ width: 1360, height: 640 });
  await button('uploaded: frame 4,052').click();
  await take('heaviest-frame', undefined, 1360);
  await page.evaluate(() =>
    /** @type {HTMLElement} */ (document.querySelector('.dock')).style.setProperty('height', '360px'),
  );
  await button('Its textures').click();
  await rows.filter({ hasText: '512 × 512' }).click();
  await page.getByRole('img', { name: 'Texture 5' }).waitFor();
  await take('textures', '.dock');
  await page.getByRole('tab', { name: 'Frames' }).click();
  await button('Its shaders').click();
  await rows.first().click();
  await page.locator('.shader-box').waitFor();
  await take('shaders', '.dock');
  await page.locator('#tab-of-state').click();
  await page.keyboard.press('Control+p');
  const field = page.locator('#find-field');
  await field.fill('55328');
  await field.press('Enter');
  await button('Show mesh').click();
  await page.getByRole('grid', { name: 'Vertices' }).waitFor();
  await page.setViewportSize({ width: 900, height: 460 });
  await take('mesh', 'dialog.mesh');
}

/**
 * The picture of a frame, in the light.
 *
 * @param {Opened} opened
 */
async function picturePicture({ page }) {
  /** @param {string} name */
  const button = (name) => page.getByRole('button', { name });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 720 });
  // Without a GPU, pictures are drawn on request.
  const strip = page.locator('.area').getByRole('button', { name: 'Show pictures' });
  if (await strip.isVisible()) await strip.click();
  await page.locator('#tab-of-picture').click();
  await button('uploaded: frame 4,052').click();
  await page.keyboard.press('0');
  await page.getByText('Frame 4,052 of', { exact: false }).first().waitFor();
  await button('Fold the panels').click();
  await page.waitForTimeout(15_000);
  const path = join(root, 'docs', 'picture.png');
  await page.screenshot({ path });
  say(path);
}
