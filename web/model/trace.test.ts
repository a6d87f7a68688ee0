import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobReply } from '../base/job_protocol.ts';
import type { FromWorker, ToWorker } from '../base/messages.ts';
import type { Progress, TraceError, Track } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import { openTrace, type Port, type Trace } from './trace.ts';

const PROGRESS: Progress = {
  bytesRead: 10,
  bytes: 20,
  events: 2,
  slices: 1,
  storeBytes: 20,
  extent: { from: ticks(5n), to: ticks(9n) },
  problems: [],
  stage: null,
};
const TRACK: Track = aTrack({ id: 1, name: 'thread 1', slices: 1 });

let sent: ToWorker[];
let ended: number;
let port: Port;
let trace: Trace;
const say = (data: FromWorker) => port.onmessage?.({ data } as MessageEvent<FromWorker>);

beforeEach(() => {
  sent = [];
  ended = 0;
  port = {
    postMessage: (message) => sent.push(message),
    terminate: () => {
      ended += 1;
    },
    onmessage: null,
    onerror: null,
    onmessageerror: null,
  };
  trace = openTrace(port, { file: new Blob(['12345678901234567890']), name: 'a.xray', companions: [] }, () => {
    throw new Error('no record worker is needed');
  });
});

describe('the page side of a trace', () => {
  it('begins jobs, and passes on their messages until the worker ends', () => {
    const question = { from: ticks(0n), to: ticks(9n), tracks: Uint32Array.of(1), name: 4 };
    const told: JobReply[] = [];
    trace.begin({ kind: 'percentiles', ...question }, (reply) => told.push(reply));
    const begun = sent.find((message) => message.t === 'begin-job')!;
    expect(begun).toMatchObject({ slot: 'percentiles', question: { kind: 'percentiles', name: 4 } });
    const reply: JobReply = { t: 'job-progress', id: begun.id, progress: { done: 1, of: 2 } };
    say(reply);
    trace.dispose();
    say(reply);
    expect(told).toEqual([reply]);
  });
  it('opens the file at once', () => {
    expect(sent.map((message) => message.t)).toEqual(['open']);
    expect([trace.status.value.at, trace.size]).toEqual(['loading', 20]);
  });
  it('takes over names, tracks and progress', () => {
    say({ t: 'names', first: 0, names: { all: 'ab', ends: Uint32Array.of(1, 2) }, keys: null });
    say({ t: 'names', first: 300, names: { all: 'c', ends: Uint32Array.of(1) }, keys: null });
    say({ t: 'tracks', tracks: [TRACK], more: false });
    say({ t: 'tracks', tracks: [{ ...TRACK, slices: 7 }], more: false });
    say({ t: 'progress', progress: PROGRESS });
    expect([trace.names.of(1), trace.names.of(300), trace.names.of(7)]).toEqual(['b', 'c', '']);
    expect(trace.names.colour.length).toBeGreaterThan(300);
    expect(trace.tracks.value.get(1)?.slices).toBe(7);
    const known = trace.tracks.value;
    say({ t: 'tracks', tracks: [{ ...TRACK, id: 2 }], more: true });
    expect(trace.tracks.value, 'waits for the rest').toBe(known);
    say({ t: 'tracks', tracks: [{ ...TRACK, id: 3 }], more: false });
    expect([...trace.tracks.value.values()].map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(trace.progress.value).toBe(PROGRESS);
  });
  it('resolves each request with its own reply', async () => {
    const first = trace.problems(0, 10);
    const second = trace.problems(10, 10);
    const ids = sent.flatMap((message) => (message.t === 'problems' ? [message.id] : []));
    say({ t: 'problems', id: ids[1]!, problems: [], total: 2 });
    say({ t: 'problems', id: ids[0]!, problems: [], total: 1 });
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
    expect(ended).toBe(1);
    trace.cancel();
    expect(sent.at(-1)?.t).toBe('overview');
  });
  it('ends a worker that does not answer to a cancel', () => {
    vi.useFakeTimers();
    try {
      trace.cancel();
      vi.advanceTimersByTime(500);
      expect([trace.status.value.at, ended]).toEqual(['loading', 0]);
      vi.advanceTimersByTime(500);
      expect(trace.status.value).toMatchObject({
        at: 'failed',
        error: { sentence: expect.stringContaining('stopped') },
      });
      expect(ended).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
  it('keeps a worker that answers to a cancel', () => {
    vi.useFakeTimers();
    try {
      trace.cancel();
      say({ t: 'done', how: 'cancelled', progress: PROGRESS, error: null });
      vi.advanceTimersByTime(5000);
      expect([trace.status.value.at, ended]).toEqual(['ready', 0]);
    } finally {
      vi.useRealTimers();
    }
  });
  it('offers to go on after a limit, unless limits are lifted', () => {
    const limit = { kind: 'unpacks-to-more', count: 1, serious: true, canGoOn: true, isLimit: true, summary: '' };
    const problems = [{ ...limit, first: { offset: 0n, kind: '', sentence: '' } }];
    expect(trace.canGoOn.value).toBe(false);
    say({ t: 'done', how: 'complete', progress: { ...PROGRESS, problems }, error: null });
    expect(trace.canGoOn.value).toBe(true);
    const lifted = openTrace(port, { file: new Blob(), name: 'a', companions: [], lifted: true }, () => {
      throw new Error('no record worker is needed');
    });
    expect(sent.at(-1)).toMatchObject({ t: 'open', lifted: true });
    say({ t: 'done', how: 'complete', progress: { ...PROGRESS, problems }, error: null });
    expect(lifted.canGoOn.value).toBe(false);
    const error: TraceError = { kind: 'limit', sentence: 'Too much.', offset: null };
    const other = openTrace(port, { file: new Blob(), name: 'a', companions: [] }, () => {
      throw new Error('no record worker is needed');
    });
    say({ t: 'done', how: 'broken', progress: PROGRESS, error });
    expect(other.canGoOn.value).toBe(true);
  });
  it('fails if the error comes before the first event', () => {
    say({ t: 'failed', error: { kind: 'unrecognised', sentence: 'No trace.', offset: null }, companion: 'names' });
    expect(trace.status.value).toEqual({
      at: 'failed',
      error: { kind: 'unrecognised', sentence: 'No trace.', offset: null },
      companion: 'names',
    });
    expect(ended).toBe(1);
  });
  it('keeps what was read when the worker dies', () => {
    say({ t: 'tracks', tracks: [TRACK], more: false });
    say({ t: 'progress', progress: PROGRESS });
    port.onerror?.({ message: 'unreachable', preventDefault: () => undefined } as ErrorEvent);
    const status = trace.status.value;
    expect(status.at === 'ready' && status.how).toBe('broken');
    expect(status.at === 'ready' && status.error?.kind).toBe('crashed');
  });

  it('fails if the tracks are empty', () => {
    say({ t: 'tracks', tracks: [TRACK], more: false });
    say({ t: 'failed', error: { kind: 'malformed', sentence: 'no such table', offset: null }, companion: null });
    expect(trace.status.value.at).toBe('failed');
  });
});
