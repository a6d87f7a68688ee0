import { signal } from '@preact/signals';
import { expect, test, vi } from 'vitest';
import { createRecordDifferences, type Hunk } from './records.ts';
import { whatDiffers } from './records_list.tsx';

const track = (id: number, name: string) => ({ id, parent: -1, kind: 'thread', name });

/** A trace that has been read, with a token for each record of some tracks. */
function side(tracks: readonly (readonly [number, string, readonly number[]])[], names: readonly string[] = []) {
  const tokens = tracks.flatMap(([, , own]) => own);
  let end = 0;
  const ends = tracks.map(([, , own]) => (end += own.length));
  const found = {
    tracks: Uint32Array.from(tracks, ([id]) => id),
    ends: Uint32Array.from(ends),
    tokens: Uint32Array.from(tokens),
    contents: new Uint8Array(),
    contentEnds: new Uint32Array(),
    fields: ['kind'],
  };
  const records = {
    tokens: vi.fn(async () => ({ value: found, error: null })),
    numbered: vi.fn(async (track: number, first: number) => [{ track, first }]),
  };
  return {
    records,
    trace: {
      names: { text: names, keyOf: (id: number) => (id === 0 ? '#7' : ''), version: signal(0) },
      status: signal({ at: 'ready' }),
      progress: signal({ events: tokens.length }),
      tracks: signal(new Map(tracks.map(([id, name]) => [id, track(id, name)]))),
      records,
    },
  };
}

function differences(
  a: ReturnType<typeof side>,
  b: ReturnType<typeof side>,
  align: (a: Uint32Array, b: Uint32Array) => number[],
) {
  const service = {
    takeTokens: async () => undefined,
    align: async (x: Uint32Array, y: Uint32Array) => Uint32Array.from(align(x, y)),
  };
  return createRecordDifferences([a, b] as never, () => service as never);
}

test('nothing is compared until it is wanted', async () => {
  const [a, b] = [side([[1, 'thread 7', [0]]]), side([[4, 'thread 9', [0]]])];
  const found = differences(a, b, () => []);
  expect(found.state.value).toEqual({ at: 'waiting' });
  expect(a.records.tokens).not.toHaveBeenCalled();
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value).toEqual({ at: 'done', hunks: [], fields: ['kind'] }));
  found.dispose();
});

test('threads are paired as on the screen, and those of one side stand alone', async () => {
  const a = side(
    [
      [1, 'thread 7', [5, 6]],
      [2, 'main', [1]],
    ],
    ['f', 'g'],
  );
  const b = side([
    [3, 'main', [2]],
    [4, 'thread 9', [5]],
    [5, 'thread 10', [8]],
  ]);
  const asked: number[][][] = [];
  const found = differences(a, b, (x, y) => {
    asked.push([[...x], [...y]]);
    return asked.length === 1 ? [1, 2, 1, 1] : [];
  });
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value.at).toBe('done'));
  expect(asked).toEqual([
    [[5, 6], [5]],
    [[1], [2]],
    [[], [8]],
  ]);
  const hunk: Hunk = { tracks: [1, 4], a: [1, 2], b: [1, 1] };
  expect(found.state.value).toEqual({ at: 'done', hunks: [hunk], fields: ['kind'] });
  expect(a.records.tokens).toHaveBeenCalledWith(BigInt64Array.of(7n), ['f'], expect.anything(), expect.anything());
  expect(await found.records(hunk)).toEqual([
    { track: 1, first: 1 },
    { track: 4, first: 1 },
  ]);
  found.want(0, 9);
  found.want(0, 9);
  await vi.waitFor(() => expect([...found.ends.value.keys()]).toEqual([0]));
  // Once for each of the two questions, not for the repeated one.
  expect(a.records.numbered).toHaveBeenCalledTimes(2);
  expect(await found.records({ ...hunk, tracks: [null, 5] })).toEqual([null, { track: 5, first: 1 }]);
  found.dispose();
});

test('a difference is said in words', () => {
  const of = (a: readonly [number, number], b: readonly [number, number]) =>
    whatDiffers({ a, b }, 'call').replaceAll('\u00a0', ' ');
  expect(of([3, 3], [3, 4])).toBe('1 call only in B');
  expect(of([3, 1203], [3, 3])).toBe('1,200 calls only in A');
  expect(of([3, 5], [3, 5])).toBe('2 calls changed');
  expect(of([3, 5], [3, 9])).toBe('2 in A, 6 in B');
});
