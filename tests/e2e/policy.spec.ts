import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, type Worker } from '@playwright/test';
import { fixture, open, recordWorkers, settled, showPanel, test, traceWorkers } from './page.ts';

/** A server of another origin that allows every page to read what it sends, perhaps without end, and lists requests. */
async function otherOrigin(headers: Readonly<Record<string, string>> = {}, isEndless = false) {
  const requests: string[] = [];
  let waiting = 0;
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(200, { 'access-control-allow-origin': '*', ...headers });
    if (!isEndless) return response.end('no such thing');
    waiting += 1;
    response.on('close', () => {
      waiting -= 1;
    });
    return response.write('x'.repeat(1000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, requests, open: () => waiting, close: () => server.close() };
}

/** What a page or worker can do that the policy forbids. */
async function breaches(place: Page | Worker, other: string): Promise<string[]> {
  return (place as Worker).evaluate(async (url) => {
    const done: string[] = [];
    const works = async (name: string, run: () => unknown) => {
      try {
        await run();
        done.push(name);
      } catch {
        // As the policy has it.
      }
    };
    // Code that developer tools run may call `eval`; what it defers may not.
    await new Promise((resolve) => setTimeout(resolve));
    await works('fetch', () => fetch(url, { mode: 'no-cors' }));
    await works('fetch by address', () => fetch('data:,x'));
    await works('eval', () => Reflect.apply(Reflect.get(globalThis, 'eval'), null, ['1']));
    await works('Function', () => new Function('return 1')());
    await works('import', () => import(/* @vite-ignore */ `${url}a.js`));
    return done;
  }, other);
}

test('neither the page nor a worker connects elsewhere or evaluates text', { tag: '@network' }, async ({ page }) => {
  const other = await otherOrigin();
  try {
    await open(page, fixture('rvn/blocks.sqlite'));
    await showPanel(page, 'SQL');
    // What looks for what stands out ends by itself.
    const names = () => [...new Set(page.workers().map((worker) => worker.url().replace(/.*#/, '')))].sort();
    await expect.poll(names).toEqual(['query', 'records', 'worker']);
    for (const place of [page, ...page.workers()]) expect(await breaches(place, other.url)).toEqual([]);
    expect(other.requests).toEqual([]);
  } finally {
    other.close();
  }
});

test('?url= opens its own origin and no other', { tag: '@network' }, async ({ page }) => {
  const [given, other] = [await otherOrigin(), await otherOrigin()];
  try {
    await page.goto(`./?url=${encodeURIComponent(`${given.url}a.xray`)}`);
    await settled(page, 'failed');
    expect(given.requests).toEqual(['/a.xray']);
    expect(await breaches(page, other.url)).toEqual([]);
    expect(other.requests).toEqual([]);
  } finally {
    given.close();
    other.close();
  }
});

test('an encoding that cannot be decoded is not blamed on the host', { tag: '@network' }, async ({ page }) => {
  const other = await otherOrigin({ 'content-encoding': 'gzip' });
  try {
    await page.goto(`./?url=${encodeURIComponent(`${other.url}a.xray`)}`);
    await settled(page, 'failed');
    await expect(page.getByRole('alert')).toContainText('its encoding is damaged');
    await expect(page.getByRole('alert')).not.toContainText('CORS');
  } finally {
    other.close();
  }
});

test('a download without end can be stopped', { tag: '@network' }, async ({ page }) => {
  const other = await otherOrigin({}, true);
  try {
    await page.goto(`./?url=${encodeURIComponent(`${other.url}a.xray`)}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await settled(page, 'empty');
    await expect.poll(() => other.open()).toBe(0);
  } finally {
    other.close();
  }
});

test('says it when a worker ends by itself, and lives on', { tag: '@network' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await expect.poll(() => recordWorkers(page).length).toBe(1);
  // The record worker is started again by the next question.
  await recordWorkers(page)[0]!.evaluate(() => self.close());
  await expect.poll(() => recordWorkers(page).length).toBe(0);
  const [worker] = traceWorkers(page);
  await worker!.evaluate(() => self.close());
  const sentence = 'The reader of this file stopped unexpectedly (the browser ended it).';
  await expect(page.locator('.notice')).toContainText(sentence);
  await open(page, fixture('coarse.xray'));
});

test('typing into the SQL editor breaks no rule of the policy', { tag: '@network' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await showPanel(page, 'SQL');
  await page.evaluate(() => {
    const broken: string[] = [];
    Object.assign(window, { broken });
    document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => broken.push(violatedDirective));
  });
  const box = page.getByRole('textbox', { name: 'SQL query' });
  await box.click();
  await page.keyboard.type("select 'text' from named_slice");
  // Over coloured words, which Chromium would colour again by a style of its own.
  await page.keyboard.press('Control+a');
  await page.keyboard.type('select 12');
  await expect(box).toHaveText('select 12');
  await page.keyboard.press('Control+Shift+ArrowLeft');
  await page.keyboard.type('3');
  await expect(box).toHaveText('select 3');
  await page.keyboard.press('Control+z');
  await expect(box).not.toHaveText('select 3');
  expect(await page.evaluate(() => (window as unknown as { broken: string[] }).broken)).toEqual([]);
});
