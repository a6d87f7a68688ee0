import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TraceInfo } from '../base/protocol.ts';
import type { FromRecords, ToRecords } from '../base/record_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { createRecords, type Records, type RecordsPort } from './records.ts';

const INFO = { format: 'xray', offers: [] } as unknown as TraceInfo;

let sent: ToRecords[];
let ports: RecordsPort[];
let ended: number;
let indexes: number;
let reading: boolean;
let records: Records;
const info = signal<TraceInfo | null>(INFO);
const say = (data: FromRecords, port = ports.at(-1)!) => port.onmessage?.({ data } as MessageEvent<FromRecords>);
const newest = <T extends ToRecords['t']>(type: T) =>
  sent.findLast((message): message is Extract<ToRecords, { t: T }> => message.t === type)!;
const settle = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  sent = [];
  ports = [];
  ended = 0;
  indexes = 0;
  reading = false;
  info.value = INFO;
  records = createRecords(
    {
      file: new Blob(['abc']),
      log: null,
      info,
      reading: () => reading,
      index: async () => {
        indexes += 1;
        return Uint8Array.of(indexes);
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
    await settle();
    void records.list({ range: null, tracks: null });
    await settle();
    expect(sent.map(({ t }) => t)).toEqual(['open', 'index', 'record', 'list']);
    expect(indexes).toBe(1);
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

  it('need no index of a database', async () => {
    info.value = { ...INFO, offers: ['sql'] };
    void records.record(1n);
    await settle();
    expect(sent.map(({ t }) => t)).toEqual(['open', 'record']);
  });

  it('pass on answers and how far a list is', async () => {
    const listed = { rows: 3, inOrder: true, done: 0, of: 0 };
    const list = records.list({ range: { from: ticks(1n), to: ticks(9n) }, tracks: null });
    await settle();
    say({ t: 'listing', listed: { ...listed, done: 1, of: 2 } });
    expect(records.listing.value?.done).toBe(1);
    say({ t: 'listed', id: newest('list').id, listed, error: null });
    expect(await list).toEqual({ value: listed, error: null });
    expect(records.listing.value).toBeNull();
    const row = records.rowAt(ticks(4n), 1, 9n);
    say({ t: 'row-at', id: newest('row-at').id, row: 2 });
    expect(await row).toBe(2);
  });

  it('start another worker after one has stopped unexpectedly', async () => {
    const first = records.record(1n);
    await settle();
    ports[0]!.onerror?.({ preventDefault: () => undefined } as ErrorEvent);
    expect(await first).toBeNull();
    expect(ended).toBe(1);
    const second = records.record(2n);
    await settle();
    expect(ports).toHaveLength(2);
    say({ t: 'record', id: newest('record').id, record: null, error: null });
    expect(await second).toEqual({ value: null, error: null });
  });

  it('end with the trace', async () => {
    const open = records.record(1n);
    await settle();
    records.dispose();
    expect(await open).toBeNull();
    expect(await records.record(2n)).toBeNull();
    expect(ports).toHaveLength(1);
  });
});
