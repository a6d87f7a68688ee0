import { expect, it } from 'vitest';
import { createScratch } from './scratch.ts';

const numbers = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251);
const noFiles = () => Promise.reject(new Error('no files'));

it('keeps what was written in memory where there are no files', async () => {
  const scratch = await createScratch(noFiles, 3_000_000);
  const bytes = numbers(2_500_000);
  expect(scratch.write(0, bytes.subarray(0, 7))).toBe(true);
  expect(scratch.write(7, bytes.subarray(7))).toBe(true);
  for (const [from, to] of [
    [0, 10],
    [1_048_570, 1_048_580],
    [3, 2_500_000],
  ] as const) {
    const into = new Uint8Array(to - from);
    expect(scratch.read(from, into)).toBe(true);
    expect(Buffer.compare(into, bytes.subarray(from, to))).toBe(0);
  }
  expect(scratch.read(2_499_999, new Uint8Array(2))).toBe(false);
  expect(scratch.write(2_500_000, numbers(500_001))).toBe(false);
});

it('says when the disk is full, or a file is shorter than it was', async () => {
  const disk = numbers(10);
  const access = {
    write: (bytes: Uint8Array, { at }: { at: number }) => {
      const room = Math.max(0, Math.min(bytes.length, disk.length - at));
      disk.set(bytes.subarray(0, room), at);
      return room;
    },
    read: (into: Uint8Array, { at }: { at: number }) => {
      into.set(disk.subarray(at, at + into.length));
      return Math.min(into.length, disk.length - at);
    },
    close: () => undefined,
  };
  const scratch = await createScratch(async () => ({ handle: {} as FileSystemFileHandle, access }));
  const into = new Uint8Array(4);
  expect([scratch.write(2, Uint8Array.of(9, 8, 7, 6)), scratch.read(2, into), [...into]]).toEqual([
    true,
    true,
    [9, 8, 7, 6],
  ]);
  expect([scratch.write(8, numbers(3)), scratch.read(8, into)]).toEqual([false, false]);
});
