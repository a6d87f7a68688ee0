import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nextTask } from '../base/next_task.fixture.ts';
import type { TraceError, TraceInfo } from '../base/protocol.ts';
import type { RecordService, Searching } from '../base/record_protocol.ts';
import { type Recorded, recorded } from '../base/remote.fixture.ts';
import { ticks } from '../base/ticks.ts';
import { type FakeWorker, workerOf } from '../base/worker.fixture.ts';
import type { Held } from './ledger.ts';
import { createRecords, type Records } from './records.ts';

const INFO = { format: 'xray', offers: [] } as unknown as TraceInfo;

/** What the workers were asked, of which there was one after the other. */
let asked: Recorded<RecordService>;
let workers: FakeWorker[];
let reading: boolean;
/** What the index waits for, and how often one was made. */
let gate: Promise<void>;
let indexes: number;
/** How many workers may ask the trace. */
let shared: number;
let records: Records;
/** What has been entered into the account of memory, and how much room that says there is. */
let entered: Held[];
let room: number;
const info = signal<TraceInfo | null>(INFO);
/** What was asked; not what follows `open` in every worker. */
const names = () => asked.names().filter((name) => name !== 'watchValues');
const crash = () => workers.at(-1)!.crash();
const wrong = (sentence: string): TraceError => ({ kind: 'crashed', sentence, offset: null });

/** Asks for a record while the file is being read, with an index from before. Returns what `record` resolves with. */
async function askTooEarly() {
  reading = true;
  records.warm();
  await nextTask();
  const answer = records.record(5n);
  await nextTask();
  expect(names()).toEqual(['open', 'refresh', 'record']);
  asked.newest('record').fail(wrong('first'));
  await nextTask();
  return answer;
}

beforeEach(() => {
  asked = recorded<RecordService>({
    refresh: async () => {
      indexes += 1;
      await gate;
      return 0;
    },
  });
  indexes = 0;
  shared = 0;
  workers = [];
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
      share: async () => {
        shared += 1;
      },
      index: async () => null,
    },
    () => {
      const worker = workerOf(asked.service);
      workers.push(worker);
      return worker;
    },
  );
});

describe('the records of a trace', () => {
  it('start a worker with the first question, and hand it the index once', async () => {
    expect(workers).toHaveLength(0);
    void records.record(7n);
    await nextTask();
    void records.list({ range: null, tracks: null, filter: null });
    await nextTask();
    expect(names()).toEqual(['open', 'refresh', 'record', 'list']);
    expect([indexes, shared]).toEqual([1, 1]);
  });

  it('keep values as far as there is room, and until they must go', async () => {
    const ask = async () => {
      void records.aboutValues((values) => values.knownValues());
      await nextTask();
    };
    const rooms = () => asked.calls.flatMap(({ name, args }) => (name === 'keepValues' ? args : []));
    const keep = async (bytes: number) => {
      asked.newest('watchValues').args[0](bytes);
      await nextTask();
    };
    await ask();
    await ask();
    expect(rooms()).toEqual([768 << 20]);
    await keep(5000);
    expect(entered.at(-1)!.bytes).toBe(5000);
    room = 4000;
    await ask();
    expect(rooms()).toEqual([768 << 20, 4000]);
    entered.at(-1)!.free!();
    await nextTask();
    expect(rooms()).toEqual([768 << 20, 4000, 0]);
    await keep(0);
    await ask();
    expect(rooms().at(-1)).toBe(4000);
    await keep(3000);
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
    await vi.waitFor(() => expect(names().slice(3)).toEqual(['refresh', 'record']));
    const record = { fields: [], remarks: [], offset: 7n };
    asked.newest('record').answer(record);
    expect(await answer).toEqual({ value: record, error: null });
  });

  it('ask only once more', async () => {
    const answer = askTooEarly();
    await vi.waitFor(() => expect(names()).toHaveLength(5));
    asked.newest('record').fail(wrong('second'));
    expect(await answer).toEqual({ value: null, error: wrong('second') });
    expect(names()).toHaveLength(5);
  });

  it('pass on an error at once if the index is new, or whole', async () => {
    for (const isReading of [true, false]) {
      reading = isReading;
      const answer = records.record(5n);
      await nextTask();
      asked.newest('record').fail(wrong('bad'));
      expect(await answer).toEqual({ value: null, error: wrong('bad') });
    }
    expect(names()).toEqual(['open', 'refresh', 'record', 'refresh', 'record']);
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
    expect(names()).toEqual(['open', 'refresh', 'refresh', 'list']);
  });

  it('need no index of a database', async () => {
    info.value = { ...INFO, offers: ['sql'] };
    void records.record(1n);
    await nextTask();
    expect(names()).toEqual(['open', 'record']);
  });

  it('pass on answers and how far a list is', async () => {
    const listed = { rows: 3, inOrder: true, done: 0, of: 0 };
    const scope = { range: { from: ticks(1n), to: ticks(9n) }, tracks: null, filter: null };
    const older = records.list(scope);
    await nextTask();
    const previous = asked.newest('list');
    const list = records.list(scope);
    expect(await older).toBeNull();
    await nextTask();
    expect(previous.args[2].aborted).toBe(true);
    const newer = asked.newest('list');
    previous.args[1]({ ...listed, done: 2, of: 2 });
    await nextTask();
    expect(records.listing.value).toBeNull();
    expect(await records.rows(0, 3)).toBeNull();
    newer.args[1]({ ...listed, done: 1, of: 2 });
    await nextTask();
    expect(records.listing.value?.done).toBe(1);
    // What is there can be asked for.
    void records.rows(0, 3);
    await nextTask();
    expect(asked.newest('rows').args.slice(0, 2)).toEqual([0, 3]);
    newer.answer(listed);
    expect(await list).toEqual({ value: listed, error: null });
    expect(records.listing.value).toBeNull();
    const row = records.rowAt(ticks(4n), 1, 9n);
    await nextTask();
    asked.newest('rowAt').answer(2);
    expect(await row).toBe(2);
  });

  it('start another worker after one has stopped unexpectedly', async () => {
    const first = records.record(1n);
    await nextTask();
    crash();
    expect(await first).toBeNull();
    expect(workers[0]!.isEnded()).toBe(true);
    const second = records.record(2n);
    await nextTask();
    expect(workers).toHaveLength(2);
    const record = { fields: [], remarks: [], offset: 7n };
    asked.newest('record').answer(record);
    expect(await second).toEqual({ value: record, error: null });
  });

  it('have no rows of a list that ended with its worker', async () => {
    const scope = { range: null, tracks: null, filter: null };
    const list = records.list(scope);
    await nextTask();
    asked.newest('list').answer({ rows: 3, inOrder: true, done: 0, of: 0 });
    await list;
    crash();
    void records.record(1n);
    await nextTask();
    expect(await records.rows(0, 3)).toBeNull();
    expect(await records.rowAt(ticks(0n), null, null)).toBeNull();
    expect(names()).not.toContain('rows');
  });

  it('give up if the trace has ended', async () => {
    records = createRecords(
      {
        file: () => new Blob(),
        log: () => null,
        info,
        reading: () => false,
        share: async () => undefined,
        index: async () => null,
      },
      () => workerOf(recorded<RecordService>({ refresh: async () => null }).service),
    );
    expect(await records.record(1n)).toBeNull();
  });

  it('end with the trace', async () => {
    const open = records.record(1n);
    await nextTask();
    records.dispose();
    expect(await open).toBeNull();
    expect(await records.record(2n)).toBeNull();
    expect(workers).toHaveLength(1);
  });
});

describe('a search', () => {
  const filter = { query: Uint8Array.of(1), begins: [] };
  const to = { job: 3, shown: false };
  const part = (count: number): Searching => ({ count, listed: 0, share: 1, hits: null, found: null });

  it('that has ended is not stopped, and its worker lives on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const take = vi.fn();
    const searched = records.search('find', filter, to, take);
    await vi.advanceTimersByTimeAsync(1);
    const search = asked.newest('search');
    search.args[3](part(2));
    search.answer(undefined);
    expect(await searched).toBeNull();
    records.stopSearch('find');
    await vi.advanceTimersByTimeAsync(5000);
    expect([take.mock.calls.length, search.args[4].aborted, workers[0]!.isEnded()]).toEqual([1, false, false]);
    vi.useRealTimers();
  });

  it('runs beside that of another slot', async () => {
    const counts: number[] = [];
    const first = records.search('find', filter, to, ({ count }) => counts.push(count));
    const second = records.search('functions', filter, to, ({ count }) => counts.push(count));
    await nextTask();
    for (const [i, slot] of (['find', 'functions'] as const).entries()) {
      const [search] = asked.calls.flatMap((call) => (call.name === 'search' && call.args[0] === slot ? [call] : []));
      search!.args[3](part(i + 5));
      search!.answer(undefined);
    }
    expect([await first, await second, counts]).toEqual([null, null, [5, 6]]);
  });

  it('that does not hear the stop ends with its worker', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const searched = records.search('find', filter, to, () => undefined);
    await vi.advanceTimersByTimeAsync(1);
    records.stopSearch('find');
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.newest('search').args[4].aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(5000);
    expect([await searched, workers[0]!.isEnded()]).toEqual([undefined, true]);
    vi.useRealTimers();
  });
});
