import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';
import { text, uint } from './apitrace.ts';
import { SWIFTSHADER } from './gpu.ts';
import { choose, chosen, fixture, recording, settled, showPanel, test, typeGoTo } from './page.ts';
import { addToWorkers } from './replay.ts';

test.use({ launchOptions: SWIFTSHADER });

/** Tells the page about each part of a file that a worker asks for, in any of the ways that workers use. */
const COUNTING = `{
  const page = new BroadcastChannel('bytes');
  const worker = location.hash.slice(1);
  const count = (of, name, bytes) => {
    const plain = of[name];
    of[name] = function (...args) {
      page.postMessage({ worker, bytes: bytes(this, ...args) });
      return plain.apply(this, args);
    };
  };
  count(Blob.prototype, 'arrayBuffer', (blob) => blob.size);
  count(FileReaderSync.prototype, 'readAsArrayBuffer', (_, blob) => blob.size);
  count(ReadableStreamBYOBReader.prototype, 'read', (_, view) => view.byteLength);
}`;

/** Opens the page again, and counts the bytes of files that workers ask for, by worker. */
async function counting(page: Page): Promise<() => Promise<Record<string, number>>> {
  await addToWorkers(page, COUNTING);
  await page.addInitScript(() => {
    const asked: Record<string, number> = {};
    Object.assign(window, { asked });
    new BroadcastChannel('bytes').onmessage = ({ data: { worker, bytes } }) => {
      asked[worker] = (asked[worker] ?? 0) + bytes;
    };
  });
  await page.goto('./');
  return () => page.evaluate(() => ({ ...(window as unknown as { asked: Record<string, number> }).asked }));
}

/** An apitrace of twelve frames with `copies` of 200 kB from memory to memory after them, in Snappy chunks of plain bytes. */
function padded(copies: number): { readonly file: Buffer; readonly last: number } {
  const scene = gunzipSync(readFileSync(fixture('scene.gzip.trace')));
  const first = 518;
  const calls = Array.from({ length: copies }, (_, i) => {
    const bytes = Buffer.alloc(200_000, i);
    // Its signature comes with the first call: functions below ten are not among those of the scene.
    const signature = i === 0 ? [0, ...text('memcpy'), ...uint(3), ...['dest', 'src', 'n'].flatMap(text)] : [0];
    const enter = Buffer.from([0, 0, ...signature, 1, 1, 8, ...uint(bytes.length)]);
    return Buffer.concat([enter, bytes, Buffer.from([0, 1, ...uint(first + i), 0])]);
  });
  const stream = Buffer.concat([scene, ...calls]);
  const chunks: Buffer[] = [Buffer.from('at')];
  for (let at = 0; at < stream.length; at += 1 << 20) {
    const plain = stream.subarray(at, at + (1 << 20));
    const rest = plain.length - 1;
    const head = Buffer.from([...uint(plain.length), 62 << 2, rest & 255, (rest >> 8) & 255, rest >> 16]);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(head.length + plain.length);
    chunks.push(length, head, plain);
  }
  return { file: Buffer.concat(chunks), last: first + copies - 1 };
}

/** Traces, with a call at the end. */
const TRACES = [
  ['a trace of calls of 200 kB', () => padded(150)],
  ['glmark2', () => ({ file: readFileSync(recording('apitrace/recorded/glmark2_medium.trace')), last: 100_000 })],
] as const;

for (const [what, make] of TRACES)
  test(`${what} is read once to open it, and once for all that its calls mean`, { tag: '@webgl' }, async ({ page }) => {
    test.slow();
    const { file, last } = make();
    const asked = await counting(page);
    await choose(page, chosen('counted.trace', file));
    await settled(page, 'ready', 'counted.trace');
    const pane = (name: string) => page.getByRole('complementary', { name });
    const rows = (name: string) => page.getByRole('grid', { name }).locator('tbody tr:not(.spacer)').first();
    await page.getByRole('tab', { name: 'State', exact: true }).click();
    await typeGoTo(page, last);
    await expect(pane('State').locator('.gl-head')).toContainText(`call ${last.toLocaleString('en')}`);
    for (const panel of ['Frames', 'Resources']) {
      await showPanel(page, panel);
      await expect(rows(panel)).toBeVisible();
    }
    await page.getByRole('button', { name: 'Findings', exact: true }).click();
    await expect(page.getByRole('button', { name: /^\d+ findings?$/ })).toBeVisible({ timeout: 30_000 });
    await page.getByRole('tab', { name: 'Picture', exact: true }).click();
    const picture = pane('Picture').getByRole('img', { name: /^Picture of/ });
    const none = pane('Picture').getByText('No visible framebuffer at this call.');
    await expect(picture.or(none)).toBeVisible({ timeout: 60_000 });
    // Nothing more is asked for.
    let all: Record<string, number>;
    do {
      all = await asked();
      await page.waitForTimeout(1000);
    } while (JSON.stringify(all) !== JSON.stringify(await asked()));
    const shares = Object.entries(all).map(([worker, bytes]) => [worker, bytes / file.length] as const);
    // With the details of the selected call, which read its chunks again.
    const sum = shares.reduce((total, [, share]) => total + share, 0);
    const told = shares.map(([worker, share]) => `${worker} ${share.toFixed(2)}`).join(', ');
    test.info().annotations.push({ type: 'times the file', description: told });
    // Loading and one more reading: less would say that not all are counted.
    expect(sum, told).toBeGreaterThan(1.9);
    expect(sum, told).toBeLessThanOrEqual(2.1);
  });
