import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GivenNames, shownByName } from '../base/given_names.ts';
import { nextTask } from '../base/next_task.fixture.ts';
import { manyNames } from '../base/portions.fixture.ts';
import { PORTION } from '../base/portions.ts';
import type { Details, Find, Found, TraceInfo } from '../base/protocol.ts';
import type { Listed, RecordRow, RecordScope } from '../base/record_protocol.ts';
import { ticks } from '../base/ticks.ts';
import type { Pointed } from '../trace/pointed.ts';
import type { Answer } from '../trace/records.ts';
import type { Known } from '../trace/selection.ts';
import type { Whose } from '../trace/statistics.ts';
import type { Status, Trace } from '../trace/trace.ts';
import type { Extent } from '../trace/view.ts';
import { createEvents, type Events } from './events.ts';

const ROWS = 1000;
const rowOf = (number: number): RecordRow => ({
  x: ticks(BigInt(number * 10)),
  track: 1,
  locator: BigInt(number),
  name: `r${number}`,
  fields: [],
  dropped: 0,
});

const status = signal<Status>({ at: 'loading' });
const range = signal<Extent | null>(null);
const whose = signal<Whose>('all');
const selected = signal<Pointed | null>(null);
const record = signal<RecordRow | null>(null);
const known = signal<Known | null>(null);
const info = signal<TraceInfo | null>(null);
let listed: RecordScope[];
let requested: [first: number, count: number][];
/** The next answers about rows, in place of the right ones. */
let answers: Promise<Answer<readonly RecordRow[]> | null>[];
let names: object;
/** The names by which records were sorted. */
let orders: GivenNames[];
const isShort = signal(false);
const nameShown = () => (isShort.peek() ? 'draw' : 'ui::draw(int)');
let isListing: boolean;
const listing = signal<Listed | null>(null);
let found: Found | null;
let finds: Find[];
let chosenRecords: RecordRow[];
let events: Events;

beforeEach(() => {
  status.value = { at: 'loading' };
  range.value = null;
  whose.value = 'all';
  selected.value = null;
  record.value = null;
  known.value = null;
  info.value = { clock: { kind: 'ticks' } } as TraceInfo;
  [listed, requested, answers, finds, chosenRecords] = [[], [], [], [], []];
  isListing = true;
  orders = [];
  isShort.value = false;
  found = null;
  names = {
    version: signal(0),
    isShort,
    text: ['#1', 'ui::draw(int)'],
    keyOf: (id: number) => (id ? '#2' : ''),
    shown: nameShown,
  };
  const trace = {
    status,
    info,
    names,
    find: async (what: Find) => {
      finds.push(what);
      return found;
    },
    records: {
      listing,
      list: async (scope: RecordScope) => {
        listed.push(scope);
        if (!isListing) return null;
        const answer: Listed = { rows: scope.range ? 10 : ROWS, inOrder: true, done: 0, of: 0 };
        return { value: answer, error: null };
      },
      rows: async (first: number, count: number) => {
        requested.push([first, count]);
        const answer = answers.shift();
        if (answer) return answer;
        const rows = Array.from({ length: Math.min(count, ROWS - first) }, (_, i) => rowOf(first + i));
        return { value: rows, error: null };
      },
      order: async (column: unknown, given: GivenNames) => {
        if (column) orders.push(given);
        return true;
      },
      rowAt: async (x: bigint) => Number(x) / 10,
    },
  } as unknown as Trace;
  const timeline = { view: signal(null), size: signal({ width: 100, height: 100 }), glideBy: () => undefined };
  const selection = { selected, record, known, selectRecord: (row: RecordRow) => chosenRecords.push(row) };
  events = createEvents(trace, timeline as never, { range, whose }, selection as never);
});
afterEach(() => events.dispose());

async function ready(): Promise<void> {
  events.shown.value = true;
  status.value = { at: 'ready', how: 'complete', error: null };
  await nextTask();
}

describe('the list of records', () => {
  it('is made when the panel is in front and the file is read, and follows range and thread', async () => {
    events.shown.value = true;
    await nextTask();
    expect(listed).toEqual([]);
    await ready();
    expect(listed).toEqual([{ range: null, tracks: null, filter: null }]);
    expect(events.listed.value?.rows).toBe(ROWS);
    range.value = { from: ticks(1n), to: ticks(5n) };
    whose.value = 3;
    await nextTask();
    expect(listed.at(-1)).toEqual({ range: range.value, tracks: Uint32Array.of(3), filter: null });
    expect(events.listed.value?.rows).toBe(10);
  });

  it('requests whole blocks, each once', async () => {
    await ready();
    events.want(60, 70);
    expect(events.row(65)).toBeNull();
    await nextTask();
    expect(requested).toEqual([[0, 128]]);
    expect(events.row(65)?.name).toBe('r65');
    events.want(0, 128);
    events.want(100, 140);
    await nextTask();
    expect(requested.slice(1)).toEqual([[128, 64]]);
  });

  it('shows what is found while it grows, and asks again for rows that may have moved', async () => {
    isListing = false;
    await ready();
    listing.value = { rows: 100, inOrder: true, done: 1, of: 3 };
    expect(events.listed.value?.rows).toBe(100);
    events.want(0, 10);
    await nextTask();
    expect([events.row(5)?.name, requested.length]).toEqual(['r5', 1]);
    events.want(0, 10);
    listing.value = { rows: 200, inOrder: true, done: 2, of: 3 };
    expect(events.row(5)?.name).toBe('r5');
    events.want(0, 10);
    await nextTask();
    expect(requested).toEqual([
      [0, 64],
      [0, 64],
    ]);
    listing.value = null;
  });

  it('requests the same rows of another list before those of the first have come', async () => {
    await ready();
    let answer: (it: Answer<readonly RecordRow[]>) => void = () => undefined;
    answers = [
      new Promise((resolve) => {
        answer = resolve;
      }),
    ];
    events.want(0, 10);
    range.value = { from: ticks(1n), to: ticks(5n) };
    await nextTask();
    events.want(0, 10);
    await nextTask();
    expect(requested).toEqual([
      [0, 64],
      [0, 64],
    ]);
    expect(events.row(3)?.name).toBe('r3');
    // What comes late is of no use.
    answer({ value: [rowOf(500)], error: null });
    await nextTask();
    expect(events.row(0)?.name).toBe('r0');
  });

  it('is made anew on request after the reader has stopped', async () => {
    await ready();
    answers = [Promise.resolve(null)];
    events.want(0, 10);
    await nextTask();
    expect(events.failure.value).toContain('stopped unexpectedly');
    isListing = false;
    events.retry();
    await nextTask();
    expect(events.listed.value).toBeNull();
    expect(events.failure.value).toContain('stopped unexpectedly');
    isListing = true;
    events.retry();
    await nextTask();
    expect(listed).toHaveLength(3);
    expect(events.failure.value).toBeNull();
    events.want(0, 10);
    await nextTask();
    expect(events.row(0)?.name).toBe('r0');
  });

  it('says why rows cannot be read', async () => {
    await ready();
    const error = { kind: 'unreadable', sentence: 'The file is gone.', offset: null } as const;
    answers = [Promise.resolve({ value: null, error })];
    events.want(0, 10);
    await nextTask();
    expect(events.failure.value).toBe('The file is gone.');
  });

  it('selects the call of a row, or else the record', async () => {
    await ready();
    events.want(0, 10);
    await nextTask();
    found = {
      item: { kind: 'slice', track: 1, depth: 0, index: 4 },
      name: 1,
      start: ticks(30n),
      end: ticks(40n),
      flags: 0,
    };
    events.choose(3);
    await nextTask();
    expect(finds.at(-1)).toMatchObject({ to: 'record', time: 30n, locator: 3n });
    expect(selected.value?.item).toEqual(found.item);
    expect(events.current.value).toBe(3);
    found = null;
    events.choose(4);
    await nextTask();
    expect(chosenRecords.map(({ name }) => name)).toEqual(['r4']);
  });

  it('does not take a step for the call that ends with it', async () => {
    info.value = { clock: { kind: 'ordinal', unit: 'step' } } as TraceInfo;
    await ready();
    events.want(0, 10);
    await nextTask();
    found = {
      item: { kind: 'slice', track: 1, depth: 0, index: 4 },
      name: 1,
      start: ticks(0n),
      end: ticks(30n),
      flags: 0,
    };
    events.choose(3);
    await nextTask();
    expect(selected.value).toBeNull();
    expect(chosenRecords).toHaveLength(1);
  });

  it('chooses a row that is not there when it arrives', async () => {
    await ready();
    events.choose(999);
    expect(finds).toEqual([]);
    events.want(990, 1000);
    await nextTask();
    expect(finds.at(-1)).toMatchObject({ locator: 999n });
  });

  it('brings the row of what is selected in the timeline into view', async () => {
    await ready();
    const item = { kind: 'instant', track: 1, index: 7 } as const;
    selected.value = { item } as Pointed;
    known.value = { at: 'known', details: { item, track: 1, locator: 70n, start: ticks(700n) } as Details };
    await nextTask();
    expect(events.wanted.value).toEqual({ row: 70 });
    expect(events.current.value).toBe(70);
    selected.value = null;
    known.value = null;
    await nextTask();
    expect(events.current.value).toBe(-1);
  });

  it('stays at a chosen row when the details of an earlier selection arrive', async () => {
    await ready();
    events.want(0, 64);
    await nextTask();
    const item = { kind: 'instant', track: 1, index: 7 } as const;
    selected.value = { item } as Pointed;
    events.choose(3);
    known.value = { at: 'known', details: { item, track: 1, locator: 70n, start: ticks(700n) } as Details };
    await nextTask();
    expect([events.current.value, events.wanted.value]).toEqual([3, null]);
  });

  it('are sorted by the names that are shown', async () => {
    await ready();
    const column = { key: 'name', label: 'Function', shows: 'name' } as const;
    events.sort.value = { column, descending: false };
    await nextTask();
    isShort.value = true;
    await nextTask();
    await vi.waitFor(() => expect(orders).toHaveLength(2));
    const shown = await Promise.all(orders.map(shownByName));
    expect(shown.map((names) => [...names])).toEqual([[['#2', 'ui::draw(int)']], [['#2', 'draw']]]);
  });

  it('go through a portion of the names in a turn to be sorted by them, and are sorted as was asked for last', async () => {
    await ready();
    const many = manyNames();
    Object.assign(names, { text: many.text, keyOf: many.keyOf });
    const by = (shows: 'name' | 'thread') =>
      ({ column: { key: shows, label: shows, shows }, descending: false }) as const;
    events.sort.value = by('name');
    await vi.waitFor(() => expect(orders).toHaveLength(1));
    expect(many.most()).toBe(PORTION);
    events.sort.value = { ...by('name'), descending: true };
    events.sort.value = by('thread');
    await vi.waitFor(() => expect(events.sorting.value).toBeNull());
    for (let turn = 0; turn < 5; turn += 1) await nextTask();
    expect(orders.slice(1)).toEqual([[]]);
  });

  it('does not lead to the selection in another order, or if it is narrowed', async () => {
    const item = { kind: 'instant', track: 1, index: 7 } as const;
    selected.value = { item } as Pointed;
    known.value = { at: 'known', details: { item, track: 1, locator: 70n, start: ticks(700n) } as Details };
    await ready();
    const wanted = events.wanted.value;
    expect(wanted).toEqual({ row: 70 });
    const column = { key: 'x', label: 'Start', shows: 'position' } as const;
    events.sort.value = { column, descending: true };
    await nextTask();
    expect([events.current.value, events.wanted.value]).toEqual([70, wanted]);
    range.value = { from: ticks(0n), to: ticks(900n) };
    await nextTask();
    expect([events.current.value, events.wanted.value]).toEqual([70, null]);
    // It does when the panel comes to the front again.
    events.shown.value = false;
    events.shown.value = true;
    await nextTask();
    expect(events.wanted.value).toEqual({ row: 70 });
  });
});
