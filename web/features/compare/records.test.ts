import { signal } from '@preact/signals';
import { expect, test, vi } from 'vitest';
import { whatDiffers } from './hunk_words.ts';
import { createRecordDifferences, type Hunk, type Thread } from './records.ts';

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
    positions: BigUint64Array.from(tokens, (_, i) => BigInt(10 * i)),
    positionEnds: Uint32Array.from(ends),
    positionShifts: new Uint8Array(tracks.length),
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
    align: async (x: Uint32Array, y: Uint32Array) => {
      const hunks = Uint32Array.from(align(x, y));
      const count = hunks.length / 4;
      return { hunks, kinds: new Uint8Array(count), turns: new Uint32Array(count), alike: new Uint32Array() };
    },
  };
  return createRecordDifferences([a, b] as never, () => service as never);
}

test('nothing is compared until it is wanted', async () => {
  const [a, b] = [side([[1, 'thread 7', [0]]]), side([[4, 'thread 9', [0]]])];
  const found = differences(a, b, () => []);
  expect(found.state.value).toEqual({ at: 'waiting' });
  expect(a.records.tokens).not.toHaveBeenCalled();
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value).toMatchObject({ at: 'done', hunks: [], fields: ['kind'] }));
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
  const hunk: Hunk = { tracks: [1, 4], a: [1, 2], b: [1, 1], kind: 'only-a', turn: 0 };
  expect(found.state.value).toMatchObject({ at: 'done', hunks: [hunk], fields: ['kind'] });
  const { threads } = found.state.value as { threads: readonly Thread[] };
  const every = (from: number, to: number) => BigUint64Array.from([0n, 10n, 20n].slice(from, to));
  const at = (from: number, to: number) => ({ every: every(from, to), shift: 0 });
  expect(threads.map(({ alike: _, ...thread }) => thread)).toEqual([
    { tracks: [1, 4], lengths: [2, 1], first: 0, end: 1, positions: [at(0, 2), at(1, 2)] },
    { tracks: [2, 3], lengths: [1, 1], first: 1, end: 1, positions: [at(2, 3), at(0, 1)] },
    { tracks: [null, 5], lengths: [0, 1], first: 1, end: 1, positions: [null, at(2, 3)] },
  ]);
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

test('differences are in order, or the largest first, and are stepped through in that order', async () => {
  const [a, b] = [side([[1, 'main', [0, 1, 2, 3, 4, 5]]]), side([[1, 'main', [0]]])];
  const found = differences(a, b, () => [0, 1, 0, 0, 2, 4, 0, 1, 5, 6, 1, 1]);
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value.at).toBe('done'));
  expect([...found.ordered.value]).toEqual([0, 1, 2]);
  expect([found.beside(1), found.beside(-1)]).toEqual([0, 2]);
  found.order.value = 'size';
  expect([...found.ordered.value]).toEqual([1, 0, 2]);
  found.chosen.value = 1;
  expect([found.beside(1), found.beside(-1)]).toEqual([0, -1]);
  found.chosen.value = 2;
  expect([found.beside(1), found.beside(-1)]).toEqual([-1, 0]);
  found.dispose();
});

test('a difference is said in words', () => {
  const of = (
    kind: Hunk['kind'],
    a: readonly [number, number],
    b: readonly [number, number],
    noun = 'call',
    turn = 0,
  ) => whatDiffers({ a, b, kind, turn }, noun).replaceAll('\u00a0', ' ');
  expect(of('only-b', [3, 3], [3, 4])).toBe('1 call only in B');
  expect(of('only-a', [3, 1203], [3, 3])).toBe('1,200 calls only in A');
  expect(of('arguments', [3, 5], [3, 5])).toBe('Other arguments in 2 calls');
  expect(of('arguments', [3, 4], [3, 4], 'step')).toBe('1 step with other contents');
  expect(of('order', [3, 3], [3, 9])).toBe('6 calls in another order');
  expect(of('iterations', [3, 9], [3, 3], 'call', 3)).toBe('2 more iterations in A');
  expect(of('iterations', [3, 3], [3, 6], 'call', 3)).toBe('1 more iteration in B');
  expect(of('other', [3, 5], [3, 9])).toBe('2 in A, 6 in B');
});
