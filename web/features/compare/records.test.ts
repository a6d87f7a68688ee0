import { effect, signal } from '@preact/signals';
import { expect, test, vi } from 'vitest';
import { type GivenNames, shownByName } from '../../base/given_names.ts';
import { manyNames } from '../../base/portions.fixture.ts';
import { PORTION } from '../../base/portions.ts';
import { whatDiffers } from './hunk_words.ts';
import { createRecordDifferences, type Hunk, type Thread } from './records.ts';

type Take = (part: { readonly places: Uint32Array; readonly tokens: Uint32Array }) => void;

const track = (id: number, name: string) => ({ id, parent: -1, kind: 'thread', name, thread: 100 + id });

/** A trace that has been read, with a token for each record of some tracks. */
function side(tracks: readonly (readonly [number, string, readonly number[]])[], names: readonly string[] = []) {
  const tokens = tracks.flatMap(([, , own]) => own);
  let end = 0;
  const ends = tracks.map(([, , own]) => (end += own.length));
  const part = () => ({
    places: Uint32Array.from(tracks.flatMap(([id, , own]) => [id, 0, own.length, own.length])),
    tokens: Uint32Array.from(tokens),
  });
  const found = {
    tracks: Uint32Array.from(tracks, ([id]) => id),
    counts: Uint32Array.from(tracks, ([, , own]) => own.length),
    contents: new Uint8Array(),
    contentEnds: new Uint32Array(),
    positions: BigUint64Array.from(tokens, (_, i) => BigInt(10 * i)),
    positionEnds: Uint32Array.from(ends),
    positionShifts: new Uint8Array(tracks.length),
    begins: BigUint64Array.from(tracks, () => 5n),
    leftOut: new Uint32Array(),
    leftOutEnds: new Uint32Array(tracks.length),
    valuesLeftOut: new Float64Array(tracks.length),
    fields: ['kind'],
  };
  const records = {
    tokens: vi.fn(async (_given: GivenNames, _rules: unknown, _pieces: unknown, take: Take) => {
      take(part());
      return { value: found, error: null };
    }),
    found,
    numbered: vi.fn(async (track: number, first: number) => [{ track, first }]),
    reuse: vi.fn(),
  };
  return {
    records,
    trace: {
      names: { text: names, keyOf: (id: number) => (id === 0 ? '#7' : ''), version: signal(0) },
      status: signal({ at: 'ready' }),
      progress: signal({ events: tokens.length }),
      tracks: signal(new Map(tracks.map(([id, name]) => [id, track(id, name)]))),
      info: signal({ format: 'xray' }),
      ledger: { set: vi.fn() },
      records,
    },
  };
}

/** `pairs`: the threads that belong together; in the order of both without them. `align` has four numbers for each difference of a pair. */
function differences(
  a: ReturnType<typeof side>,
  b: ReturnType<typeof side>,
  align: (pair: number) => number[],
  pairs: readonly number[] = [1, 1],
  rules: readonly string[] = [],
) {
  const service = {
    beginRecords: vi.fn(async () => undefined),
    takeRecords: vi.fn(async (_side: number, { tokens }: Parameters<Take>[0]) => tokens),
    first: vi.fn(async () => new Uint32Array()),
    pairThreads: vi.fn(async () => ({ pairs: Uint32Array.from(pairs), alone: Uint32Array.of(4, 0) })),
    align: async (pair: number, _: AbortSignal) => {
      const hunks = Uint32Array.from(align(pair));
      const kinds = new Uint8Array(hunks.length / 4);
      return {
        hunks,
        kinds,
        loops: new Uint32Array(),
        around: new Uint32Array(),
        names: [],
        alike: new Uint32Array(),
        aloneA: Uint32Array.of(1, 2),
        aloneB: new Uint32Array(),
      };
    },
  };
  return {
    ...createRecordDifferences([a, b] as never, () => service as never, {
      ignored: signal(rules),
      wanted: signal(false),
    }),
    service,
  };
}

test('what the worker has of the records is on the ledger until nothing is compared any more', async () => {
  const [a, b] = [side([[1, 'main', [0, 1, 2]]]), side([[4, 'main', [0]]])];
  const found = differences(a, b, () => [], [1, 4]);
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value.at).toBe('done'));
  const held = (bytes: number) => ['numbers of records', { noun: 'numbers of records', bytes, free: null }] as const;
  expect([a.trace.ledger.set.mock.lastCall, b.trace.ledger.set.mock.lastCall]).toEqual([held(12), held(4)]);
  found.dispose();
  expect([a.trace.ledger.set.mock.lastCall, b.trace.ledger.set.mock.lastCall]).toEqual([held(0), held(0)]);
});

test('of long traces, the first difference is known before all is compared', async () => {
  const threads = [
    [1, 'main', [0, 1, 2]],
    [2, 'other', [3, 4]],
  ] as const;
  const [a, b] = [side(threads), side(threads)];
  for (const { trace } of [a, b]) trace.progress.value = { events: 1_000_000 };
  const found = differences(a, b, () => [1, 2, 1, 2], [1, 1, 2, 2]);
  found.service.first
    .mockResolvedValueOnce(new Uint32Array())
    .mockResolvedValueOnce(Uint32Array.of(2, 2, 1, 1, 1, 1, 0, 2));
  const seen: unknown[] = [];
  effect(() => {
    seen.push([found.state.value.at, found.first.value?.numbers ?? null]);
  });
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value.at).toBe('done'));
  // That of `main` is at 0, and that of `other` at 40.
  expect(found.first.value).toMatchObject({ tracks: [1, 1], numbers: [0, 2] });
  expect(seen).toContainEqual(['working', [0, 2]]);
  const pieces = (a.records.tokens.mock.calls as unknown[][]).map((call) => call[2]);
  expect(pieces).toEqual([8, 64, null]);
  found.dispose();
});

test('an alignment is stopped once nobody waits for it', async () => {
  const [a, b] = [side([[1, 'main', [0]]]), side([[4, 'main', [1]]])];
  const found = differences(a, b, () => [], [1, 4]);
  const align = vi.spyOn(found.service, 'align');
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value.at).toBe('done'));
  const [, stop] = align.mock.lastCall!;
  expect(stop.aborted).toBe(false);
  found.dispose();
  expect(stop.aborted).toBe(true);
});

test('nothing is compared until it is wanted', async () => {
  const [a, b] = [side([[1, 'thread 7', [0]]]), side([[4, 'thread 9', [0]]])];
  const found = differences(a, b, () => []);
  expect(found.state.value).toEqual({ at: 'waiting' });
  expect(a.records.tokens).not.toHaveBeenCalled();
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value).toMatchObject({ at: 'done', hunks: [], fields: ['kind'] }));
  found.dispose();
});

test('threads are paired by what they do, and those of one side stand alone', async () => {
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
  const none = 2 ** 32 - 1;
  const found = differences(a, b, (pair) => (pair === 0 ? [1, 2, 1, 1] : []), [1, 4, 2, 3, none, 5]);
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value.at).toBe('done'));
  const given = (track: number, name: string) => ({ track, name, thread: BigInt(100 + track), begin: 5n });
  expect(found.service.beginRecords.mock.calls).toEqual([['xray', []]]);
  expect(found.service.takeRecords.mock.calls).toEqual([
    [0, { places: Uint32Array.of(1, 0, 2, 2, 2, 0, 1, 1), tokens: Uint32Array.of(5, 6, 1) }],
    [1, { places: Uint32Array.of(3, 0, 1, 1, 4, 0, 1, 1, 5, 0, 1, 1), tokens: Uint32Array.of(2, 5, 8) }],
  ]);
  // The memory goes back to where it came from.
  expect(a.records.reuse.mock.calls).toEqual([[Uint32Array.of(5, 6, 1)]]);
  expect(b.records.reuse.mock.calls).toEqual([[Uint32Array.of(2, 5, 8)]]);
  expect(found.service.pairThreads).toHaveBeenCalledWith(
    expect.objectContaining({ tracks: [given(1, 'thread 7'), given(2, 'main')] }),
    expect.objectContaining({ tracks: [given(3, 'main'), given(4, 'thread 9'), given(5, 'thread 10')] }),
  );
  const hunk: Hunk = {
    tracks: [1, 4],
    a: [1, 2],
    b: [1, 1],
    counts: [1, 0],
    kind: 'only-a',
    loop: null,
    around: null,
  };
  expect(found.state.value).toMatchObject({ at: 'done', hunks: [hunk], fields: ['kind'], alone: [4, 0] });
  const { threads } = found.state.value as { threads: readonly Thread[] };
  const every = (from: number, to: number) => BigUint64Array.from([0n, 10n, 20n].slice(from, to));
  const at = (from: number, to: number) => ({ every: every(from, to), shift: 0 });
  expect(threads.map(({ alike: _, leftOut: __, alone: ___, ...thread }) => thread)).toEqual([
    { tracks: [1, 4], lengths: [2, 1], first: 0, end: 1, positions: [at(0, 2), at(1, 2)] },
    { tracks: [2, 3], lengths: [1, 1], first: 1, end: 1, positions: [at(2, 3), at(0, 1)] },
    { tracks: [null, 5], lengths: [0, 1], first: 1, end: 1, positions: [null, at(2, 3)] },
  ]);
  expect(a.records.tokens).toHaveBeenCalledWith(
    expect.anything(),
    [],
    null,
    expect.anything(),
    expect.anything(),
    expect.anything(),
  );
  const names = a.records.tokens.mock.lastCall?.[0] ?? [];
  expect([...(await shownByName(names))]).toEqual([['#7', 'f']]);
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

test('goes through a portion of the names in a turn', async () => {
  const [a, b] = [side([[1, 'main', [0]]]), side([[1, 'main', [1]]])];
  const many = manyNames();
  Object.assign(a.trace.names, { text: many.text, keyOf: many.keyOf });
  const found = differences(a, b, () => []);
  found.wanted.value = true;
  await vi.waitFor(() => expect(found.state.value.at).toBe('done'));
  expect(many.most()).toBe(PORTION);
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

test('what rules leave out is counted, and no part of a difference', async () => {
  const [a, b] = [
    side([[1, 'main', [0, 1, 2]]]),
    side([
      [1, 'main', [0, 1]],
      [2, 'other', [4, 5, 6]],
    ]),
  ];
  Object.assign(a.records.found, {
    leftOut: Uint32Array.of(2, 3),
    leftOutEnds: Uint32Array.of(2),
    valuesLeftOut: Float64Array.of(7),
  });
  const rules = ['name:x', 'thread:other', 'nonsense', 'arg.'];
  const differ = differences(a, b, () => [1, 4, 1, 1], [1, 1], rules);
  differ.wanted.value = true;
  await vi.waitFor(() => expect(differ.state.value.at).toBe('done'));
  expect(a.records.tokens.mock.lastCall).toEqual([
    [],
    ['name:x', 'thread:other'],
    null,
    expect.anything(),
    expect.anything(),
    expect.anything(),
  ]);
  expect(differ.state.value).toMatchObject({
    hunks: [{ a: [1, 4], counts: [1, 0] }],
    threads: [{ lengths: [5, 2] }],
    leftOut: { threads: [0, 1], records: [2, 3], values: [7, 0] },
  });
  differ.dispose();
});

test('a difference is said in words', () => {
  const of = (kind: Hunk['kind'], counts: readonly [number, number], noun = 'call', more: Partial<Hunk> = {}) =>
    whatDiffers({ counts, kind, loop: null, around: null, ...more }, noun).replaceAll('\u00a0', ' ');
  expect(of('only-b', [0, 1])).toBe('1 call only in B');
  expect(of('only-a', [1200, 0])).toBe('1,200 calls only in A');
  expect(of('arguments', [2, 2])).toBe('Other arguments in 2 calls');
  expect(of('arguments', [1, 1], 'step')).toBe('1 step with other contents');
  expect(of('order', [0, 6])).toBe('6 calls in another order');
  const loop = { records: 3, counts: [1, 2], same: [true, false] } as const;
  expect(of('iterations', [0, 3], 'call', { loop })).toBe(
    'Iterations: 1 in A, 2 in B, of 3 calls; the last ones differ',
  );
  const around = { side: 'B', outer: 'retry', inner: 'draw' } as const;
  expect(of('inside', [0, 1], 'call', { around })).toBe('The calls of draw are inside of retry in B');
  expect(of('other', [2, 6])).toBe('2 in A, 6 in B');
});
