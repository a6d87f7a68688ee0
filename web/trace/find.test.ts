import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BoundExpression, Hit, HitNumbers } from '../base/find_protocol.ts';
import type { JobReply } from '../base/job_protocol.ts';
import type { Item, Ticks } from '../base/protocol.ts';
import type { SearchFor, Searching } from '../base/record_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { createFind } from './find.ts';
import type { Pointed } from './pointed.ts';
import type { Status } from './trace.ts';
import type { Extent } from './view.ts';

const slices = Uint8Array.of(1);
const hitAt = (start: bigint): Hit => ({
  item: { kind: 'slice', track: 1, depth: 0, index: Number(start) },
  track: 1,
  start: ticks(start),
  end: ticks(start + 1n),
  name: 3,
  title: '',
  locator: start,
  matched: '',
});

/** A trace whose hits are at 10, 20, … and what happens to it. */
function setUp(bound: Partial<BoundExpression> = {}) {
  const log: string[] = [];
  const status = signal<Status>({ at: 'ready', how: 'complete', error: null });
  const selected = signal<Pointed | null>(null);
  const record = signal(null);
  let take: (reply: JobReply<'find'>) => void = () => undefined;
  let search: { take: (part: Searching) => void; end: () => void } | null = null;
  let hits: readonly Hit[] = [];
  const trace = {
    status,
    bind: async (text: string) => {
      log.push(`bind ${text}`);
      return text === 'wrong' ? { sentence: 'No.', at: 0, length: 5 } : { slices, records: null, ...bound };
    },
    begin: (_: unknown, taker: typeof take) => {
      log.push('begin');
      take = taker;
      return () => log.push('cancel');
    },
    hits: async (job: number, among: HitNumbers, first: number, count: number) => {
      log.push(`page ${job}`);
      return hits.slice(among.first, among.end).slice(first, first + count);
    },
    rankOfHit: async (job: number, x: Ticks, item: Item | null) => {
      log.push(`rank ${job}`);
      const rank = hits.filter(({ start }) => start < x).length;
      return { rank, isHit: item !== null && hits[rank]?.start === x };
    },
    marksOfHits: async () => null,
    columnsOfHits: async () => null,
    dropHits: async (job: number) => void log.push(`drop ${job}`),
    records: {
      search: (_slot: string, _filter: unknown, to: SearchFor, taker: (part: Searching) => void) =>
        new Promise<null>((resolve) => {
          log.push(`records ${to.job}`);
          search = { take: taker, end: () => resolve(null) };
        }),
      stopSearch: () => log.push('stop'),
    },
  };
  const view = signal({ anchor: ticks(0n), fraction: 0, perPixel: 1 });
  const range = signal<Extent | null>(null);
  const find = createFind(
    trace,
    { view, picture: signal(null), overview: signal(null) } as never,
    {
      selected,
      record,
      reveal: (pointed: Pointed) => {
        selected.value = pointed;
      },
      revealRecord: () => undefined,
    } as never,
    range,
  );
  return {
    find,
    range,
    log,
    status,
    selected,
    answer: (count: number, id = 7) => {
      hits = Array.from({ length: count }, (_, i) => hitAt(BigInt(10 * (i + 1))));
      const part = { count, names: Uint32Array.of(3) };
      take({ t: 'job-part', id, part, progress: { done: 1, of: 1 }, last: true });
    },
    found: (count: number) => {
      hits = [...hits, hitAt(BigInt(10 * (hits.length + 1)))];
      const added = { count: hits.length, names: Uint32Array.of(3) };
      search!.take({ count, listed: 1, share: 0.5, hits: added, found: null });
    },
    endSearch: () => search!.end(),
    settle: () => vi.advanceTimersByTimeAsync(200),
  };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a search', () => {
  it('begins when the person pauses, and counts its hits', async () => {
    const { find, log, answer, settle } = setUp();
    find.text.value = 'gl';
    find.text.value = 'glC';
    await settle();
    expect(log.filter((line) => line.startsWith('bind'))).toEqual(['bind glC']);
    expect(find.state.value).toEqual({ at: 'searching', share: null });
    answer(3);
    expect(find.state.value).toMatchObject({ at: 'done', beyond: 0, stopped: false });
    expect([find.count.value, [...find.names.value]]).toEqual([3, [3]]);
  });

  it('lists the hits that begin in the range, and counts, marks and steps through all', async () => {
    const { find, range, selected, answer, settle } = setUp();
    find.ask('x');
    await settle();
    answer(9);
    await settle();
    expect(find.listed.value).toEqual({ first: 0, end: 9 });
    range.value = { from: ticks(25n), to: ticks(60n) };
    await settle();
    expect([find.listed.value, find.count.value]).toEqual([{ first: 2, end: 5 }, 9]);
    find.want(0, 3);
    await settle();
    expect([0, 1, 2].map((row) => find.row(row)?.start)).toEqual([30n, 40n, 50n]);
    expect((await find.page(1, 5))?.map(({ start }) => start)).toEqual([40n, 50n]);
    find.choose(1);
    await settle();
    expect([selected.value?.start, find.current.value, find.currentRow.value]).toEqual([40n, 3, 1]);
    for (let i = 0; i < 3; i += 1) await find.step(1);
    expect([selected.value?.start, find.currentRow.value]).toEqual([70n, -1]);
    range.value = null;
    await settle();
    expect([find.listed.value, find.currentRow.value]).toEqual([{ first: 0, end: 9 }, 6]);
    find.want(0, 1);
    await settle();
    expect(find.row(0)?.start).toBe(10n);
  });

  it('says what is wrong with an expression', async () => {
    const { find, log, settle } = setUp();
    find.text.value = 'wrong';
    await settle();
    expect(find.state.value).toEqual({ at: 'wrong', wrong: { sentence: 'No.', at: 0, length: 5 } });
    expect(log).not.toContain('begin');
  });

  it('waits for the file', async () => {
    const { find, status, log, settle } = setUp();
    status.value = { at: 'loading' };
    find.text.value = 'x';
    await settle();
    expect([find.state.value.at, log.includes('bind x')]).toEqual(['waiting', false]);
    status.value = { at: 'ready', how: 'complete', error: null };
    await settle();
    expect(log).toContain('bind x');
  });

  it('adds what the records have, and ends with them', async () => {
    const { find, answer, found, endSearch, settle } = setUp({ records: slices });
    find.text.value = 'x';
    await settle();
    answer(1);
    expect(find.state.value).toEqual({ at: 'searching', share: 0 });
    found(1);
    await settle();
    expect([find.count.value, find.state.value]).toEqual([2, { at: 'searching', share: 0.5 }]);
    endSearch();
    await settle();
    expect(find.state.value).toEqual({ at: 'done', beyond: 0, stopped: false, failure: null });
  });

  it('stops, and keeps what it has found', async () => {
    const { find, log, answer, settle } = setUp({ records: slices });
    find.text.value = 'x';
    await settle();
    answer(2);
    find.stop();
    expect(log).toContain('stop');
    expect([find.count.value, find.state.value]).toEqual([2, { at: 'done', beyond: 0, stopped: true, failure: null }]);
  });

  it('steps from hit to hit, and begins anew at the end', async () => {
    const { find, selected, answer, settle } = setUp();
    find.text.value = 'x';
    await settle();
    answer(3);
    const places: (bigint | undefined)[] = [];
    for (const by of [1, 1, 1, 1, -1] as const) {
      await find.step(by);
      places.push(selected.value?.start);
    }
    expect(places).toEqual([10n, 20n, 30n, 10n, 30n]);
    expect(find.current.value).toBe(2);
    // Keys can be quicker than the answers.
    await Promise.all(([-1, -1] as const).map((by) => find.step(by)));
    expect(selected.value?.start).toBe(10n);
  });

  it('steps to the first hit as soon as there is one', async () => {
    const { find, selected, answer, settle } = setUp();
    find.text.value = 'x';
    await find.step(1);
    expect(selected.value).toBeNull();
    await settle();
    answer(2);
    await settle();
    expect(selected.value?.start).toBe(10n);
  });

  it('is forgotten when it is cleared', async () => {
    const { find, log, answer, settle } = setUp();
    find.text.value = 'x';
    await settle();
    answer(2);
    find.clear();
    await settle();
    expect(log).toContain('drop 7');
    expect([find.count.value, find.state.value.at, find.asked.value]).toEqual([0, 'idle', '']);
  });
});
