import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { byTurns } from '../base/portions.fixture.ts';
import { PORTION } from '../base/portions.ts';
import type { Clock, Find, Found, Progress, TraceInfo } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { createNames } from '../trace/names.ts';
import type { Pointed } from '../trace/pointed.ts';
import type { Extent } from '../trace/view.ts';
import { type Goal, goalOf, goTo, selectPosition } from './go_to.ts';

const CALLS: Clock = { kind: 'ordinal', unit: 'call' };
const SECONDS: Clock = { kind: 'seconds', frequency: 1_000_000_000n };
const names = createNames();
names.add(0, ['frame 12', 'frame 1', 'malloc(unsigned long)', '#7'], null);
names.add(4, ['main'], ['0x401000']);
const extent = (from: bigint, to: bigint): Extent => ({ from: ticks(from), to: ticks(to) });
const goal = (text: string, clock: Clock = CALLS): Goal =>
  byTurns(goalOf(text, extent(0n, 1000n), clock, names), () => 0).result;

describe('what a person types', () => {
  it('is a position within the trace', () => {
    expect(goal('call 204')).toEqual({ to: 'position', at: 204n });
    expect(goal('0.5 us', SECONDS)).toEqual({ to: 'position', at: 500n });
    expect(goal('2,000')).toMatchObject({
      sentence: expect.stringMatching(/^The trace goes from call.0 to call.1,000\.$/),
    });
    expect(goal('2 ms', SECONDS)).toMatchObject({ sentence: expect.stringMatching(/^The trace is 1.µs long\.$/) });
  });

  it('is a name, a part of one, an id or an address', () => {
    expect(goal('frame 1')).toEqual({ to: 'name', name: 1 });
    expect(goal('MALLOC')).toEqual({ to: 'name', name: 2 });
    expect(goal('#7')).toEqual({ to: 'name', name: 3 });
    expect(goal('0x401000')).toEqual({ to: 'name', name: 4 });
  });

  it('is looked for in a portion of the names in a turn', () => {
    const many = createNames();
    many.add(
      0,
      Array.from({ length: 3 * PORTION }, (_, i) => `f${i}g`),
      null,
    );
    let looks = 0;
    const keyOf = () => {
      looks += 1;
      return '';
    };
    const work = goalOf(`F${PORTION}`, extent(0n, 1000n), CALLS, { ...many, keyOf });
    const { result, most } = byTurns(work, () => looks);
    expect(result).toEqual({ to: 'name', name: PORTION });
    expect([looks, most]).toEqual([3 * PORTION, PORTION]);
  });

  it('leads nowhere in words', () => {
    expect(goal('nowhere')).toEqual({
      to: 'nowhere',
      sentence: expect.stringMatching(/^No name contains “nowhere”\. Positions look like call.500\.$/),
    });
    expect(goal(' ')).toMatchObject({ sentence: expect.stringContaining('Type a position') });
    expect(goal('12', { kind: 'ticks' })).toEqual({ to: 'position', at: 12n });
  });
});

describe('going', () => {
  const at = (start: bigint, end: bigint): Found => ({
    item: { kind: 'slice', track: 0, depth: 0, index: Number(start) },
    name: 4,
    start: ticks(start),
    end: ticks(end),
    flags: 0,
  });
  const place = (found: (find: Find) => Found | null, recorded: RecordRow | null = null) => {
    const shown: Extent[] = [];
    const selected = signal<Pointed | null>(null);
    const record = signal<RecordRow | null>(null);
    const selectRecord = (row: RecordRow) => {
      record.value = row;
    };
    const trace = {
      info: signal({ clock: CALLS } as TraceInfo),
      progress: signal({ extent: extent(0n, 1000n) } as Progress),
      names,
      find: async (find: Find) => found(find),
      records: { recordAt: async () => recorded },
    };
    let rows = 0;
    return {
      shown,
      selected,
      record,
      all: {
        trace,
        timeline: { show: (it: Extent) => shown.push(it) },
        selection: { selected, record, selectRecord, revealRow: () => (rows += 1) },
      },
      /** How often a row was to be seen. */
      rows: () => rows,
    };
  };

  it('stays within the trace', async () => {
    const { shown, selected, all, rows } = place(() => at(100n, 900n));
    expect(await goTo('500', all)).toBe('');
    expect(shown).toEqual([extent(0n, 1000n)]);
    expect(selected.value?.start).toBe(100n);
    expect(rows()).toBe(1);
  });

  it('selects the record of a step, not the call around it', async () => {
    const step: RecordRow = { x: ticks(500n), track: 0, locator: 7n, name: '', fields: [], dropped: 0 };
    const around = place((find) => (find.to === 'at' ? at(100n, 900n) : null), step);
    expect(await goTo('500', around.all)).toBe('');
    expect([around.selected.value, around.record.value]).toEqual([null, step]);
    // The record that ends a call is not that call, and the one that begins it is.
    const last = place((find) => (find.to === 'record' ? at(100n, 501n) : null), step);
    await goTo('500', last.all);
    expect([last.selected.value, last.record.value]).toEqual([null, step]);
    const first = place((find) => (find.to === 'record' ? at(500n, 600n) : null), step);
    await goTo('500', first.all);
    expect([first.selected.value?.start, first.record.value]).toEqual([500n, null]);
  });

  it('goes on to the next call of a name, and from the last to the first', async () => {
    const calls = [at(10n, 12n), at(20n, 22n)];
    const { selected, all } = place(
      (find) => (find.to === 'named' && calls.find((it) => it.start >= find.time)) || null,
    );
    const starts: bigint[] = [];
    for (let i = 0; i < 3; i += 1) {
      expect(await goTo('main', all)).toBe('');
      starts.push(selected.value!.start);
    }
    expect(starts).toEqual([10n, 20n, 10n]);
  });
});

it('selects what is at a position: of steps that follow quickly, the last one', async () => {
  const seen: string[] = [];
  const open = {
    trace: {
      find: async () => null,
      // Answers come in any order.
      records: {
        recordAt: (x: bigint) =>
          new Promise<RecordRow>((resolve) =>
            setTimeout(() => resolve({ x, track: 0, locator: x } as RecordRow), x === 5n ? 20 : 1),
          ),
      },
    },
    selection: {
      place: () => null,
      reveal: () => seen.push('item'),
      revealRecord: ({ x }: RecordRow) => seen.push(`record ${x}`),
    },
  } as unknown as Parameters<typeof selectPosition>[1];
  await Promise.all([selectPosition(ticks(5n), open), selectPosition(ticks(6n), open)]);
  expect(seen).toEqual(['record 6']);
});
