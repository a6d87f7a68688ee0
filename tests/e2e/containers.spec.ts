import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';
import { digest, fixture, open, pictured, settled, showPanel, test } from './page.ts';

const DIGESTS: Record<string, string> = JSON.parse(readFileSync(join(import.meta.dirname, '../digests.json'), 'utf8'));

interface File {
  readonly name: string;
  readonly bytes: Buffer;
}

const file = (name: string, path: string): File => ({ name, bytes: readFileSync(fixture(path)) });
const digestOf = (path: string) => DIGESTS[`tests/fixtures/${path}`];

/** A zip archive, with every second file stored as it is. */
function zip(files: readonly File[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [i, { name, bytes }] of files.entries()) {
    const packed = i % 2 === 0 ? deflateRawSync(bytes) : bytes;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(i % 2 === 0 ? 8 : 0, 4);
    fields.writeUInt32LE(crc(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, place, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(22);
  const listed = Buffer.concat(directory);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** CRC-32, from the trailer of gzip: older versions of Node have no function for it. */
function crc(bytes: Buffer): number {
  if (typeof crc32 === 'function') return crc32(bytes);
  const packed = gzipSync(bytes);
  return packed.readUInt32LE(packed.length - 8);
}

function tar(files: readonly File[]): Buffer {
  const blocks = files.flatMap(({ name, bytes }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write('0000644\0', 100);
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('        0', 148);
    header.write('ustar\x0000', 257, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

async function openBytes(page: Page, name: string, bytes: Buffer, state: 'ready' | 'failed' = 'ready'): Promise<void> {
  await page.setInputFiles('#file-input', { name, mimeType: 'application/octet-stream', buffer: bytes });
  await settled(page, state, name);
}

const TRACES = ['threads.xray', 'scene.trace', 'frames/calls.frames', 'trace_db/variables.trace', 'rvn/blocks.sqlite'];
for (const path of TRACES) {
  test(`opens ${basename(path)} in gzip`, async ({ page }) => {
    await open(page, fixture(path));
    const expected = await digest(page);
    await openBytes(page, `${basename(path)}.gz`, gzipSync(readFileSync(fixture(path))));
    await pictured(page);
    expect(await digest(page)).toBe(expected);
    await expect(page.getByText(/gzip/).first()).toBeVisible();
    // Details are read from what was unpacked.
    await page.locator('#tab-events').click();
    await expect(page.locator('[id^=event-]').first()).toBeVisible();
  });
}

for (const [extension, container] of [
  ['gz', 'gzip'],
  ['zst', 'zstd'],
  ['xz', 'xz'],
  ['br', 'Brotli'],
]) {
  test(`opens an XRay log in ${container}`, async ({ page }) => {
    await open(page, fixture(`containers/threads.xray.${extension}`));
    await pictured(page);
    expect(await digest(page)).toBe(digestOf('xray/threads.xray'));
    await expect(page.locator('.header')).toContainText(`threads.xray.${extension}`);
  });
}

test('opens an apitrace in a container of its own as before, and one around that', async ({ page }) => {
  await open(page, fixture('scene.brotli.trace'));
  const expected = await digest(page);
  await openBytes(page, 'scene.trace.br', brotliCompressSync(readFileSync(fixture('scene.brotli.trace'))));
  expect(await digest(page)).toBe(expected);
  await expect(page.locator('.details')).toContainText('Brotli in Brotli');
});

test('streams a large log while unpacking it, and reads its records from disk', { tag: '@storage' }, async ({
  page,
}) => {
  const bytes = readFileSync(fixture('threads.xray'));
  const large = Buffer.concat([bytes.subarray(0, 32), ...Array.from({ length: 900 }, () => bytes.subarray(32))]);
  await openBytes(page, 'bare.xray', large);
  const expected = await digest(page);
  await openBytes(page, 'large.xray.gz', gzipSync(large, { level: 1 }));
  await pictured(page);
  expect(await digest(page)).toBe(expected);
  await page.locator('#tab-events').click();
  await expect(page.locator('[id^=event-]').first()).toBeVisible();
  const files = () =>
    page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('unpacked');
      const names: string[] = [];
      for await (const name of folder.keys()) names.push(name);
      return names.length;
    });
  expect(await files()).toBe(1);
  await open(page, fixture('events.xray'));
  await expect.poll(files).toBe(0);
});

test('chooses one of the traces of a zip archive, and another one later', async ({ page }) => {
  const files = [
    { name: 'README.txt', bytes: Buffer.from('Five traces.') },
    file('threads.xray', 'threads.xray'),
    file('scene.trace', 'scene.trace'),
    file('deep/calls.frames', 'frames/calls.frames'),
    file('deep/variables.trace', 'trace_db/variables.trace'),
    file('blocks.sqlite', 'rvn/blocks.sqlite'),
  ];
  await page.setInputFiles('#file-input', { name: 'five.zip', mimeType: 'application/zip', buffer: zip(files) });
  await expect(page.locator('body')).toHaveAttribute('data-state', 'choosing');
  await expect(page.getByText('This zip archive holds 5 traces and one other file.')).toBeVisible();
  const buttons = page.locator('.entries button');
  await expect(buttons).toHaveCount(5);
  await expect(buttons.first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await settled(page, 'ready', 'five.zip › deep/calls.frames');
  await pictured(page);
  expect(await digest(page)).toBe(digestOf('frames/calls.frames'));
  await page.getByRole('button', { name: 'Other traces…' }).click();
  await page.getByRole('button', { name: /blocks\.sqlite/ }).click();
  await settled(page, 'ready', 'five.zip › blocks.sqlite');
  expect(await digest(page)).toBe(digestOf('rvn/blocks.sqlite'));
  await showPanel(page, 'SQL');
  await expect(page.getByRole('tabpanel')).toContainText('execution');
});

test('shows a stored trace of a zip archive whose checksum does not match, and says so', async ({ page }) => {
  const stored = file('threads.xray', 'threads.xray');
  const archive = zip([{ name: 'README.txt', bytes: Buffer.from('One trace.') }, stored]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc(stored.bytes));
  for (let at = archive.indexOf(sum); at >= 0; at = archive.indexOf(sum, at + 1)) archive.writeUInt8(sum[0]! ^ 1, at);
  await page.setInputFiles('#file-input', { name: 'one.zip', mimeType: 'application/zip', buffer: archive });
  await settled(page, 'ready', 'one.zip › threads.xray');
  expect(await digest(page)).toBe(digestOf('xray/threads.xray'));
  await page.locator('.problems button').first().click();
  await expect(page.getByText('A checksum of the zip archive does not match.')).toBeVisible();
});

test('opens the only trace of a tar archive in gzip, and in xz the one that is chosen', async ({ page }) => {
  const files = [{ name: 'notes.txt', bytes: Buffer.from('a note') }, file('logs/threads.xray', 'threads.xray')];
  await openBytes(page, 'one.tgz', gzipSync(tar(files)));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('one.tgz › logs/threads.xray');
  expect(await digest(page)).toBe(digestOf('xray/threads.xray'));
  await page.setInputFiles('#file-input', fixture('containers/traces.tar.xz'));
  await page.getByRole('button', { name: /events\.xray/ }).click();
  await settled(page, 'ready', 'traces/events.xray');
  expect(await digest(page)).toBe(digestOf('xray/events.xray'));
});

test('takes the write-ahead log of a database from the archive', async ({ page }) => {
  const files = [file('logged.sqlite', 'rvn/logged.sqlite'), file('logged.sqlite-wal', 'rvn/logged.sqlite-wal')];
  await openBytes(page, 'bare.zip', zip(files.slice(0, 1)));
  const without = await digest(page);
  await openBytes(page, 'logged.zip', zip(files));
  const found = await digest(page);
  expect(found).not.toBe(without);
  await page.goto('./');
  await page.setInputFiles('#file-input', [fixture('rvn/logged.sqlite'), fixture('rvn/logged.sqlite-wal')]);
  await settled(page, 'ready', 'logged.sqlite');
  expect(await digest(page)).toBe(found);
});

test('opens a packed trace beside a list of names', async ({ page }) => {
  await open(page, fixture('events.xray'));
  const names = { name: 'names.txt', mimeType: 'text/plain', buffer: Buffer.from('1: main\n2: worker\n') };
  const buffer = readFileSync(fixture('containers/threads.xray.xz'));
  await page.setInputFiles('#file-input', [names, { name: 'threads.xray.xz', mimeType: 'application/x-xz', buffer }]);
  await settled(page, 'ready', 'threads.xray.xz');
  expect(await digest(page)).toBe(digestOf('xray/threads.xray'));
});

test('keeps what precedes the end of a truncated container', async ({ page }) => {
  const packed = readFileSync(fixture('containers/threads.xray.gz'));
  await openBytes(page, 'cut.xray.gz', packed.subarray(0, 2000));
  await pictured(page);
  await page.locator('.problems button').first().click();
  await expect(page.getByText('The gzip stream ends too early.')).toBeVisible();
  await expect(page.getByText('byte 2,000')).toBeVisible();
});

test('says what is in a container without a trace', async ({ page }) => {
  await openBytes(page, 'text.gz', gzipSync('nothing but text'), 'failed');
  await expect(page.getByRole('alert')).toContainText('Content of gzip: The file looks like plain text');
  const texts = zip([{ name: 'a.txt', bytes: Buffer.from('text') }]);
  await openBytes(page, 'texts.zip', texts, 'failed');
  await expect(page.getByRole('alert')).toContainText('This zip archive holds no trace, but one file: a.txt.');
  await openBytes(page, 'broken.xz', Buffer.from('fd377a585a0000', 'hex'), 'failed');
  await expect(page.getByRole('alert')).toContainText('The xz stream ends too early.');
});
