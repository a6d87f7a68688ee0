import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TimeOrder } from '../base/calls_protocol.ts';
import type { JobQuestion, JobReply } from '../base/job_protocol.ts';
import { MANY, type Percentiles } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { type Run, runsOf } from './call_runs.ts';
import type { Call } from './find_call.ts';
import type { Pointed } from './pointed.ts';
import { aligned, createSlowCall, together } from './slow_call.ts';
import type { Whose } from './statistics.ts';
import type { Extent } from './view.ts';

const run = (name: number, total = 1, count = 1): Run => ({
  name,
  count,
  total,
  self: total,
  merged: false,
  longest: null,
});
/** What is looked at of a run. */
const like = (name: number, total: number, count = 1) => ({ name, count, total, self: total, merged: false });
const call = (index: number, start: bigint, end: bigint): Call => ({
  item: { kind: 'slice', track: 1, depth: 2, index },
  start: ticks(start),
  end: ticks(end),
  flags: 0,
});

/** Calls at depths: depth, start, end, name, index. */
function calls(...all: readonly (readonly [number, number, number, number, number])[]): TimeOrder {
  const column = (i: number) => all.map((it) => it[i]!);
  return {
    length: all.length,
    depth: Int32Array.from(column(0)),
    start: Float64Array.from(column(1)),
    end: Float64Array.from(column(2)),
    name: Uint32Array.from(column(3)),
    index: Uint32Array.from(column(4)),
    from: 0n,
    track: new Uint32Array(all.length).fill(1),
    flags: new Uint8Array(all.length),
    fill: new Uint8Array(all.length).fill(51),
  } as unknown as TimeOrder;
}

describe('callees', () => {
  it('are back-to-back calls of one depth', () => {
    const given = calls([2, 0, 100, 9, 0], [3, 0, 10, 5, 0], [3, 10, 30, 5, 1], [3, 40, 45, 6, 2], [3, 50, 60, 5, 3]);
    expect(runsOf(given, 3)).toMatchObject([like(5, 30, 2), like(6, 5), like(5, 10)]);
    // The longest one of each run, with what its own callees leave.
    const deeper = runsOf(
      calls(
        ...([
          [3, 0, 10, 5, 0],
          [3, 10, 30, 5, 1],
          [4, 12, 19, 8, 0],
          [3, 40, 45, 6, 2],
        ] as const),
      ),
      3,
    );
    expect(deeper.map(({ self, longest }) => [self, longest?.item.index])).toEqual([
      [23, 1],
      [5, 2],
    ]);
  });
  it('that are too short to tell apart count by how much they cover', () => {
    expect(runsOf(calls([3, 0, 100, 5, MANY]), 3)).toMatchObject([
      { name: 5, count: 1, total: 20, merged: true, longest: null },
    ]);
  });
});

describe('matched callees', () => {
  const pairs = (a: readonly number[], b: readonly number[]) =>
    aligned(
      a.map((name) => run(name)),
      b.map((name) => run(name)),
    ).map(({ slow, median }) => [slow?.name ?? null, median?.name ?? null]);
  it('keep the order of both sides', () => {
    expect(pairs([1, 2, 3, 4], [1, 3, 5, 4])).toEqual([
      [1, 1],
      [2, null],
      [3, 3],
      [null, 5],
      [4, 4],
    ]);
    expect(pairs([], [1])).toEqual([[null, 1]]);
    expect(pairs([1, 2], [])).toEqual([
      [1, null],
      [2, null],
    ]);
  });
  it('are matched by name if there are many', () => {
    const many = Array.from({ length: 1000 }, (_, i) => run(i % 2));
    const { rows, byName, self } = together(
      { call: call(0, 0n, 2000n), runs: many },
      { call: call(1, 0n, 10n), runs: [run(1, 4)], likeness: { by: 'callees' } },
    );
    expect(byName).toBe(true);
    expect(rows).toEqual([
      { name: 0, slow: run(0, 500, 500), median: null },
      { name: 1, slow: run(1, 500, 500), median: run(1, 4) },
    ]);
    expect(self).toEqual({ slow: 1000, median: 6 });
  });
});

describe('a comparison', () => {
  const NAME = 7;
  let asked: { question: JobQuestion; slot: string | undefined; take: (reply: JobReply) => void }[];
  /** Each comparison has its own. */
  let percentiles = signal<Percentiles | null>(null);
  const selected = signal<Pointed | null>(null);
  const range = signal<Extent | null>(null);
  /** The first arguments of calls by index. */
  let given: Record<number, string>;
  const trace = {
    begin: ((question: JobQuestion, take: (reply: JobReply) => void, slot?: string) => {
      asked.push({ question, slot, take });
      return () => undefined;
    }) as never,
    details: (({ index }: { index: number }) => {
      const value = { t: 'list', v: [{ t: 'text', v: given[index] ?? '' }] };
      const fields = given[index] === undefined ? [] : [{ name: 'Arguments', value }];
      return Promise.resolve({ details: { fields }, error: null });
    }) as never,
  };
  const statistics = {
    range,
    whose: signal<Whose>('all'),
    asked: () => ({ from: ticks(0n), to: ticks(100n), tracks: Uint32Array.of(1) }),
  };
  const answer = (of: number, part: unknown) =>
    asked[of]!.take({ t: 'job-part', id: 0, part, progress: { done: 1, of: 1 }, last: true } as JobReply);
  const listOf = (...all: readonly Call[]) => ({
    length: all.length,
    track: Uint32Array.from(all, ({ item }) => item.track),
    depth: Int32Array.from(all, ({ item }) => item.depth),
    index: Uint32Array.from(all, ({ item }) => item.index),
    start: BigUint64Array.from(all, ({ start }) => start),
    end: BigUint64Array.from(all, ({ end }) => end),
    flags: new Uint8Array(all.length),
  });
  /** Answers a question once it is asked. */
  const answerNext = async (of: number, kind: JobQuestion['kind'], part: unknown) => {
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(of));
    expect(asked[of]!.question.kind).toBe(kind);
    answer(of, part);
  };
  beforeEach(() => {
    asked = [];
    given = {};
    percentiles = signal<Percentiles | null>(null);
    selected.value = null;
  });

  /** Compares the longest call, of 90 ticks, whose callee is `callee`, or which has none; 0. Calls near the median are `near`. */
  const compareLongest = async (callee: number, ...near: readonly Call[]) => {
    percentiles = signal<Percentiles | null>(null);
    const made = createSlowCall(NAME, { trace, statistics, selection: { selected } }, percentiles);
    percentiles.value = { median: 10n, p90: 40n, p99: 90n };
    made.compare('longest');
    await answerNext(0, 'calls', listOf(call(4, 0n, 90n)));
    await answerNext(1, 'timeOrder', callee > 0 ? calls([3, 0, 80, callee, 0]) : calls());
    await answerNext(2, 'calls', listOf(...near));
    await answerNext(3, 'calls', listOf());
    return made;
  };
  const foundIn = async ({ compared }: Awaited<ReturnType<typeof compareLongest>>) => {
    await vi.waitFor(() => expect(compared.value?.found).not.toBeNull());
    return compared.value!.found!;
  };

  it('waits for the percentiles', () => {
    const { compared, compare } = createSlowCall(NAME, { trace, statistics, selection: { selected } }, percentiles);
    compare('longest');
    expect([asked.length, compared.value]).toEqual([0, { which: 'longest', found: null, failure: null }]);
    percentiles.value = { median: 10n, p90: 40n, p99: 90n };
    expect(asked[0]!.question).toMatchObject({ kind: 'calls', order: 'longest', name: NAME });
    compare(null);
    expect(compared.value).toBe(null);
  });
  it('takes the call nearest to the median with the same callees', async () => {
    const made = await compareLongest(5, call(1, 100n, 111n), call(2, 200n, 210n), call(4, 0n, 90n));
    expect([asked[2]!.question, asked[3]!.question]).toMatchObject([
      { shortest: 10n, order: 'shortest' },
      { longest: 9n, order: 'longest' },
    ]);
    // The nearest has another callee.
    await answerNext(4, 'timeOrder', calls([3, 0, 9, 6, 1]));
    expect(asked[4]!.question).toMatchObject({ from: 200n, to: 210n });
    await answerNext(5, 'timeOrder', calls([3, 2, 8, 5, 2], [3, 8, 9, 5, 3]));
    const found = await foundIn(made);
    expect([found.median.item.index, found.likeness]).toEqual([1, { by: 'callees' }]);
    expect(found.rows).toMatchObject([{ name: 5, slow: like(5, 80), median: like(5, 7, 2) }]);
    expect(found.self).toEqual({ slow: 10, median: 4 });
  });
  it('takes one with the same first argument if no callees tell', async () => {
    given = { 4: 'a', 1: 'b', 2: 'a' };
    const made = await compareLongest(0, call(1, 100n, 110n), call(2, 200n, 211n));
    await answerNext(4, 'timeOrder', calls());
    const found = await foundIn(made);
    expect([found.median.item.index, found.likeness]).toEqual([2, { by: 'argument', argument: 'a' }]);
  });
  it('takes the nearest, and says so, if none did the same', async () => {
    given = { 4: 'a', 1: 'b' };
    const made = await compareLongest(5, call(1, 100n, 110n));
    await answerNext(4, 'timeOrder', calls([3, 0, 9, 6, 1]));
    const found = await foundIn(made);
    expect([found.median.item.index, found.likeness]).toEqual([1, { by: null, tried: 1 }]);
  });
  it('says if nothing tells what a call did, and if there is no other call', async () => {
    const made = await compareLongest(0, call(1, 100n, 110n));
    await answerNext(4, 'timeOrder', calls());
    expect((await foundIn(made)).likeness).toEqual({ by: null, tried: 0 });
    asked = [];
    const { compared } = await compareLongest(5, call(4, 0n, 90n));
    await vi.waitFor(() => expect(compared.value?.failure).toContain('no other call'));
  });
  it('says if the call is a median one', () => {
    percentiles.value = { median: 10n, p90: 10n, p99: 10n };
    const { compared, compare } = createSlowCall(NAME, { trace, statistics, selection: { selected } }, percentiles);
    compare('p90');
    answer(0, listOf(call(2, 0n, 10n)));
    expect(compared.value?.failure).toContain('median duration itself');
  });
  it('looks for the median call in another trace, whose names and ticks are its own', async () => {
    const base = {
      trace,
      statistics,
      name: 3,
      median: signal<bigint | null>(null),
      slowName: (name: number) => name + 100,
      medianName: (name: number) => name + 200,
      scale: 0.5,
    };
    const { compared, compare } = createSlowCall(
      NAME,
      { trace, statistics, selection: { selected }, base },
      percentiles,
    );
    percentiles.value = { median: 80n, p90: 85n, p99: 90n };
    compare('longest');
    expect(asked.length).toBe(0);
    base.median.value = 10n;
    await answerNext(0, 'calls', listOf(call(4, 0n, 90n)));
    expect(asked[0]!.question).toMatchObject({ name: NAME });
    await answerNext(1, 'timeOrder', calls([3, 0, 80, 105, 0]));
    // Its number is that of the slow call, but it is one of the other trace.
    await answerNext(2, 'calls', listOf(call(4, 0n, 11n)));
    expect(asked[2]!.question).toMatchObject({ name: 3, shortest: 10n });
    await answerNext(3, 'calls', listOf());
    await answerNext(4, 'timeOrder', calls([3, 0, 7, 5, 0]));
    await vi.waitFor(() => expect(compared.value?.found).not.toBeNull());
    const { rows, total, self, likeness } = compared.value!.found!;
    expect(likeness).toEqual({ by: 'callees' });
    expect(rows).toMatchObject([{ name: 205, slow: { total: 40, self: 40 }, median: { total: 7 } }]);
    expect([total, self]).toEqual([
      { slow: 45, median: 11 },
      { slow: 5, median: 4 },
    ]);
  });
});
