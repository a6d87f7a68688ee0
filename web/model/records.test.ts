import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nextTask } from '../base/next_task.fixture.ts';
import type { TraceError, TraceInfo } from '../base/protocol.ts';
import type { FromRecords, ToRecords } from '../base/record_protocol.ts';
import { ticks } from '../base/ticks.ts';
import type { Held } from './ledger.ts';
import { createRecords, type Records, type RecordsPort } from './records.ts';

const INFO = { format: 'xray', offers: [] } as unknown as TraceInfo;

let sent: ToRecords[];
let ports: RecordsPort[];
let ended: number;
let indexes: number;
let reading: boolean;
/** What the index waits for. */
let gate: Promise<void>;
let records: Records;
/** What has been entered into the account of memory, and how much room that says there is. */
let entered: Held[];
let room: number;
const info = signal<TraceInfo | null>(INFO);
const say = (data: FromRecords, port = ports.at(-1)!) => port.onmessage?.({ data } as MessageEvent<FromRecords>);
const newest = <T extends ToRecords['t']>(type: T) =>
  sent.findLast((message): message is Extract<ToRecords, { t: T }> => message.t === type)!;
const crash = (port = ports.at(-1)!) => port.onerror?.({ preventDefault: () => undefined } as ErrorEvent);
const wrong = (sentence: string): TraceError => ({ kind: 'crashed', sentence, offset: null });

/** Asks for a record while the file is being read, with an index from before. Returns what `record` resolves with. */
async function askTooEarly() {
  reading = true;
  records.warm();
  await nextTask();
  const answer = records.record(5n);
  await nextTask();
  expect(sent.map(({ t }) => t)).toEqual(['open', 'index', 'record']);
  say({ t: 'record', id: newest('record').id, record: null, error: wrong('first') });
  await nextTask();
  return answer;
}

beforeEach(() => {
  sent = [];
  ports = [];
  ended = 0;
  indexes = 0;
  reading = false;
  entered = [];
  room = 3_000_000_000;
  gate = Promise.resolve();
  info.value = INFO;
  records = createRecords(
    {
      file: () => new Blob(['abc']),
      log: () => null,
      info,
      reading: () => reading,
      ledger: { set: (_, held) => entered.push(held), room: () => room },
      index: async () => {
        indexes += 1;
        const index = Uint8Array.of(indexes);
        await gate;
        return index;
      },
    },
    () => {
      const port: RecordsPort = {
        postMessage: (message) => sent.push(message),
        terminate: () => {
          ended += 1;
        },
        onmessage: null,
        onerror: null,
        onmessageerror: null,
      };
      ports.push(port);
      return port;
    },
  );
});

describe('the records of a trace', () => {
  it('start a worker with the first question, and hand it the index once', async () => {
    expect(ports).toHaveLength(0);
    void records.record(7n);
    await nextTask();
    void records.list({ range: null, tracks: null, filter: null });
    await nextTask();
    expect(sent.map(({ t }) => t)).toEqual(['open', 'index', 'record', 'list']);
    expect(indexes).toBe(1);
  });

  it('keep values as far as there is room, and until they must go', async () => {
    const ask = async () => {
      void records.aboutValues({ what: 'known' });
      await nextTask();
    };
    const rooms = () => sent.flatMap((message) => (message.t === 'values-room' ? [message.bytes] : []));
    await ask();
    await ask();
    expect(rooms()).toEqual([768 << 20]);
    say({ t: 'values-kept', bytes: 5000 });
    expect(entered.at(-1)!.bytes).toBe(5000);
    room = 4000;
    await ask();
    expect(rooms()).toEqual([768 << 20, 4000]);
    entered.at(-1)!.free!();
    expect(rooms()).toEqual([768 << 20, 4000, 0]);
    say({ t: 'values-kept', bytes: 0 });
    await ask();
    expect(rooms().at(-1)).toBe(4000);
    say({ t: 'values-kept', bytes: 3000 });
    crash();
    expect(entered.at(-1)!.bytes).toBe(0);
    // Another worker has to be notified.
    await ask();
    expect(rooms().slice(-2)).toEqual([4000, 4000]);
  });

  it('get a new index while the file is being read, but not for every question', async () => {
    vi.useFakeTimers();
    reading = true;
    void records.record(1n);
    await vi.advanceTimersByTimeAsync(1);
    void records.record(2n);
    await vi.advanceTimersByTimeAsync(1);
    expect(indexes).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    void records.record(3n);
    await vi.advanceTimersByTimeAsync(1);
    expect(indexes).toBe(2);
    // When all is read, one more is the last.
    reading = false;
    for (const locator of [4n, 5n]) {
      void records.record(locator);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(indexes).toBe(3);
    vi.useRealTimers();
  });

  it('ask once more if the index was older than the question', async () => {
    const answer = askTooEarly();
    await vi.waitFor(() => expect(sent.map(({ t }) => t).slice(3)).toEqual(['index', 'record']));
    const record = { fields: [], remarks: [], offset: 7n };
    say({ t: 'record', id: newest('record').id, record, error: null });
    expect(await answer).toEqual({ value: record, error: null });
  });

  it('ask only once more', async () => {
    const answer = askTooEarly();
    await vi.waitFor(() => expect(sent).toHaveLength(5));
    say({ t: 'record', id: newest('record').id, record: null, error: wrong('second') });
    expect(await answer).toEqual({ value: null, error: wrong('second') });
    expect(sent).toHaveLength(5);
  });

  it('pass on an error at once if the index is new, or whole', async () => {
    for (const isReading of [true, false]) {
      reading = isReading;
      const answer = records.record(5n);
      await nextTask();
      say({ t: 'record', id: newest('record').id, record: null, error: wrong('bad') });
      expect(await answer).toEqual({ value: null, error: wrong('bad') });
    }
    expect(sent.map(({ t }) => t)).toEqual(['open', 'index', 'record', 'index', 'record']);
  });

  it('wait for the whole index if reading ends while another is on its way', async () => {
    reading = true;
    let open: () => void = () => undefined;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    records.warm();
    await nextTask();
    reading = false;
    void records.list({ range: null, tracks: null, filter: null });
    open();
    await nextTask();
    expect(sent.map(({ t }) => t)).toEqual(['open', 'index', 'index', 'list']);
    expect(newest('index').index).toEqual(Uint8Array.of(2));
  });

  it('need no index of a database', async () => {
    info.value = { ...INFO, offers: ['sql'] };
    void records.record(1n);
    await nextTask();
    expect(sent.map(({ t }) => t)).toEqual(['open', 'record']);
  });

  it('pass on answers and how far a list is', async () => {
    const listed = { rows: 3, inOrder: true, done: 0, of: 0 };
    const list = records.list({ range: { from: ticks(1n), to: ticks(9n) }, tracks: null, filter: null });
    await nextTask();
    const { id } = newest('list');
    say({ t: 'listing', id: id - 1, listed: { ...listed, done: 2, of: 2 } });
    expect(records.listing.value).toBeNull();
    expect(await records.rows(0, 3)).toBeNull();
    say({ t: 'listing', id, listed: { ...listed, done: 1, of: 2 } });
    expect(records.listing.value?.done).toBe(1);
    // What is there can be asked for.
    void records.rows(0, 3);
    expect(newest('rows').count).toBe(3);
    say({ t: 'listed', id: newest('list').id, listed, error: null });
    expect(await list).toEqual({ value: listed, error: null });
    expect(records.listing.value).toBeNull();
    const row = records.rowAt(ticks(4n), 1, 9n);
    say({ t: 'row-at', id: newest('row-at').id, row: 2 });
    expect(await row).toBe(2);
  });

  it('start another worker after one has stopped unexpectedly', async () => {
    const first = records.record(1n);
    await nextTask();
    crash();
    expect(await first).toBeNull();
    expect(ended).toBe(1);
    const second = records.record(2n);
    await nextTask();
    expect(ports).toHaveLength(2);
    say({ t: 'record', id: newest('record').id, record: null, error: null });
    expect(await second).toEqual({ value: null, error: null });
  });

  it('have no rows of a list that ended with its worker', async () => {
    const scope = { range: null, tracks: null, filter: null };
    const list = records.list(scope);
    await nextTask();
    say({ t: 'listed', id: newest('list').id, listed: { rows: 3, inOrder: true, done: 0, of: 0 }, error: null });
    await list;
    crash();
    void records.record(1n);
    await nextTask();
    expect(await records.rows(0, 3)).toBeNull();
    expect(await records.rowAt(ticks(0n), null, null)).toBeNull();
    expect(sent.map(({ t }) => t)).not.toContain('rows');
  });

  it('give up if the trace has ended', async () => {
    records = createRecords(
      { file: () => new Blob(), log: () => null, info, reading: () => false, index: async () => null },
      () => ports[0]!,
    );
    ports.push({ postMessage: () => undefined, terminate: () => undefined } as unknown as RecordsPort);
    expect(await records.record(1n)).toBeNull();
  });

  it('end with the trace', async () => {
    const open = records.record(1n);
    await nextTask();
    records.dispose();
    expect(await open).toBeNull();
    expect(await records.record(2n)).toBeNull();
    expect(ports).toHaveLength(1);
  });
});

describe('a search', () => {
  const filter = { query: Uint8Array.of(1), begins: [] };

  it('that has ended is not stopped, and its worker lives on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const found = vi.fn();
    const searched = records.search('find', filter, found);
    await vi.advanceTimersByTimeAsync(1);
    const { id } = newest('search');
    say({ t: 'searching', id, found: {} as never, count: 2, share: 1 });
    say({ t: 'searched', id, error: null });
    expect(await searched).toBeNull();
    records.stopSearch('find');
    await vi.advanceTimersByTimeAsync(5000);
    expect([found.mock.calls.length, sent.some(({ t }) => t === 'stop-search'), ended]).toEqual([1, false, 0]);
    vi.useRealTimers();
  });

  it('runs beside that of another slot', async () => {
    const counts: number[] = [];
    const first = records.search('find', filter, ({ count }) => counts.push(count));
    const second = records.search('functions', filter, ({ count }) => counts.push(count));
    await nextTask();
    const ids = sent.flatMap((message) => (message.t === 'search' ? [message.id] : []));
    for (const [i, id] of ids.entries()) {
      say({ t: 'searching', id, found: {} as never, count: i + 5, share: 1 });
      say({ t: 'searched', id, error: null });
    }
    expect([counts, await first, await second]).toEqual([[5, 6], null, null]);
  });

  it('that does not hear the stop ends with its worker', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const searched = records.search('find', filter, () => undefined);
    await vi.advanceTimersByTimeAsync(1);
    records.stopSearch('find');
    expect(newest('stop-search')).toEqual({ t: 'stop-search', slot: 'find' });
    await vi.advanceTimersByTimeAsync(5000);
    expect([await searched, ended]).toEqual([undefined, 1]);
    vi.useRealTimers();
  });
});
