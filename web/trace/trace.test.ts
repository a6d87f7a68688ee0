import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobReply } from '../base/job_protocol.ts';
import { nextTask } from '../base/next_task.fixture.ts';
import type { Progress, TraceError, TraceInfo, Track } from '../base/protocol.ts';
import { type Recorded, recorded } from '../base/remote.fixture.ts';
import { ticks } from '../base/ticks.ts';
import type { TraceReports, TraceService } from '../base/trace_protocol.ts';
import { aTrack } from '../base/track.fixture.ts';
import { type FakeWorker, workerOf } from '../base/worker.fixture.ts';
import { createAccount } from './ledger.ts';
import { openTrace, type Trace, type TraceFile } from './trace.ts';

const PROGRESS: Progress = {
  bytesRead: 10,
  bytes: 20,
  events: 2,
  slices: 1,
  storeBytes: 20,
  extent: { from: ticks(5n), to: ticks(9n) },
  problems: [],
  stage: null,
  uncertainty: null,
};
const INFO: TraceInfo = {
  format: 'frames',
  title: 'BAP frames 3',
  version: '3',
  container: null,
  clock: { kind: 'ordinal', unit: 'step' },
  eventNoun: 'instruction',
  recordNoun: 'frame',
  sliceNoun: 'call',
  placeNoun: 'byte',
  whenEmpty: '',
  offers: [],
  firstTab: 'timeline',
  companions: [],
  columns: [],
  properties: [],
};
const TRACK: Track = aTrack({ id: 1, name: 'thread 1', slices: 1 });

let asked: Recorded<TraceService>;
let worker: FakeWorker;
let page: TraceReports;
let trace: Trace;
const open = (file: TraceFile, account = createAccount()) => {
  worker = workerOf(asked.service);
  const spawnRecords = () => {
    throw new Error('no record worker is needed');
  };
  return openTrace(worker, file, spawnRecords, account);
};

beforeEach(async () => {
  asked = recorded();
  trace = open({ file: new Blob(['12345678901234567890']), name: 'a.xray', companions: [] });
  await nextTask();
  page = asked.newest('open').args[1];
});

describe('the page side of a trace', () => {
  it('begins jobs, and passes on what they say until the worker ends', async () => {
    const question = { from: ticks(0n), to: ticks(9n), tracks: Uint32Array.of(1), name: 4 };
    const told: JobReply[] = [];
    trace.begin({ kind: 'percentiles', ...question }, (reply) => told.push(reply));
    await nextTask();
    const [id, slot, begun, , progress] = asked.newest('job').args;
    expect([slot, begun]).toMatchObject(['percentiles', { kind: 'percentiles', name: 4 }]);
    progress({ done: 1, of: 2 });
    await nextTask();
    trace.dispose();
    progress({ done: 1, of: 2 });
    await nextTask();
    expect(told).toEqual([{ t: 'job-progress', id, progress: { done: 1, of: 2 } }]);
  });
  it('hears while it is read how much others hold, and they hear of it', async () => {
    trace.dispose();
    const account = createAccount();
    const opened = [];
    for (const name of ['a.xray', 'b.xray']) {
      asked = recorded();
      const of = open({ file: new Blob(['1']), name, companions: [] }, account);
      await nextTask();
      opened.push({ asked, page: asked.newest('open').args[1], of });
    }
    const [a, b] = opened as [(typeof opened)[0], (typeof opened)[0]];
    const grown = (bytes: number) => ({ ...PROGRESS, storeBytes: bytes });
    const heard = ({ asked: { names, newest } }: typeof a) =>
      names().includes('setElsewhere') ? newest('setElsewhere').args[0] : 0;
    a.page.progress(grown(20e6));
    // Too little to be worth a message.
    a.page.progress(grown(21e6));
    b.page.progress(grown(50e6));
    await nextTask();
    expect([heard(a), heard(b)]).toEqual([50e6, 21e6]);
    a.of.dispose();
    await nextTask();
    expect(heard(b)).toBe(0);
    b.of.dispose();
  });
  it('opens the file at once', () => {
    expect(asked.names()[0]).toBe('open');
    expect([trace.status.value.at, trace.size]).toEqual(['loading', 20]);
  });
  it('takes over names, tracks and progress', async () => {
    page.names(0, { all: 'ab', ends: Uint32Array.of(1, 2) }, null);
    page.names(300, { all: 'c', ends: Uint32Array.of(1) }, null);
    page.tracks([TRACK], false);
    page.tracks([{ ...TRACK, slices: 7 }], false);
    page.progress(PROGRESS);
    await nextTask();
    expect([trace.names.of(1), trace.names.of(300), trace.names.of(7)]).toEqual(['b', 'c', '']);
    expect(trace.names.colour.length).toBeGreaterThan(300);
    expect(trace.tracks.value.get(1)?.slices).toBe(7);
    const known = trace.tracks.value;
    page.tracks([{ ...TRACK, id: 2 }], true);
    await nextTask();
    expect(trace.tracks.value, 'waits for the rest').toBe(known);
    page.tracks([{ ...TRACK, id: 3 }], false);
    await nextTask();
    expect([...trace.tracks.value.values()].map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(trace.progress.value).toBe(PROGRESS);
  });
  it('resolves each request with its own reply', async () => {
    const first = trace.problems(0, 10);
    const second = trace.problems(10, 10);
    await nextTask();
    const calls = asked.calls.flatMap((call) => (call.name === 'problems' ? [call] : []));
    calls[1]!.answer({ problems: [], total: 2 });
    calls[0]!.answer({ problems: [], total: 1 });
    expect([(await first)?.total, (await second)?.total]).toEqual([1, 2]);
  });
  it('resolves a superseded request with null', async () => {
    const question = {
      from: ticks(0n),
      to: ticks(8n),
      step: 1n,
      tracks: Uint32Array.of(1),
      depths: Int32Array.of(0, 9),
    };
    const older = trace.picture(question);
    void trace.picture(question);
    expect(await older).toBeNull();
  });
  it('resolves requests with null after disposal, and terminates its worker', async () => {
    const waiting = trace.overview(100);
    trace.dispose();
    expect(await waiting).toBeNull();
    expect(await trace.overview(100)).toBeNull();
    expect(worker.isEnded()).toBe(true);
    trace.cancel();
    await nextTask();
    expect(asked.names()).not.toContain('cancel');
  });
  it('ends a worker that does not answer to a cancel', () => {
    vi.useFakeTimers();
    try {
      trace.cancel();
      vi.advanceTimersByTime(500);
      expect([trace.status.value.at, worker.isEnded()]).toEqual(['loading', false]);
      vi.advanceTimersByTime(500);
      expect(trace.status.value).toMatchObject({
        at: 'failed',
        error: { sentence: expect.stringContaining('stopped') },
      });
      expect(worker.isEnded()).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
  it('has the properties that are known when all is read', async () => {
    page.opened({ ...INFO, properties: [['Machine', 'mips']] }, false, null);
    page.described([['Values in memory', 'big-endian']]);
    await nextTask();
    expect(trace.info.value?.properties.map(([name]) => name)).toEqual(['Values in memory']);
    expect(trace.info.value?.title).toBe('BAP frames 3');
  });
  it('keeps a worker that answers to a cancel', async () => {
    vi.useFakeTimers();
    try {
      trace.cancel();
      page.done('cancelled', PROGRESS, null);
      await vi.advanceTimersByTimeAsync(5000);
      expect([trace.status.value.at, worker.isEnded()]).toEqual(['ready', false]);
    } finally {
      vi.useRealTimers();
    }
  });
  it('offers to go on after a limit, unless limits are lifted', async () => {
    const limit = { kind: 'unpacks-to-more', count: 1, serious: true, canGoOn: true, isLimit: true, summary: '' };
    const problems = [{ ...limit, first: { offset: 0n, kind: '', sentence: '' } }];
    expect(trace.canGoOn.value).toBe(false);
    page.done('complete', { ...PROGRESS, problems }, null);
    await nextTask();
    expect(trace.canGoOn.value).toBe(true);
    const lifted = open({ file: new Blob(), name: 'a', companions: [], lifted: true });
    await nextTask();
    const [opening, pageOfLifted] = asked.newest('open').args;
    expect(opening.lifted).toBe(true);
    pageOfLifted.done('complete', { ...PROGRESS, problems }, null);
    await nextTask();
    expect(lifted.status.value.at).toBe('ready');
    expect(lifted.canGoOn.value).toBe(false);
    const error: TraceError = { kind: 'limit', sentence: 'Too much.', offset: null };
    const other = open({ file: new Blob(), name: 'a', companions: [] });
    await nextTask();
    asked.newest('open').args[1].done('broken', PROGRESS, error);
    await nextTask();
    expect(other.canGoOn.value).toBe(true);
  });
  it('fails if the error comes before the first event', async () => {
    page.failed({ kind: 'unrecognised', sentence: 'No trace.', offset: null }, 'names');
    await nextTask();
    expect(trace.status.value).toEqual({
      at: 'failed',
      error: { kind: 'unrecognised', sentence: 'No trace.', offset: null },
      companion: 'names',
    });
    expect(worker.isEnded()).toBe(true);
  });
  it('keeps what was read when the worker dies', async () => {
    page.tracks([TRACK], false);
    page.progress(PROGRESS);
    await nextTask();
    worker.crash('unreachable');
    const status = trace.status.value;
    expect(status.at === 'ready' && status.how).toBe('broken');
    expect(status.at === 'ready' && status.error?.kind).toBe('crashed');
  });

  it('fails if the tracks are empty', async () => {
    page.tracks([TRACK], false);
    page.failed({ kind: 'malformed', sentence: 'no such table', offset: null }, null);
    await nextTask();
    expect(trace.status.value.at).toBe('failed');
  });
});
