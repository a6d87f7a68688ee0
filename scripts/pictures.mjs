// `node scripts/pictures.mjs`: the pictures of docs/xray.md, from a build in dist/ and the recorded log of the corpus. None is
// above 100 kB.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { fail, findChromium, options, root, say } from './lib.mjs';

const given = options(['port']);
const port = Number(given.port ?? 4174);
const corpus = join(root, '..', 'shared', 'corpus', 'xray', 'large');
const files = ['threads-20MB.xray.zst', 'threads.elf'].map((name) => join(corpus, name));
const folder = join(root, 'docs', 'xray');
if (!files.every(existsSync)) fail('The recorded log is missing: the corpus lies beside the repository.');
mkdirSync(folder, { recursive: true });

const server = spawn(process.execPath, [join(root, 'scripts', 'serve.mjs'), '--port', String(port)], { stdio: 'ignore' });
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: { width: 1180, height: 640 }, colorScheme: 'dark' });
  await page.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'networkidle' });
  await page.evaluate(() => localStorage.setItem('unspool:dock', JSON.stringify({ open: true, height: 250 })));
  await page.reload();
  await page.setInputFiles('#file-input', files);
  await page.waitForFunction(() => document.body.dataset.state === 'ready');
  await page.getByText('It names', { exact: false }).waitFor();
  const rest = () => page.waitForTimeout(900);
  const take = async (name, part) => {
    await page.mouse.move(0, 0);
    await rest();
    const path = join(folder, `${name}.png`);
    if (part) await page.locator(part).screenshot({ path });
    else await page.screenshot({ path, clip: { x: 0, y: 0, width: 820, height: 640 } });
    say(path);
  };
  const view = (name) => page.getByRole('radio', { name, exact: true }).click();
  const taller = (height) =>
    page.evaluate((to) => document.querySelector('.dock').style.setProperty('height', `${to}px`), height);
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
  await page.getByRole('button', { name: 'Longest call' }).click();
  await page.getByRole('button', { name: 'Zoom to selection' }).click();
  await taller(150);
  await take('longest-call');
  await page.locator('#tab-graph').click();
  await taller(560);
  await take('call-graph', '.dock');
} finally {
  await browser.close();
  server.kill();
}
