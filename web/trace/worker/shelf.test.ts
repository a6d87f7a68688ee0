import { expect, test } from 'vitest';
import { openShelf } from './shelf.ts';
import type { AccessHandle, OpenFile } from './spool.ts';

/** Files that remember where they were written to, and fail after `room` bytes in all. */
function files(room = Number.POSITIVE_INFINITY) {
  const opened: Map<number, Uint8Array>[] = [];
  let left = room;
  const open = async (): Promise<OpenFile> => {
    const writes = new Map<number, Uint8Array>();
    opened.push(writes);
    const access: AccessHandle = {
      write: (bytes, { at }) => {
        if (bytes.length > left) throw new DOMException('no room', 'QuotaExceededError');
        left -= bytes.length;
        writes.set(at, bytes.slice(0, 4));
        return bytes.length;
      },
      read: (into, { at }) => {
        const bytes = writes.get(at);
        into.set(bytes ?? []);
        return bytes ? into.length : 0;
      },
      close: () => undefined,
    };
    return { handle: {} as FileSystemFileHandle, access };
  };
  return { open, opened };
}

const turn = () => new Promise((resolve) => setTimeout(resolve));
const quick = () => 0;
/** One buffer for all writes: `at` is in its first bytes. */
const BUFFER = new Uint8Array(100_000_000);

function bytesOf(at: number, length: number): Uint8Array {
  new DataView(BUFFER.buffer).setUint32(0, at / 1000);
  return BUFFER.subarray(0, length);
}

test('files are begun before the last one is full, and read by where they begin', async () => {
  const { open, opened } = files();
  const shelf = await openShelf(open, quick);
  const at = Array.from({ length: 25 }, (_, i) => i * 100_000_000);
  for (const from of at) {
    expect(shelf.write(from, bytesOf(from, 100_000_000))).toBe(true);
    await turn();
  }
  expect(opened.map((it) => it.size)).toEqual([10, 10, 5]);
  for (const from of at) {
    const into = new Uint8Array(4);
    expect(shelf.read(from, into)).toBe(true);
    expect(new DataView(into.buffer).getUint32(0)).toBe(from / 1000);
  }
  expect(shelf.isLost).toBe(false);
});

test('a write waits for the next file', async () => {
  const { open } = files();
  const shelf = await openShelf(open, quick);
  for (let i = 0; i < 10; i += 1) expect(shelf.write(i * 1e8, BUFFER)).toBe(true);
  expect(shelf.write(1e9, BUFFER)).toBe(false);
  await turn();
  expect(shelf.write(1e9, BUFFER)).toBe(true);
});

test('after the quota has ended, what was written can be read', async () => {
  const shelf = await openShelf(files(250_000_000).open, quick);
  expect(shelf.write(0, bytesOf(0, 1e8))).toBe(true);
  expect(shelf.write(1e8, bytesOf(1e8, 1e8))).toBe(true);
  expect(shelf.write(2e8, bytesOf(2e8, 1e8))).toBeUndefined();
  expect(shelf.write(2e8, bytesOf(2e8, 1000))).toBeUndefined();
  expect(shelf.read(1e8, new Uint8Array(4))).toBe(true);
});

test('a slow disk gets no more than what tells so', async () => {
  for (const [each, takes] of [
    [1, undefined],
    [0.001, true],
  ] as const) {
    let time = 0;
    const shelf = await openShelf(files().open, () => {
      time += each * 25;
      return time;
    });
    for (let i = 0; i < 8; i += 1) expect(shelf.write(i << 20, bytesOf(0, 1 << 20))).toBe(true);
    expect(shelf.write(8 << 20, bytesOf(0, 1 << 20))).toBe(takes);
    expect(shelf.read(0, new Uint8Array(4))).toBe(true);
  }
});

test('bytes that are not there are lost', async () => {
  const shelf = await openShelf(files().open, quick);
  expect(shelf.read(0, new Uint8Array(4))).toBe(false);
  expect(shelf.isLost).toBe(true);
});
