import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallList } from '../../base/calls_protocol.ts';
import type { JobQuestion, JobReply } from '../../base/job_protocol.ts';
import { MAX_TICKS, ticks } from '../../base/ticks.ts';
import { findCall, selectCall } from '../../trace/find_call.ts';
import { type Pointed, pointedOf } from '../../trace/pointed.ts';
import type { Whose } from '../../trace/statistics.ts';
import type { Status } from '../../trace/trace.ts';
import type { Extent } from '../../trace/view.ts';
import { createCallList, type FunctionCalls } from './call_list.ts';

const NAME = 7;
let asked: JobQuestion<'calls'>[];
let take: (reply: JobReply<'calls'>) => void;
let cancelled: number;
let list: FunctionCalls;
const status = signal<Status>({ at: 'loading' });
const range = signal<Extent | null>(null);
const whose = signal<Whose>('all');
const selected = signal<Pointed | null>(null);
const revealed: Pointed[] = [];
const READY: Status = { at: 'ready', how: 'complete', error: null };
const trace = {
  status,
  details: () => Promise.resolve(null),
  begin: ((question: JobQuestion<'calls'>, taker: typeof take) => {
    // Its percentiles are another question.
    if (question.kind !== 'calls') return () => undefined;
    asked.push(question);
    take = taker;
    return () => {
      cancelled += 1;
    };
  }) as never,
};
const statistics = {
  range,
  whose,
  asked: () => ({ from: ticks(0n), to: MAX_TICKS, tracks: Uint32Array.of(1) }),
};
const selection = {
  selected,
  reveal: (pointed: Pointed) => {
    revealed.push(pointed);
    selected.value = pointed;
  },
};

/** Answers the latest question out of a list of `listed` calls; call `i` starts at tick 10 i. */
function answer(listed: number, more: Partial<CallList> = {}): void {
  const { first, rows } = asked.at(-1)!;
  const length = Math.max(0, Math.min(rows, listed - first));
  const numbers = Array.from({ length }, (_, i) => first + i);
  const part: CallList = {
    all: listed,
    chosen: listed,
    listed,
    at: 0,
    found: false,
    low: Float64Array.of(1),
    above: Float64Array.of(2),
    count: Float64Array.of(listed),
    length,
    track: new Uint32Array(length).fill(1),
    depth: new Int32Array(length),
    index: Uint32Array.from(numbers),
    start: BigUint64Array.from(numbers, (i) => BigInt(i) * 10n),
    end: BigUint64Array.from(numbers, (i) => BigInt(i) * 10n + 1n),
    flags: new Uint8Array(length),
    ...more,
  };
  take({ t: 'job-part', id: 0, part, progress: { done: 1, of: 1 }, last: true });
}
const call = (index: number, name = NAME): Pointed => {
  const item = { kind: 'slice', track: 1, depth: 0, index } as const;
  return pointedOf({ item, name, start: ticks(BigInt(index) * 10n), end: ticks(BigInt(index) * 10n + 1n), flags: 0 });
};

beforeEach(() => {
  asked = [];
  cancelled = 0;
  revealed.length = 0;
  status.value = READY;
  range.value = null;
  selected.value = null;
  list = createCallList(NAME, trace, statistics, selection);
});
afterEach(() => list.dispose());

describe('the calls of a function', () => {
  it('wait until the file is read', () => {
    list.dispose();
    status.value = { at: 'loading' };
    asked = [];
    list = createCallList(NAME, trace, statistics, selection);
    expect(asked).toHaveLength(0);
    status.value = READY;
    expect(asked).toMatchObject([{ name: NAME, shortest: 0n, longest: MAX_TICKS, order: 'start', first: 0, of: null }]);
  });
  it('arrive in parts, as they are wanted', () => {
    expect([list.list.value, list.row(0)]).toEqual([null, null]);
    list.want(0, 20);
    expect(asked).toHaveLength(1);
    answer(10_000);
    expect(list.row(3)?.start).toBe(30n);
    list.want(0, 200);
    expect(asked).toHaveLength(1);
    list.want(5000, 5030);
    expect(asked).toHaveLength(2);
    // The same rows are not asked for twice.
    list.want(5000, 5030);
    expect(asked).toHaveLength(2);
    answer(10_000);
    for (let row = 5000; row < 5030; row += 1) expect(list.row(row)?.item.index).toBe(row);
    // Upwards from there.
    list.want(4900, 4930);
    answer(10_000);
    for (let row = 4900; row < 4930; row += 1) expect(list.row(row)?.item.index).toBe(row);
    list.want(9990, 10_020);
    answer(10_000);
    expect([list.row(9999)?.item.index, list.row(10_000)]).toEqual([9999, null]);
  });
  it('are asked for again when the order, the durations or the scope change', () => {
    answer(100);
    list.order.value = 'longest';
    // The list before stays until the other one is there, and no question is in its way.
    expect([asked.at(-1)?.order, list.list.value?.listed, list.row(3)]).toEqual(['longest', 100, null]);
    list.want(90, 100);
    expect(asked).toHaveLength(2);
    answer(50);
    expect([list.list.value?.listed, list.row(3)?.item.index]).toEqual([50, 3]);
    list.interval.value = { shortest: 4n, longest: 9n };
    expect(asked.at(-1)).toMatchObject({ order: 'longest', shortest: 4n, longest: 9n });
    range.value = { from: ticks(1n), to: ticks(2n) };
    expect([asked.length, cancelled]).toEqual([4, 1]);
  });
  it('are selected in the timeline, also before their rows arrive', () => {
    answer(10_000);
    list.choose(4);
    expect([list.current.value, revealed.at(-1)]).toEqual([4, call(4)]);
    expect(asked).toHaveLength(1);
    list.choose(8000);
    expect([list.current.value, revealed.length]).toEqual([8000, 1]);
    list.want(7990, 8010);
    answer(10_000);
    expect(revealed.at(-1)).toEqual(call(8000));
  });
  it('follow the selection', () => {
    answer(10_000);
    expect(list.wanted.value).toBeNull();
    selected.value = call(700);
    expect(asked.at(-1)?.of).toEqual(call(700).item);
    answer(10_000, { at: 700, found: true });
    expect([list.current.value, list.wanted.value]).toEqual([700, { row: 700 }]);
    // A call of another function has no row.
    selected.value = call(3, 1);
    expect([list.current.value, asked.length]).toEqual([-1, 2]);
    // One that is left out has a place by its start.
    selected.value = call(9);
    answer(10_000, { at: 5, found: false });
    expect([list.current.value, list.wanted.value]).toEqual([-1, { row: 5 }]);
  });
  it('do not lead to the selection in another order, or if they are narrowed', () => {
    answer(10_000);
    selected.value = call(700);
    answer(10_000, { at: 700, found: true });
    expect(list.wanted.value).toEqual({ row: 700 });
    list.order.value = 'longest';
    answer(10_000, { at: 60, found: true });
    expect([list.current.value, list.wanted.value]).toEqual([60, null]);
    list.interval.value = { shortest: 1n, longest: 9n };
    answer(1000, { at: 6, found: true });
    expect([list.current.value, list.wanted.value]).toEqual([6, null]);
    selected.value = call(9);
    answer(1000, { at: 2, found: true });
    expect(list.wanted.value).toEqual({ row: 2 });
  });
  it('fail with a reason', () => {
    take({ t: 'job-progress', id: 0, progress: { done: 1, of: 4 } });
    expect(list.progress.value).toEqual({ done: 1, of: 4 });
    take({ t: 'job-failed', id: 0, error: { kind: 'limit', sentence: 'No room.', offset: null } });
    expect([list.failure.value, list.progress.value]).toEqual(['No room.', null]);
  });
  it('include a longest and a shortest one', () => {
    selectCall({ name: NAME, order: 'longest' }, { trace, statistics, selection });
    expect(asked.at(-1)).toMatchObject({ order: 'longest', first: 0, rows: 1, name: NAME });
    answer(50);
    expect(selected.value).toEqual(call(0));
    selectCall({ name: NAME, order: 'shortest' }, { trace, statistics, selection });
    // What the user selects in the meantime stays.
    selected.value = call(30);
    answer(50);
    expect(selected.value).toEqual(call(30));
  });
  it('can be of one stack or of one duration', () => {
    const found: (bigint | null)[] = [];
    const take = (it: { readonly start: bigint } | null) => found.push(it?.start ?? null);
    findCall({ name: NAME, path: [3, NAME], order: 'longest' }, { trace, statistics }, 'slot', take);
    expect(asked.at(-1)).toMatchObject({ path: Uint32Array.of(3, NAME), shortest: 0n, longest: MAX_TICKS });
    answer(50);
    findCall({ name: NAME, order: 'start', duration: 5n }, { trace, statistics }, 'slot', take);
    expect(asked.at(-1)).toMatchObject({ path: new Uint32Array(), shortest: 5n, longest: 5n, order: 'start' });
    answer(0);
    expect(found).toEqual([call(0).start, null]);
  });
});
