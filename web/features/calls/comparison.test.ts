import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TimeOrder } from '../../base/calls_protocol.ts';
import type { JobQuestion, JobReply } from '../../base/job_protocol.ts';
import { MANY, type Percentiles } from '../../base/protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { Pointed } from '../../trace/pointed.ts';
import type { Whose } from '../../trace/statistics.ts';
import type { Extent } from '../../trace/view.ts';
import { aligned, createComparison, type Run, runsOf, together } from './comparison.ts';
import type { Call } from './find_call.ts';

const run = (name: number, total = 1, count = 1): Run => ({ name, count, total, merged: false });
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
    fill: new Uint8Array(all.length).fill(51),
  } as unknown as TimeOrder;
}

describe('callees', () => {
  it('are back-to-back calls of one depth', () => {
    const given = calls([2, 0, 100, 9, 0], [3, 0, 10, 5, 0], [3, 10, 30, 5, 1], [3, 40, 45, 6, 2], [3, 50, 60, 5, 3]);
    expect(runsOf(given, 3)).toEqual([run(5, 30, 2), run(6, 5), run(5, 10)]);
  });
  it('that are too short to tell apart count by how much they cover', () => {
    expect(runsOf(calls([3, 0, 100, 5, MANY]), 3)).toEqual([{ name: 5, count: 1, total: 20, merged: true }]);
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
    const { rows, byName, self } = together(call(0, 0n, 2000n), call(1, 0n, 10n), many, [run(1, 4)]);
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
  const percentiles = signal<Percentiles | null>(null);
  const selected = signal<Pointed | null>(null);
  const range = signal<Extent | null>(null);
  const trace = {
    begin: ((question: JobQuestion, take: (reply: JobReply) => void, slot?: string) => {
      asked.push({ question, slot, take });
      return () => undefined;
    }) as never,
  };
  const statistics = {
    range,
    whose: signal<Whose>('all'),
    asked: () => ({ from: ticks(0n), to: ticks(100n), tracks: Uint32Array.of(1) }),
  };
  const answer = (of: number, part: unknown) =>
    asked[of]!.take({ t: 'job-part', id: 0, part, progress: { done: 1, of: 1 }, last: true } as JobReply);
  const listOf = ({ item, start, end }: Call) => ({
    length: 1,
    track: Uint32Array.of(item.track),
    depth: Int32Array.of(item.depth),
    index: Uint32Array.of(item.index),
    start: BigUint64Array.of(start),
    end: BigUint64Array.of(end),
    flags: Uint8Array.of(0),
  });
  beforeEach(() => {
    asked = [];
    percentiles.value = null;
    selected.value = null;
  });

  it('finds both calls, and then their callees', () => {
    const { compared, compare } = createComparison(NAME, { trace, statistics, selection: { selected } }, percentiles);
    compare('longest');
    expect([asked.length, compared.value]).toEqual([0, { which: 'longest', found: null, failure: null }]);
    percentiles.value = { median: 10n, p90: 40n, p99: 90n };
    expect(asked[0]!.question).toMatchObject({ kind: 'calls', order: 'longest', name: NAME });
    answer(0, listOf(call(4, 0n, 90n)));
    expect(asked[1]!.question).toMatchObject({ kind: 'calls', shortest: 10n, longest: 10n });
    answer(1, listOf(call(2, 100n, 110n)));
    expect(asked[2]!.question).toMatchObject({ kind: 'timeOrder', from: 0n, to: 90n });
    expect(asked[3]!.question).toMatchObject({ kind: 'timeOrder', from: 100n, to: 110n });
    answer(2, calls([3, 0, 80, 5, 0]));
    answer(3, calls([3, 2, 8, 5, 1]));
    expect(compared.value?.found?.rows).toEqual([{ name: 5, slow: run(5, 80), median: run(5, 6) }]);
    expect(compared.value?.found?.self).toEqual({ slow: 10, median: 4 });
    compare(null);
    expect(compared.value).toBe(null);
  });
  it('says if the call is a median one', () => {
    percentiles.value = { median: 10n, p90: 10n, p99: 10n };
    const { compared, compare } = createComparison(NAME, { trace, statistics, selection: { selected } }, percentiles);
    compare('p90');
    answer(0, listOf(call(2, 0n, 10n)));
    answer(1, listOf(call(2, 0n, 10n)));
    expect(compared.value?.failure).toContain('median duration itself');
  });
});
