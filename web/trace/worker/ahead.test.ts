import { describe, expect, it } from 'vitest';
import { nextTask } from '../../base/next_task.fixture.ts';
import { createAhead } from './ahead.ts';
import type { Stream } from './source.ts';

const MIB = 1024 * 1024;
const content = Uint8Array.from({ length: 8 * MIB }, (_, i) => (i * 31) ^ (i >> 12));
const same = (bytes: Uint8Array, from: number) =>
  Buffer.compare(bytes, content.subarray(from, from + bytes.length)) === 0;

/** A file that records synchronous reads, the streams that are opened, and what is read of them, in MiB. */
function file(fails = false, short = false) {
  const counted = { now: [] as number[], opened: [] as number[], later: [] as number[] };
  let open = 0;
  const read = (from: number, to: number) => {
    counted.now.push(from / MIB);
    return content.subarray(from, to);
  };
  const stream = (at: number): Stream => {
    counted.opened.push(at / MIB);
    open += 1;
    let position = at;
    return {
      get position() {
        return position;
      },
      next: async (length) => {
        const from = position;
        position += length;
        counted.later.push(from / MIB);
        if (fails) throw new Error('gone');
        return content.slice(from, from + (short ? 0 : length));
      },
      close: () => {
        open -= 1;
      },
    };
  };
  const { read: ahead, arrival } = createAhead(content.length, read, stream);
  return { counted, open: () => open, ahead, arrival };
}

describe('reading ahead', () => {
  it('returns the prefetched range, and keeps the next two on their way', async () => {
    const { counted, ahead } = file();
    expect(ahead(0, 2 * MIB).length).toBe(MIB);
    for (let at = 1; at < 7; at += 2) {
      await nextTask();
      const bytes = ahead(at * MIB, (at + 2) * MIB);
      expect([bytes.length, same(bytes, at * MIB)]).toEqual([2 * MIB, true]);
    }
    expect(counted).toEqual({ now: [0], opened: [1], later: [1, 3, 5, 7] });
  });

  it('lets a scan wait for the range that it reads next', async () => {
    for (const fails of [false, true]) {
      const { counted, ahead, arrival } = file(fails);
      expect(arrival()).toBe(null);
      ahead(0, 2 * MIB);
      await arrival();
      expect(arrival()).toBe(null);
      ahead(MIB, 3 * MIB);
      expect(counted.now).toEqual(fails ? [0, 1] : [0]);
    }
  });

  it('never has more than two ranges on their way, and none twice', () => {
    const { counted, open, ahead } = file();
    ahead(0, MIB);
    expect(counted.later).toEqual([1, 2]);
    ahead(MIB, 2 * MIB);
    expect(counted.later).toEqual([1, 2, 3]);
    // A jump discards them, and the stream that they come from.
    ahead(5 * MIB, 6 * MIB);
    expect(counted).toEqual({ now: [0, 1, 5], opened: [1, 6], later: [1, 2, 3, 6, 7] });
    expect(open()).toBe(1);
  });

  it('returns the prefetched part of a request', async () => {
    const { counted, ahead } = file();
    ahead(0, 2 * MIB);
    await nextTask();
    const bytes = ahead(2 * MIB, 4 * MIB);
    expect([bytes.length, same(bytes, 2 * MIB)]).toEqual([MIB, true]);
    expect(counted).toEqual({ now: [0], opened: [1], later: [1, 3, 5] });
  });

  it('reads synchronously what is not prefetched, elsewhere or short', async () => {
    const { counted, ahead } = file();
    ahead(0, 2 * MIB);
    ahead(2 * MIB, 4 * MIB);
    await nextTask();
    expect(same(ahead(MIB, MIB + 100), MIB)).toBe(true);
    // The short read did not discard the prefetched range.
    expect(ahead(4 * MIB, 6 * MIB).length).toBe(MIB);
    expect(counted).toEqual({ now: [0, 2, 1], opened: [1], later: [1, 3, 5, 7] });
  });

  it('does not take a short prefetch for the end of the file', async () => {
    const { counted, ahead } = file(false, true);
    ahead(0, 2 * MIB);
    await nextTask();
    expect(ahead(MIB, 3 * MIB).length).toBe(MIB);
    expect(counted.now).toEqual([0, 1]);
  });

  it('leaves failures to the synchronous read', async () => {
    const { counted, ahead } = file(true);
    ahead(0, 2 * MIB);
    await nextTask();
    ahead(MIB, 3 * MIB);
    expect(counted.now).toEqual([0, 1]);
  });
});
