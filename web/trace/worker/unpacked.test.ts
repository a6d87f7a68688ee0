import { describe, expect, it } from 'vitest';
import { type AccessHandle, createSpool } from './spool.ts';
import { openUnpacked, type Unpacks } from './unpacked.ts';

const MIB = 1024 * 1024;

/** An unpacker that gives each byte `times` times, and fails at the end if it has a sentence for it. */
function unpacker(times: number, sentence?: string): Unpacks {
  const pushed: number[] = [];
  let ended = false;
  return {
    push: (bytes) => void pushed.push(...bytes),
    end: () => {
      ended = true;
    },
    unpack: () => {
      const byte = pushed.shift();
      return byte === undefined ? new Uint8Array() : new Uint8Array(times).fill(byte);
    },
    get isOver() {
      return ended && pushed.length === 0;
    },
    isLimited: sentence?.includes('limit') ?? false,
    fault: () => sentence,
    faultAt: () => (sentence === undefined ? undefined : 3n),
  };
}

/** A file on disk with room for `room` bytes. */
function disk(room: number) {
  const bytes = new Uint8Array(room);
  let size = 0;
  let closed = false;
  const access: AccessHandle = {
    write: (part, { at }) => {
      if (at + part.length > room) throw new DOMException('full', 'QuotaExceededError');
      bytes.set(part, at);
      size = Math.max(size, at + part.length);
      return part.length;
    },
    read: (into, { at }) => {
      into.set(bytes.subarray(at, Math.min(size, at + into.length)));
      return Math.min(size - at, into.length);
    },
    close: () => {
      closed = true;
    },
  };
  const handle = { getFile: async () => new Blob([bytes.subarray(0, size)]) } as unknown as FileSystemFileHandle;
  return { open: async () => ({ access, handle }), isClosed: () => closed };
}

const noDisk = () => Promise.reject(new Error('no disk'));

describe('a packed file', () => {
  it('gives the head first, then all of it again', async () => {
    const unpacked = openUnpacked(new Blob([Uint8Array.of(1, 2, 3)]), unpacker(1000), createSpool());
    expect([...(await unpacked.head(1500))].lastIndexOf(1)).toBe(999);
    const source = unpacked.open(0);
    const sizes: number[] = [];
    for (let part = await source.take(700); part; part = await source.take(700)) sizes.push(part.length);
    expect(sizes).toEqual([700, 700, 600, 1000]);
    expect(unpacked.fault).toBeNull();
    expect([...(await unpacked.readAt(999, 2))]).toEqual([1, 2]);
    expect((await unpacked.spool.finish()).size).toBe(3000);
    expect([...(await unpacked.readAt(999, 2))]).toEqual([1, 2]);
  });
  it('says where the container is damaged, and keeps what precedes that', async () => {
    const unpacked = openUnpacked(new Blob([Uint8Array.of(7)]), unpacker(5, 'It is damaged.'), createSpool());
    expect(await unpacked.rest({ cancelled: () => false, report: () => undefined })).toBe(true);
    expect(unpacked.fault).toEqual({ kind: 'malformed', sentence: 'It is damaged.', offset: 3n });
    expect(await (await unpacked.spool.finish()).bytes()).toEqual(new Uint8Array(5).fill(7));
  });
  it('says that a limit is no damage', async () => {
    const unpacked = openUnpacked(new Blob(['x']), unpacker(1, 'It ends at a limit.'), createSpool());
    while (!unpacked.isOver) await unpacked.head(10);
    expect(unpacked.fault).toEqual({ kind: 'limit', sentence: 'It ends at a limit.', offset: 3n });
  });
  it('stops unpacking the rest when it cannot be kept', async () => {
    const packed = new Blob([new Uint8Array(20)]);
    const unpacked = openUnpacked(packed, unpacker(MIB), createSpool(disk(10 * MIB).open));
    expect(await unpacked.rest({ cancelled: () => false, report: () => undefined })).toBe(true);
    expect([unpacked.position, unpacked.spool.whole]).toEqual([11 * MIB, false]);
  });
  it('can be cancelled', async () => {
    const slow: Unpacks = {
      ...unpacker(1),
      isOver: false,
      unpack: () => {
        const until = performance.now() + 15;
        while (performance.now() < until);
        return Uint8Array.of(1);
      },
    };
    const reports: unknown[] = [];
    const unpacked = openUnpacked(new Blob(['x']), slow, createSpool());
    expect(await unpacked.rest({ cancelled: () => reports.length > 2, report: (it) => reports.push(it) })).toBe(false);
    expect(unpacked.position).toBe(3);
  });
  it('survives a trap of the unpacker', async () => {
    const broken = {
      ...unpacker(1),
      unpack: () => {
        throw new Error('unreachable');
      },
    };
    const unpacked = openUnpacked(new Blob(['x']), broken, createSpool());
    expect((await unpacked.head(10)).length).toBe(0);
    expect(unpacked.fault?.sentence).toBe('The container cannot be unpacked any further.');
  });
});

describe('a spool', () => {
  const bytes = Uint8Array.from({ length: MIB }, (_, i) => i % 251);

  it('moves from memory to disk, and gives the same bytes', async () => {
    const { open, isClosed } = disk(20 * MIB);
    const spool = createSpool(open);
    for (let i = 0; i < 12; i += 1) await spool.append(bytes);
    const around = await spool.read(8 * MIB - 3, 8 * MIB + 3);
    expect([...around]).toEqual([...bytes.subarray(-3), ...bytes.subarray(0, 3)]);
    const kept = await spool.finish();
    expect([kept.size, spool.whole, isClosed()]).toEqual([12 * MIB, true, true]);
    expect([...(await spool.read(8 * MIB - 3, 8 * MIB + 3))]).toEqual([...around]);
  });
  it('keeps the beginning when the disk is full', async () => {
    const spool = createSpool(disk(10 * MIB).open);
    for (let i = 0; i < 12; i += 1) await spool.append(bytes);
    expect([spool.whole, (await spool.finish()).size]).toEqual([false, 10 * MIB]);
  });
  it('keeps a limited number of bytes in memory where there is no disk', async () => {
    const spool = createSpool(noDisk, 9 * MIB);
    for (let i = 0; i < 12; i += 1) await spool.append(bytes);
    expect([spool.whole, (await spool.finish()).size]).toEqual([false, 9 * MIB]);
  });
});
