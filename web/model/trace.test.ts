import { beforeEach, describe, expect, it } from 'vitest';
import type { FromWorker, Progress, ToWorker, Track } from '../base/protocol.ts';
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
  trace = openTrace(port, new Blob(['12345678901234567890']), 'a.xray');
});

describe('the page side of a trace', () => {
  it('passes on all statistics of the newest request only', () => {
    const question = { from: ticks(0n), to: ticks(9n), tracks: Uint32Array.of(1), functions: true, flame: null };
    const told: string[] = [];
    const answer = (id: number, exact: boolean): FromWorker => ({
      t: 'statistics',
      id,
      exact,
      slices: 9,
      visited: 1,
      complete: true,
      functions: null,
      flame: null,
    });
    trace.statistics(question, () => told.push('old'));
    trace.statistics(question, ({ exact }) => told.push(exact ? 'exact' : 'estimate'));
    const ids = sent.flatMap((message) => (message.t === 'statistics' ? [message.id] : []));
    say(answer(ids[0]!, false));
    say(answer(ids[1]!, false));
    say(answer(ids[1]!, true));
    expect(told).toEqual(['estimate', 'exact']);
  });
  it('resolves the newest request for percentiles', async () => {
    const question = { from: ticks(0n), to: ticks(9n), tracks: Uint32Array.of(1), name: 4 };
    const old = trace.percentiles(question);
    const next = trace.percentiles(question);
    const percentiles = { median: 1n, p90: 2n, p99: 3n };
    const ids = sent.flatMap((message) => (message.t === 'percentiles' ? [message.id] : []));
    say({ t: 'percentiles', id: ids[1]!, percentiles });
    expect([await old, await next]).toEqual([null, percentiles]);
  });
  it('opens the file at once', () => {
    expect(sent.map((message) => message.t)).toEqual(['open']);
    expect([trace.status.value.at, trace.size]).toEqual(['loading', 20]);
  });
  it('takes over names, tracks and progress', () => {
    say({ t: 'names', first: 0, names: ['a', 'b'] });
    say({ t: 'names', first: 300, names: ['c'] });
    say({ t: 'tracks', tracks: [TRACK] });
    say({ t: 'tracks', tracks: [{ ...TRACK, slices: 7 }] });
    say({ t: 'progress', progress: PROGRESS });
    expect([trace.names.of(1), trace.names.of(300), trace.names.of(7)]).toEqual(['b', 'c', '']);
    expect(trace.names.colour.length).toBeGreaterThan(300);
    expect(trace.tracks.value.get(1)?.slices).toBe(7);
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
  it('fails if the error comes before the first event', () => {
    say({ t: 'failed', error: { kind: 'unrecognised', sentence: 'No trace.', offset: null } });
    expect(trace.status.value).toEqual({
      at: 'failed',
      error: { kind: 'unrecognised', sentence: 'No trace.', offset: null },
    });
    expect(ended).toBe(1);
  });
  it('keeps what was read when the worker dies', () => {
    say({ t: 'tracks', tracks: [TRACK] });
    say({ t: 'progress', progress: PROGRESS });
    port.onerror?.({ message: 'unreachable', preventDefault: () => undefined } as ErrorEvent);
    const status = trace.status.value;
    expect(status.at === 'ready' && status.how).toBe('broken');
    expect(status.at === 'ready' && status.error?.kind).toBe('crashed');
  });

  it('fails if the tracks are empty', () => {
    say({ t: 'tracks', tracks: [TRACK] });
    say({ t: 'failed', error: { kind: 'malformed', sentence: 'no such table', offset: null } });
    expect(trace.status.value.at).toBe('failed');
  });
});
