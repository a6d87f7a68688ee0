import { describe, expect, it } from 'vitest';
import type { Item } from '../base/protocol.ts';
import { gather } from './gather.ts';

const ITEM: Item = { kind: 'slice', track: 0, depth: 0, index: 0 };
const FILE = new Blob([Uint8Array.from({ length: 100 }, (_, i) => i)]);

type Range = { offset: number; length: number };

/** A session that requests these ranges and records the number of bytes it gets. */
function asking(first: Range | undefined, then: readonly Range[]) {
  const seen: number[] = [];
  return {
    seen,
    detailsRange: () => first,
    detailsNext: (_: Item, bytes: Uint8Array) => {
      seen.push(bytes.length);
      return then[seen.length - 1];
    },
  };
}

describe('the bytes of details', () => {
  it('are joined from all requested ranges', async () => {
    const session = asking({ offset: 2, length: 3 }, [
      { offset: 50, length: 2 },
      { offset: 0, length: 1 },
    ]);
    expect([...(await gather(session, FILE, ITEM))!]).toEqual([2, 3, 4, 50, 51, 0]);
    expect(session.seen).toEqual([3, 5, 6]);
  });
  it('may be empty', async () => {
    expect(await gather(asking({ offset: 0, length: 0 }, []), FILE, ITEM)).toEqual(new Uint8Array());
    expect(await gather(asking(undefined, []), FILE, ITEM)).toBeNull();
  });
  it('end early if the file does', async () => {
    const session = asking({ offset: 90, length: 20 }, Array<Range>(1000).fill({ offset: 100, length: 4 }));
    expect(await gather(session, FILE, ITEM)).toHaveLength(10);
    expect(session.seen).toEqual([10]);
  });
});
