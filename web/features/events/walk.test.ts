import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { Find, Found, Track } from '../../base/protocol.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import type { Indexed } from '../../base/steps_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { Pointed } from '../../trace/pointed.ts';
import { createWalk } from './walk.ts';

/** Calls as `[start, end, depth]`. The trace has 100 steps. */
function setUp(calls: readonly (readonly [number, number, number])[], threads = 1) {
  const found = ([start, end, depth]: readonly [number, number, number]): Found => ({
    item: { kind: 'slice', track: 0, depth, index: calls.findIndex((call) => call[0] === start && call[2] === depth) },
    name: 0,
    start: ticks(BigInt(start)),
    end: ticks(BigInt(end)),
    flags: 0,
  });
  const around = (step: number) => calls.filter(([start, end]) => start <= step && step < end);
  const find = async (what: Find): Promise<Found | null> => {
    if (what.to === 'at') {
      const inner = around(Number(what.time)).sort((a, b) => b[2] - a[2])[0];
      return inner ? found(inner) : null;
    }
    if (what.to !== 'caller' || what.item.kind !== 'slice') return null;
    const [start, , depth] = calls[what.item.index]!;
    const caller = around(start).find((call) => call[2] === depth - 1);
    return caller ? found(caller) : null;
  };
  const place = signal<number | null>(null);
  const row = (x: bigint): RecordRow => ({ x: ticks(x), track: 0, locator: 0n, name: '', fields: [], dropped: 0 });
  const tracks = signal(new Map(Array.from({ length: threads }, (_, id) => [id, { kind: 'thread' } as Track])));
  const asked: string[] = [];
  const indexed = signal<Indexed>({ built: 100, count: 100, bytes: 0, done: true, full: false });
  const walk = createWalk(
    { find, tracks, records: { recordAt: async (x: bigint) => row(x < 99n ? x : 99n) } } as unknown as Parameters<
      typeof createWalk
    >[0],
    {
      place: () => (place.value === null ? null : ({ start: ticks(BigInt(place.value)), track: 0 } as Pointed)),
      revealRecord: ({ x }) => {
        place.value = Number(x);
      },
    },
    () => ({
      indexed,
      ready: async () => undefined,
      // Even steps match.
      nearestMatch: async (step, next) =>
        step >= indexed.peek().built ? undefined : step % 2 === 0 ? step : next ? step + 1 : step - 1,
      nearestOf: async (step, kind, next) => {
        asked.push(`${kind} ${step}`);
        // Threads take turns; there is nothing else.
        if (kind === 'step') return next ? step + 2 : step < 2 ? null : step - 2;
        if (kind === 'thread') return next ? step + 7 : null;
        return null;
      },
    }),
    () => 40n,
  );
  const go = async (from: number, to: Parameters<typeof walk.go>[0], next: boolean) => {
    place.value = from;
    await walk.go(to, next);
    return place.value;
  };
  return { walk, go, place, asked, indexed };
}

it('leads over a call to the step after it, and back to the one before', async () => {
  const { go } = setUp([
    [0, 100, 0],
    [10, 20, 1],
    [12, 15, 2],
  ]);
  expect(await go(9, 'over', true)).toBe(20);
  expect(await go(20, 'over', false)).toBe(9);
  expect(await go(11, 'over', true)).toBe(15);
  expect(await go(9, 'step', true)).toBe(10);
  expect(await go(12, 'over', true)).toBe(13);
  // The last step of a call leads out of it.
  expect(await go(19, 'over', true)).toBe(20);
  expect(await go(14, 'out', true)).toBe(15);
  expect(await go(14, 'out', false)).toBe(11);
});

it('takes calls that begin or end together as one', async () => {
  const { go } = setUp([
    [0, 100, 0],
    [10, 20, 1],
    [10, 20, 2],
  ]);
  expect(await go(9, 'over', true)).toBe(20);
  expect(await go(20, 'over', false)).toBe(9);
});

it('looks for other steps from where it begins without a selection', async () => {
  const { walk, place } = setUp([]);
  await walk.go('step', true);
  expect(place.value).toBe(40);
  place.value = null;
  await walk.go('thread', true);
  expect(place.value).toBe(47);
  place.value = null;
  await walk.go('system-call', true);
  expect([place.value, walk.remark.value]).toEqual([null, 'No later system call.']);
});

it('says why it leads nowhere', async () => {
  const { go, walk, indexed } = setUp([]);
  expect(await go(5, 'out', true)).toBe(5);
  expect(walk.remark.value).toBe('No call around this step is known.');
  expect(await go(0, 'step', false)).toBe(0);
  expect(walk.remark.value).toBe('No earlier step.');
  expect(await go(99, 'step', true)).toBe(99);
  expect(walk.remark.value).toBe('No later step.');
  await go(5, 'system-call', true);
  expect(walk.remark.value).toBe('No later system call.');
  indexed.value = { ...indexed.value, done: false };
  await go(5, 'system-call', true);
  expect(walk.remark.value).toBe('No later system call in the indexed part.');
  await go(5, 'step', true);
  expect(walk.remark.value).toBe('');
});

it('says nothing more of a step once another one is selected', async () => {
  const { go, walk, place } = setUp([]);
  await go(5, 'out', true);
  expect(walk.remark.value).toBe('No call around this step is known.');
  place.value = 6;
  expect(walk.remark.value).toBe('');
});

it('asks the index for the next step of a thread only if there are several', async () => {
  const one = setUp([]);
  expect(await one.go(5, 'step', true)).toBe(6);
  expect(one.asked).toEqual([]);
  const two = setUp([], 2);
  expect(await two.go(5, 'step', true)).toBe(7);
  expect(two.asked).toEqual(['step 5']);
});

it('passes over steps that a filter does not match', async () => {
  const { go, walk, indexed } = setUp([
    [0, 100, 0],
    [10, 21, 1],
  ]);
  walk.filter.value = { kernel: true, mode: null, thread: null };
  expect(await go(4, 'step', true)).toBe(6);
  expect(await go(4, 'step', false)).toBe(2);
  expect(await go(9, 'over', true)).toBe(22);
  expect(await go(15, 'out', true)).toBe(22);
  await go(5, 'interrupt', true);
  expect(walk.remark.value).toBe('No later interrupt or fault that matches.');
  // After the last step there is none; after the last that is indexed there may be.
  await go(99, 'step', true);
  expect(walk.remark.value).toBe('No later step that matches.');
  indexed.value = { ...indexed.value, built: 50, done: false };
  await go(60, 'step', true);
  expect(walk.remark.value).toBe('This step is not indexed yet.');
  walk.filter.value = null;
  expect(await go(9, 'over', true)).toBe(21);
});

it('begins on the screen, and keeps several quick steps', async () => {
  const { walk, place } = setUp([]);
  await walk.go('over', true);
  expect(place.value).toBe(40);
  await Promise.all([walk.go('step', true), walk.go('step', true), walk.go('step', true)]);
  expect(place.value).toBe(43);
});
