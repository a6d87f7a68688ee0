import { writeFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { digest, fixture, functions, header, open, pictured, settled, showCalls, test } from './page.ts';
import { addToWorkers } from './replay.ts';

/** Calls of the log: more than the memory below has room for. */
const CALLS = 900_000;
/** GiB: the trace may take 10.7 MB of it, and slices go to disk at two fifths. */
const MEMORY = 0.02;

/** Fewer bytes than its slices take there, 4.2 MB where the disk is there in time, also on a busy machine. */
const ON_DISK = 2_500_000;

/** An XRay log in basic mode, on one thread: a function calls others of different lengths. */
function log(): string {
  const path = test.info().outputPath('calls.xray');
  const bytes = Buffer.alloc(32 + CALLS * 64);
  bytes.writeUInt16LE(3, 0);
  bytes.writeBigUInt64LE(1_000_000_000n, 8);
  let at = 32;
  const put = (isExit: number, func: number, clock: number) => {
    bytes[at + 3] = isExit;
    bytes.writeInt32LE(func, at + 4);
    bytes.writeBigUInt64LE(BigInt(clock), at + 8);
    bytes.writeUInt32LE(7, at + 16);
    bytes.writeUInt32LE(7, at + 20);
    at += 32;
  };
  let clock = 1_000_000;
  for (let i = 0; i < CALLS; i += 5) {
    put(0, 1, clock);
    for (let inner = 1; inner < 5; inner += 1) {
      put(0, 1 + inner, clock + 3);
      clock += 3 + ((i * 31 + inner * 7) % 90) + (i % 3000 === 0 ? 40_000 : 0);
      put(1, 1 + inner, clock);
    }
    clock += 5;
    put(1, 1, clock);
    clock += i % 700 === 0 ? 9000 : 2;
  }
  writeFileSync(path, bytes);
  return path;
}

/** Reads of files take so long that the disk is there before memory is used up, however small that is. */
const UNHURRIED = `
  for (const [of, name] of [[ReadableStreamBYOBReader.prototype, 'read'], [Blob.prototype, 'arrayBuffer']]) {
    const plain = of[name];
    of[name] = async function (...args) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      return plain.apply(this, args);
    };
  }`;

/** Opens the page again on a machine with little memory, with code in its workers. */
async function withLittleMemory(page: Page, code = ''): Promise<void> {
  await addToWorkers(page, `${UNHURRIED};${code}`);
  await page.addInitScript((value) => Object.defineProperty(navigator, 'deviceMemory', { value }), MEMORY);
  await page.goto('./');
}

/** Bytes of the files on disk, by their number. */
async function onDisk(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    const sizes: number[] = [];
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('unpacked', { create: true });
    for await (const handle of (folder as unknown as { values(): AsyncIterable<FileSystemFileHandle> }).values()) {
      sizes.push(
        await handle.getFile().then(
          ({ size }) => size,
          () => 1,
        ),
      );
    }
    return sizes;
  });
}

/** What the header says of a trace that is not read to its end. */
const part = (page: Page) => page.getByRole('button', { name: /% of the file/ });

test('slices that leave memory change nothing but where they are, and are deleted with the trace', {
  tag: '@storage',
}, async ({ page }) => {
  const path = log();
  await open(page, path);
  const whole = await digest(page);
  expect(await onDisk(page), 'enough memory').toEqual([]);
  await showCalls(page, 'Functions');
  const before = await functions(page).innerText();

  await withLittleMemory(page);
  await open(page, path);
  await pictured(page);
  await expect.poll(async () => (await onDisk(page)).length).toBe(1);
  expect(await digest(page)).toBe(whole);
  await showCalls(page, 'Functions');
  await expect.poll(() => functions(page).innerText()).toBe(before);
  await expect(part(page)).toBeHidden();

  await page.goto('about:blank');
  await page.goto('./');
  // The next visit deletes what a tab has left.
  await expect.poll(() => onDisk(page), { timeout: 20_000 }).toEqual([]);
});

test('a quota that ends anywhere loses nothing, and nothing is left behind', { tag: '@storage' }, async ({ page }) => {
  const path = log();
  await open(page, path);
  const whole = await digest(page);
  const room = Math.floor(Math.random() * ON_DISK);
  test.info().annotations.push({ type: 'room in bytes', description: String(room) });
  const ends = `
    const plain = FileSystemSyncAccessHandle.prototype.write;
    let room = ${room};
    FileSystemSyncAccessHandle.prototype.write = function (bytes, options) {
      room -= bytes.length;
      if (room < 0) throw new DOMException('full', 'QuotaExceededError');
      return plain.call(this, bytes, options);
    }`;
  await withLittleMemory(page, ends);
  await open(page, path);
  await pictured(page);
  const button = header(page).getByRole('button', { name: /problem/ });
  const isPart = await part(page).isVisible();
  // What was moved before may have made room for all the rest.
  if (!isPart) expect(await digest(page)).toBe(whole);
  if (isPart) {
    await part(page).click();
    await expect(page.getByText(/^The trace is larger than memory allows/i)).toBeVisible();
    await page.keyboard.press('Escape');
  }
  await button.click();
  await expect(page.getByText(/the disk is full or too slow for more than [\d,]+ slices/i).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('#1');
  await page.goto('about:blank');
  await page.goto('./');
  await expect.poll(() => onDisk(page), { timeout: 20_000 }).toEqual([]);
});

test('the next visit deletes what a tab has left that was killed while it read', { tag: '@storage' }, async ({
  page,
  context,
}) => {
  const path = log();
  await withLittleMemory(page);
  const next = await context.newPage();
  await next.goto('about:blank');
  await page.setInputFiles('#file-input', path);
  await expect.poll(async () => (await onDisk(page)).length).toBe(1);
  await expect(page.locator('body')).toHaveAttribute('data-state', 'loading');
  const crashed = page.waitForEvent('crash');
  await page.goto('chrome://crash').catch(() => undefined);
  await crashed;
  await next.goto('./');
  await expect.poll(() => onDisk(next), { timeout: 20_000 }).toEqual([]);
  await open(next, fixture('threads.xray'));
  await pictured(next);
});

for (const [what, code] of [
  [
    'there is no disk',
    `navigator.storage.getDirectory = () => Promise.reject(new DOMException('none', 'SecurityError'))`,
  ],
  [
    'the quota ends',
    `FileSystemSyncAccessHandle.prototype.write = () => { throw new DOMException('full', 'QuotaExceededError') }`,
  ],
] as const) {
  test(`where ${what}, reading ends when memory is used up, in words`, { tag: '@storage' }, async ({ page }) => {
    await withLittleMemory(page, code);
    await open(page, log());
    await part(page).click();
    await expect(page.getByText(/^The trace is larger than memory allows/i)).toBeVisible();
    await expect(page.getByText(/The native command can use most of/)).toBeVisible();
    await showCalls(page, 'Functions');
    await expect(functions(page)).toContainText('#1');
  });
}

test('a file that is lost ends the trace, in words', { tag: '@storage' }, async ({ page }) => {
  await withLittleMemory(
    page,
    `FileSystemSyncAccessHandle.prototype.read = () => { throw new DOMException('closed', 'InvalidStateError') }`,
  );
  await page.setInputFiles('#file-input', log());
  await settled(page, 'ready');
  // Statistics need slices that are on disk.
  await part(page).click();
  await expect(page.getByText(/that is on disk cannot be read any more. Open the file again/).first()).toBeVisible();
});
