import { describe, expect, it } from 'vitest';
import { inputOf, readThrough } from './reading.ts';
import type { Session } from './session.ts';
import { openSource, openStream } from './source.ts';

const NEVER = new Promise<void>(() => undefined);
const MIB = 1024 * 1024;

/** A file whose bytes depend on their offsets. */
function file(length: number): Blob {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i += 1) bytes[i] = (i * 31 + (i >> 8)) & 0xff;
  return new Blob([bytes]);
}

/** A session that takes the file and then requests `again`, as logs with buffers out of order do. */
function session(size: number, again: readonly (readonly [at: number, length: number])[] = []) {
  const got: { at: number; bytes: Uint8Array }[] = [];
  const log: string[] = [];
  const later = [...again];
  let at = 0;
  let length = 0;
  let todo = 0;
  const made = {
    push: (bytes: Uint8Array) => {
      expect(todo).toBe(0);
      got.push({ at, bytes: bytes.slice() });
      at += bytes.length;
      length -= bytes.length;
      todo = 2;
      const next = at === size || length <= 0 ? later[0] : undefined;
      if (next && (at === size || got.length > 1)) {
        [at, length] = next;
        later.shift();
        made.more = true;
      }
    },
    more: false,
    end: () => {
      log.push('end');
    },
    step: () => {
      if (todo > 0) {
        todo -= 1;
        return todo > 0 ? 1 : 0;
      }
      return log.includes('end') ? 2 : 0;
    },
    wantsAt: () => at,
    wantsLength: () => Math.max(0, length),
    cancel: () => log.push('cancel'),
    progress: () => ({ slices: 1 }),
  };
  return { session: made as unknown as Session, got, log };
}

describe('reading', () => {
  it('passes on every byte once, in portions of at most 1 MiB, and then the end', async () => {
    const size = 3 * MIB + 12_345;
    const blob = file(size);
    const { session: taking, got, log } = session(size);
    const painted = Promise.resolve();
    const how = await readThrough(taking, inputOf(blob), null, {
      cancelled: () => false,
      painted,
      report: () => undefined,
    });
    expect(how).toBe('complete');
    expect(log).toEqual(['end']);
    expect(got[0]!.bytes.length).toBeLessThanOrEqual(256 * 1024);
    expect(Math.max(...got.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(MIB);
    const whole = new Uint8Array(await blob.arrayBuffer());
    const read = Buffer.concat(got.map(({ bytes }) => bytes));
    expect(Buffer.compare(read, whole)).toBe(0);
  });
  it('seeks to the offsets that the session wants', async () => {
    const size = 600_000;
    const blob = file(size);
    const { session: taking, got } = session(size, [[100_000, 5000]]);
    await readThrough(taking, inputOf(blob), null, { cancelled: () => false, painted: NEVER, report: () => undefined });
    const again = got.find(({ at }, i) => i > 0 && at === 100_000)!;
    const expected = new Uint8Array(await blob.slice(100_000, 105_000).arrayBuffer());
    expect(Buffer.compare(again.bytes, expected)).toBe(0);
  });
  it('reads at most an eighth before the first picture', async () => {
    const size = 16 * MIB;
    const { session: taking, got } = session(size);
    let painted: () => void = () => undefined;
    let readBefore = -1;
    const running = readThrough(taking, inputOf(file(size)), null, {
      cancelled: () => false,
      painted: new Promise((resolve) => {
        painted = resolve;
      }),
      report: (now) => {
        if (!now || readBefore >= 0) return;
        readBefore = got.reduce((sum, { bytes }) => sum + bytes.length, 0);
        painted();
      },
    });
    expect(await running).toBe('complete');
    expect(readBefore).toBe(2 * MIB);
  });
  it('stops when cancelled', async () => {
    const size = 8 * MIB;
    const { session: taking, got, log } = session(size);
    const pace = { cancelled: () => got.length >= 2, painted: Promise.resolve(), report: () => undefined };
    expect(await readThrough(taking, inputOf(file(size)), null, pace)).toBe('cancelled');
    expect(log).toEqual(['cancel']);
    expect(got.length).toBe(2);
  });
});

describe('reading a database', () => {
  it('does not step before the bytes that come next have arrived', async () => {
    let arrived = false;
    let steps = 0;
    const database = {
      arrival: () => {
        if (arrived) return null;
        return new Promise<void>((resolve) => {
          setTimeout(() => {
            arrived = true;
            resolve();
          });
        });
      },
    };
    const made = {
      step: () => {
        expect(arrived).toBe(true);
        arrived = false;
        steps += 1;
        return steps < 3 ? 1 : 2;
      },
      progress: () => ({ slices: 0 }),
    };
    const pace = { cancelled: () => false, painted: NEVER, report: () => undefined };
    expect(await readThrough(made as unknown as Session, inputOf(file(0)), database, pace)).toBe('complete');
    expect(steps).toBe(3);
  });
});

describe('a source', () => {
  it('reads the same bytes without BYOB readers', async () => {
    const blob = file(100_000);
    const plain = Object.assign(blob, {
      stream: () => {
        throw new TypeError('no such streams');
      },
    });
    const source = openSource(plain, 0);
    let total = 0;
    for (let part = await source.take(30_000); part; part = await source.take(30_000)) total += part.length;
    expect([total, source.position]).toEqual([100_000, 100_000]);
  });
});

describe('a stream', () => {
  /** The file's streams return at most `most` bytes a call, as browsers do that ignore `min`. */
  const slow = (bytes: Uint8Array<ArrayBuffer>, most: number) =>
    ({
      size: bytes.length,
      slice: (from: number) => slow(bytes.slice(from), most),
      stream: () => {
        let at = 0;
        const read = async (view: Uint8Array) => {
          const part = bytes.subarray(at, at + Math.min(most, view.length));
          at += part.length;
          view.set(part);
          return { done: part.length === 0, value: view.subarray(0, part.length) };
        };
        return { getReader: () => ({ read, cancel: async () => undefined }) };
      },
    }) as unknown as Blob;

  it('returns reads requested ahead in order and in full, however few bytes come at once', async () => {
    const expected = new Uint8Array(await file(300_000).arrayBuffer());
    for (const blob of [file(300_000), slow(expected, 999)]) {
      const stream = openStream(blob, 7);
      const parts = await Promise.all([stream.next(100_000), stream.next(150_000), stream.next(100_000)]);
      expect(parts.map((part) => part.length)).toEqual([100_000, 150_000, 49_993]);
      expect(Buffer.concat(parts).equals(expected.subarray(7))).toBe(true);
      expect(stream.position).toBe(300_000);
      stream.close();
    }
  });
});
