import { afterEach, expect, test, vi } from 'vitest';
import type { FileBlockService } from '../../base/file_protocol.ts';
import type { Remote } from '../../base/remote.ts';
import { BLOCK, FileBlocks } from './file_blocks.ts';
import { RecordFile } from './record_file.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A file whose reads are counted: at once, and by streams. */
function counted(blocks: number, rest = 0) {
  const bytes = new Uint8Array(blocks * BLOCK + rest);
  for (let at = 0; at < bytes.length; at += 61) bytes[at] = at >> 8;
  const file = new Blob([bytes]);
  const reads = { now: [] as number[], later: 0 };
  const parts = new Map<Blob, readonly [number, number]>();
  const slice = Blob.prototype.slice;
  vi.spyOn(Blob.prototype, 'slice').mockImplementation(function (this: Blob, from, to) {
    const part = slice.call(this, from, to);
    parts.set(part, [from ?? 0, Math.min(to ?? this.size, this.size)]);
    return part;
  });
  vi.stubGlobal(
    'FileReaderSync',
    class {
      readAsArrayBuffer(part: Blob) {
        const [from, to] = parts.get(part)!;
        reads.now.push(to - from);
        return bytes.slice(from, to).buffer;
      }
    },
  );
  const read = ReadableStreamBYOBReader.prototype.read;
  vi.spyOn(ReadableStreamBYOBReader.prototype, 'read').mockImplementation(function (
    this: ReadableStreamBYOBReader,
    view: ArrayBufferView,
    options?: object,
  ) {
    const reading = (read as (...all: unknown[]) => Promise<{ value?: Uint8Array }>).call(this, view, options);
    void reading.then(({ value }) => {
      reads.later += value?.byteLength ?? 0;
    });
    return reading as never;
  });
  return { bytes, file, reads };
}

/** Reads from one place to another as a pass does. Returns what it got. */
async function pass(file: RecordFile, from: number, to: number): Promise<Uint8Array> {
  const all = new Uint8Array(to - from);
  for (let at = from; at < to; ) {
    await file.arrival();
    const part = file.read(at, Math.min(to, at + 4 * BLOCK));
    if (!part) {
      expect(file.isLate).toBe(true);
      continue;
    }
    all.set(part, at - from);
    at += part.length;
    file.at = at;
  }
  return all;
}
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

test('passes that share blocks read each byte of a file once, in whatever order', async () => {
  const { bytes, file, reads } = counted(30, 100);
  const blocks = new FileBlocks(file, file.size);
  const [first, second, third] = [new RecordFile(blocks), new RecordFile(blocks), new RecordFile(blocks)];
  const both = await Promise.all([pass(first, 0, file.size), pass(second, 0, file.size)]);
  for (const read of both) expect(same(read, bytes)).toBe(true);
  expect(same(await pass(third, 5 * BLOCK + 7, file.size), bytes.subarray(5 * BLOCK + 7))).toBe(true);
  expect([...(third.read(file.size - 10, file.size + 10) ?? [])]).toEqual([...bytes.subarray(-10)]);
  expect(third.read(file.size, file.size + 10)).toHaveLength(0);
  expect(reads).toEqual({ now: [], later: file.size });
});

test('no more is kept than may be, and less once it is let go', async () => {
  const { file, reads } = counted(60);
  const blocks = new FileBlocks(file, 40 * BLOCK);
  await pass(new RecordFile(blocks), 0, file.size);
  expect(reads.later).toBe(60 * BLOCK);
  const there = () => Array.from({ length: 60 }, (_, i) => i).filter((i) => blocks.get(i));
  expect(there()).toHaveLength(40);
  blocks.letGo();
  expect(there()).toHaveLength(10);
  expect([blocks.keeps, blocks.mostBytes]).toEqual([false, 10 * BLOCK]);
});

test('a pass over a file that is not kept takes no more memory for a longer file', async () => {
  const { file } = counted(60);
  let made = 0;
  vi.stubGlobal(
    'ArrayBuffer',
    new Proxy(ArrayBuffer, {
      construct: (of, [length]: [number]) => {
        made += 1;
        return new of(length);
      },
    }),
  );
  await pass(new RecordFile(file), 0, file.size);
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(12);
});

test('a pass whose turns begin before the end of the last one reads each block once', async () => {
  const { bytes, file, reads } = counted(24);
  const read = new RecordFile(file);
  for (let from = 0; from < file.size; from += 2 * BLOCK + 9) {
    const to = Math.min(from + 4 * BLOCK, file.size);
    for (let at = from; at < to; ) {
      await read.arrival();
      const part = read.read(at, Math.min(at + 2 * BLOCK, file.size))!;
      expect(same(part, bytes.subarray(at, at + part.length))).toBe(true);
      at += part.length;
    }
    read.at = to;
  }
  expect(reads.now.length).toBeLessThan(3);
  expect(reads.later).toBeLessThan(26 * BLOCK);
});

test('short reads of a file that is not kept take what they need, and others a block', () => {
  const { bytes, file, reads } = counted(30);
  for (const read of [new RecordFile(file), new RecordFile(new FileBlocks(file, 28 * BLOCK))]) {
    expect(same(read.read(5 * BLOCK - 10, 5 * BLOCK + 10)!, bytes.subarray(5 * BLOCK - 10, 5 * BLOCK + 10))).toBe(true);
    expect(reads.now.splice(0)).toEqual([20]);
  }
  expect(new RecordFile(file).arrival()).toBeNull();
  const all = new RecordFile(new FileBlocks(file, file.size));
  expect(all.read(5 * BLOCK - 10, 5 * BLOCK + 10)).toHaveLength(10);
  expect(all.read(4 * BLOCK, 4 * BLOCK + 10)).toHaveLength(10);
  expect(reads.now).toEqual([BLOCK]);
});

test('what short reads had lately is not read again, until no pass goes on', () => {
  const { bytes, file, reads } = counted(30);
  const blocks = new FileBlocks(file);
  const read = new RecordFile(blocks);
  const at = (number: number) => number * 3 * BLOCK + 5;
  for (const number of [0, 1, 2, 3, 2, 1, 0]) expect(read.read(at(number), at(number) + 1000)).toHaveLength(1000);
  expect(same(read.read(at(1) + 900, at(1) + 2000)!, bytes.subarray(at(1) + 900, at(1) + 1000))).toBe(true);
  expect(reads.now).toHaveLength(4);
  // The one that was asked for least lately goes.
  read.read(at(4), at(4) + 10);
  expect(read.read(at(1), at(1) + 10)).toHaveLength(10);
  expect(reads.now).toHaveLength(5);
  read.read(at(3), at(3) + 10);
  expect(reads.now).toHaveLength(6);
  blocks.rest();
  read.read(at(1), at(1) + 10);
  expect(reads.now).toHaveLength(7);
});

test('once no pass goes on, only a file that is kept whole is kept', async () => {
  const { bytes, file, reads } = counted(30);
  for (const [most, there] of [
    [28, 0],
    [30, 30],
  ] as const) {
    const blocks = new FileBlocks(file, most * BLOCK);
    await pass(new RecordFile(blocks), 0, file.size);
    blocks.rest();
    expect(Array.from({ length: 30 }, (_, i) => i).filter((i) => blocks.get(i))).toHaveLength(there);
    const before = reads.later;
    expect(same(await pass(new RecordFile(blocks), 20 * BLOCK, file.size), bytes.subarray(20 * BLOCK))).toBe(true);
    expect(reads.later > before).toBe(there === 0);
  }
});

test('a long read that is not there yet takes a block, and has the next ones on their way', async () => {
  const { bytes, file, reads } = counted(4);
  const read = new RecordFile(file);
  expect(same(read.read(10, 4 * BLOCK)!, bytes.subarray(10, BLOCK))).toBe(true);
  await read.arrival();
  expect(read.read(BLOCK, 4 * BLOCK)).toHaveLength(BLOCK);
  expect(reads).toEqual({ now: [BLOCK], later: 3 * BLOCK });
});

test('a patient pass reads nothing at once, and its file from the worker that has it', async () => {
  const { bytes, file, reads } = counted(12, 5);
  const shared = new FileBlocks(file, file.size);
  const asked: number[] = [];
  const elsewhere: Remote<FileBlockService> = {
    give: (number) => {
      asked.push(number);
      return shared.give(number);
    },
  };
  const read = new RecordFile(new FileBlocks(file, 0, elsewhere));
  read.isPatient = true;
  expect(same(await pass(read, 3, file.size), bytes.subarray(3))).toBe(true);
  expect(asked).toEqual(Array.from({ length: 13 }, (_, i) => i));
  expect(await shared.give(13)).toBeNull();
  expect(reads).toEqual({ now: [], later: file.size });
});

test('a worker that does not give a block is not asked again', async () => {
  const { bytes, file } = counted(3);
  vi.useFakeTimers();
  let asked = 0;
  const give = () => {
    asked += 1;
    return new Promise<null>(() => undefined);
  };
  const read = new RecordFile(new FileBlocks(file, 0, { give }));
  read.isPatient = true;
  const reading = pass(read, 0, file.size);
  await vi.advanceTimersByTimeAsync(2000);
  vi.useRealTimers();
  expect(same(await reading, bytes)).toBe(true);
  expect(asked).toBe(3);
});

test('a patient pass ends where the file cannot be read', async () => {
  const { file } = counted(2);
  vi.spyOn(Blob.prototype, 'stream').mockImplementation(() => {
    throw new Error('gone');
  });
  vi.spyOn(Blob.prototype, 'arrayBuffer').mockRejectedValue(new Error('gone'));
  vi.stubGlobal(
    'FileReaderSync',
    class {
      readAsArrayBuffer() {
        throw new Error('gone');
      }
    },
  );
  const read = new RecordFile(file);
  read.isPatient = true;
  expect([read.read(0, 10), read.isLate]).toEqual([undefined, true]);
  await read.arrival();
  expect([read.read(0, 10), read.isLate]).toEqual([undefined, false]);
});
