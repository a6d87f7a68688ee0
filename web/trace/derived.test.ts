import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NBSP } from '../base/format.ts';
import type { JobQuestion, JobReply } from '../base/job_protocol.ts';
import { nextTask } from '../base/next_task.fixture.ts';
import { derivedTrack, type Find, type Found, type Origin, type Ticks, type Track } from '../base/protocol.ts';
import { type Collected, type CollectWanted, NO_TEXT, type RecordRow } from '../base/record_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import { CPUS, createDerived, type DerivedTracks, functionKey } from './derived.ts';
import { createNames, type Names } from './names.ts';
import type { Pointed } from './pointed.ts';
import type { Answer, Records } from './records.ts';
import type { RowsAsTrack } from './sql_track.ts';

let begun: { question: JobQuestion; take: (reply: JobReply) => void; slot: string }[];
let removed: number[];
let told: string[];
let origin: Origin | null;
let derived: DerivedTracks;
let names: Names;
/** Passes over the records, and what they find. */
let wanted: CollectWanted[];
let answer: Answer<Collected> | null;
const evicted = signal<readonly number[]>([]);
const selected = signal<Pointed | null>(null);
let records: RecordRow[];
/** What was looked up, and what is found. */
let looked: Find[];
let found: Found | null;
const aRow = (x: Ticks): RecordRow => ({ x, track: 0, locator: 0n, name: '', fields: [], dropped: 0 });

/** The job with an id, counted from 1, is done. */
const finish = (id: number, hidden = 0) =>
  begun[id - 1]!.take({
    t: 'job-part',
    id,
    part: { track: aTrack({ id: derivedTrack(0), kind: 'lane', name: 'f', slices: 3 }), hidden },
    progress: { done: 9, of: 9 },
    last: true,
  });
const shown = (): Partial<Track>[] => derived.tracks.value.map(({ id, name, detail }) => ({ id, name, detail }));

beforeEach(() => {
  begun = [];
  removed = [];
  told = [];
  records = [];
  looked = [];
  found = null;
  evicted.value = [];
  selected.value = null;
  wanted = [];
  answer = null;
  names = createNames();
  names.add(0, ['f', 'g'], null);
  derived = createDerived(
    {
      names,
      info: signal(null),
      begin: (question: JobQuestion, take: never, slot?: string) => {
        begun.push({ question, take, slot: slot ?? '' });
        return () => undefined;
      },
      origin: async () => origin,
      removeTrack: async (id) => void removed.push(id),
      evicted,
      records: {
        collect: async (what: CollectWanted) => {
          wanted.push(what);
          return answer;
        },
        recordAt: async (x: Ticks) => aRow(x),
      } as unknown as Records,
      tracks: signal(
        new Map([
          [3, aTrack({ id: 3, name: 'thread 3' })],
          [4, aTrack({ id: 4, lowest: -1 })],
        ]),
      ),
      find: async (what: Find) => {
        looked.push(what);
        return found;
      },
    },
    { selected, selectRecord: (row) => records.push(row) },
    (sentence) => told.push(sentence),
  );
});

afterEach(() => derived.dispose());

describe('derived tracks', () => {
  it('are made by jobs with slots of their own, the newest above', () => {
    derived.keepFunction(0);
    derived.keepFunction(0);
    derived.keepFunction(1);
    expect(begun.map(({ question, slot }) => [question.kind, slot])).toEqual([
      ['keep', 'derived 1'],
      ['keep', 'derived 2'],
    ]);
    begun[0]!.take({ t: 'job-progress', id: 1, progress: { done: 1, of: 4 } });
    expect(derived.keeping.value.get(functionKey(0))).toEqual({ at: 'making', share: 0.25 });
    finish(1);
    finish(2, 7);
    expect(shown()).toEqual([
      { id: derivedTrack(2), name: 'g', detail: `All calls of g · 7${NBSP}overlapping calls not shown` },
      { id: derivedTrack(1), name: 'f', detail: 'All calls of f' },
    ]);
    expect(derived.keeping.value.get(functionKey(0))).toEqual({ at: 'kept' });
  });
  it('are renamed and removed', () => {
    derived.keepFunction(0);
    finish(1);
    derived.rename(derivedTrack(1), ' allocations ');
    derived.rename(derivedTrack(1), ' ');
    expect(shown()[0]?.name).toBe('allocations');
    derived.remove(derivedTrack(1));
    expect([shown(), removed]).toEqual([[], [derivedTrack(1)]]);
    derived.keepFunction(0);
    expect(begun.length).toBe(2);
  });
  it('follow the name of their function until they are renamed', () => {
    derived.keepFunction(0);
    finish(1);
    names.rename(Uint32Array.of(0), ['main'], ['f']);
    expect(shown()[0]?.name).toBe('main');
    derived.rename(derivedTrack(1), 'mine');
    names.rename(Uint32Array.of(0), ['again'], ['f']);
    expect(shown()[0]?.name).toBe('mine');
  });
  it('of fields and addresses are made of collected records', async () => {
    const found: Collected = {
      time: BigUint64Array.of(1n, 2n),
      track: Uint32Array.of(0, 0),
      locator: BigUint64Array.of(1n, 2n),
      bits: BigUint64Array.of(7n, 8n),
      numbers: Uint8Array.of(0, 0),
      until: new BigUint64Array(),
    };
    answer = { value: found, error: null };
    names.rename(Uint32Array.of(1), ['draw'], ['#7']);
    derived.keepField({ path: ['args', 'count'], ofName: true, label: 'count' }, 1);
    derived.keepAddress(0x40n);
    await nextTask();
    expect(wanted).toEqual([
      { what: 'field', names: ['draw', '#7'], path: ['args', 'count'] },
      { what: 'address', address: 0x40n },
    ]);
    const asked = begun.map(({ question }) => question as JobQuestion<'gather'>);
    expect(asked.map(({ label, detail, values }) => [label, detail, values])).toEqual([
      ['draw: count', 'Count of all calls of draw', true],
      ['0x40', 'All executions of 0x40', false],
    ]);
  });
  it('of texts are slices that have them as names', async () => {
    const found: Collected = {
      time: BigUint64Array.of(1n, 2n, 5n),
      track: Uint32Array.of(0, 0, 0),
      locator: BigUint64Array.of(1n, 2n, 5n),
      bits: BigUint64Array.of(0n, 0n, 1n),
      numbers: new Uint8Array(3),
      until: new BigUint64Array(),
      texts: ['"a"', '"b"'],
    };
    answer = { value: found, error: null };
    derived.keepField({ path: ['vars', 's'], ofName: false, label: 's', isOfTexts: true }, -1);
    await vi.waitFor(() => expect(begun.length).toBe(1));
    expect(wanted).toEqual([{ what: 'texts', names: [], path: ['vars', 's'] }]);
    const [asked] = begun.map(({ question }) => question as JobQuestion<'gather'>);
    if (!asked) throw new Error('nothing was begun');
    const { label, values, locator, until, names: ids } = asked;
    expect([label, values, [...locator], [...until]]).toEqual(['s', false, [1n, 5n], [5n, 5n]]);
    expect([...ids].map((id) => names.of(id))).toEqual(['"a"', '"b"']);
    finish(1);
    expect(shown()).toEqual([{ id: derivedTrack(1), name: 'f', detail: 's of all records' }]);
    answer = { value: { ...found, bits: new BigUint64Array(3).fill(NO_TEXT) }, error: null };
    derived.keepField({ path: ['vars', 't'], ofName: false, label: 't', isOfTexts: true }, -1);
    await vi.waitFor(() => expect(told).toEqual(['Nothing to keep: no text was found for t.']));
  });
  it('of CPUs are made together, the first above, and removed together', async () => {
    const found: Collected = {
      time: BigUint64Array.of(1n, 5n),
      track: Uint32Array.of(3, 3),
      locator: BigUint64Array.of(1n, 2n),
      bits: BigUint64Array.of(0n, 2n),
      numbers: Uint8Array.of(1, 1),
      until: BigUint64Array.of(4n, 6n),
    };
    answer = { value: found, error: null };
    derived.keepCpus();
    expect(derived.keeping.value.get(CPUS)).toEqual({ at: 'making', share: 0 });
    // Once what makes them is loaded, one after the other.
    await vi.waitFor(() => expect(begun.length).toBe(1));
    expect(wanted).toEqual([{ what: 'runs', key: 'cpu' }]);
    finish(1);
    finish(2);
    const asked = begun.map(({ question }) => question as JobQuestion<'gather'>);
    expect(asked.map(({ label, until }) => [label, [...until]])).toEqual([
      ['CPU 2', [6n]],
      ['CPU 0', [4n]],
    ]);
    expect([...asked[0]!.names].map((id) => names.of(id))).toEqual(['thread 3']);
    expect(derived.tracks.value.map(({ id }) => id)).toEqual([derivedTrack(2), derivedTrack(1)]);
    expect(derived.keeping.value.get(CPUS)).toEqual({ at: 'kept' });
    derived.remove(derivedTrack(1));
    derived.removeGroup(CPUS);
    expect([derived.tracks.value, removed]).toEqual([[], [derivedTrack(1), derivedTrack(2)]]);
  });
  it('of events have the name that the person gives to the type', async () => {
    const found: Collected = {
      time: BigUint64Array.of(1n, 2n),
      track: Uint32Array.of(3, 3),
      locator: BigUint64Array.of(1n, 2n),
      bits: BigUint64Array.of(9n, 2n ** 64n - 1n),
      numbers: Uint8Array.of(1, 1),
      until: new BigUint64Array(),
    };
    answer = { value: found, error: null };
    derived.keepEvents('9');
    await vi.waitFor(() => expect(begun.length).toBe(1));
    finish(1);
    expect(derived.tracks.value.map(({ name }) => name)).toEqual(['typed event 9']);
    names.rewrite((text) => (text === 'typed event 9' ? 'frame' : text));
    expect(derived.tracks.value.map(({ name }) => name)).toEqual(['frame']);
    // The others come beside it.
    derived.keepEvents(null);
    await vi.waitFor(() => expect(begun.length).toBe(2));
    expect(begun.map(({ question }) => (question as JobQuestion<'gather'>).label)).toEqual([
      'typed event 9',
      'custom events',
    ]);
  });
  it('are not made of nothing', async () => {
    const none = new BigUint64Array();
    const found = {
      time: none,
      track: new Uint32Array(),
      locator: none,
      bits: none,
      until: new BigUint64Array(),
      numbers: new Uint8Array(),
    };
    answer = { value: found, error: null };
    derived.keepAddress(0x40n);
    await nextTask();
    expect([begun.length, told, derived.keeping.value.size]).toEqual([
      0,
      ['Nothing to keep: no execution was found for 0x40.'],
      0,
    ]);
  });
  it('that are evicted go with a sentence', () => {
    derived.keepFunction(0);
    finish(1);
    derived.keepFunction(1);
    finish(2);
    evicted.value = [derivedTrack(1), derivedTrack(9)];
    expect(shown().length).toBe(1);
    expect(told).toEqual(['The kept track f was removed to make room in memory.']);
  });
  it('that fail say why, and can be tried again', () => {
    derived.keepFunction(0);
    begun[0]!.take({ t: 'job-failed', id: 1, error: { kind: 'limit', sentence: 'No room.', offset: null } });
    expect([told, derived.keeping.value.size]).toEqual([['No room.'], 0]);
  });
  it('lead back to what they were made from', async () => {
    const place: Pointed = {
      item: { kind: 'slice', track: derivedTrack(1), depth: 0, index: 4 },
      track: derivedTrack(1),
      depth: 0,
      name: 0,
      start: ticks(5n),
      end: ticks(7n),
      flags: 0,
      many: 1,
      reading: null,
    };
    const item = { kind: 'slice', track: 3, depth: 1, index: 9 } as const;
    const found = { item, name: 0, start: ticks(5n), end: ticks(7n), flags: 0 };
    origin = { x: ticks(5n), track: 3, locator: 8n, found };
    derived.selectOrigin(place);
    await Promise.resolve();
    expect(selected.value?.item).toEqual(item);
    origin = { ...origin, found: null };
    derived.selectOrigin(place);
    await Promise.resolve();
    expect(records).toEqual([{ x: 5n, track: 3, locator: 8n, name: '', fields: [], dropped: 0 }]);
  });

  it('of the rows of a query lead to what the row is about', async () => {
    const rows = (shape: RowsAsTrack['shape']): RowsAsTrack => ({
      shape,
      time: new BigUint64Array([10n, 20n]),
      track: new Uint32Array(2),
      locator: new BigUint64Array(2),
      bits: new BigUint64Array(2),
      numbers: new Uint8Array(2),
      until: new BigUint64Array([12n, 25n]),
      names: ['g', 'other'],
      places: new Map([[10n, { track: 4, depth: 2 }]]),
      left: 3,
    });
    derived.keepRows('-- Long ones\nselect 1', rows('slices'), true);
    derived.keepRows('select 2', { ...rows('values'), time: new BigUint64Array() }, false);
    expect(told).toEqual(['Nothing to keep: no row has a position within the trace.']);
    await vi.waitFor(() =>
      expect(begun.map(({ question }) => question)).toMatchObject([
        { kind: 'gather', label: 'Long ones', values: false },
      ]),
    );
    finish(1, 1);
    expect(shown()[0]!.detail).toBe(
      `Rows of Long ones · only the first 5 · 3${NBSP}rows without a position omitted · 1${NBSP}overlapping row not shown`,
    );
    const place = (start: bigint) =>
      ({ track: derivedTrack(1), start: ticks(start), item: null }) as unknown as Pointed;
    const slice = { item: { kind: 'slice', track: 4, depth: 1, index: 0 }, name: 1, start: 10n, end: 15n, flags: 0 };
    found = slice as unknown as Found;
    derived.selectOrigin(place(10n));
    await new Promise((done) => setTimeout(done));
    // The depth of the tables counts from the outermost.
    expect(looked).toEqual([{ to: 'row', time: 10n, track: 4, depth: 1 }]);
    expect(selected.value).toMatchObject({ track: 4, start: 10n });
    // What the row does not say is looked up by position.
    found = null;
    derived.selectOrigin(place(20n));
    await new Promise((done) => setTimeout(done));
    expect([looked[1], records]).toEqual([{ to: 'at', time: 20n, track: null }, [aRow(ticks(20n))]]);
    expect(begun[0]!.slot).toMatch(/^derived/);
  });
});
