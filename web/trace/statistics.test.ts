import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_TRANSFORMS } from '../base/calls_protocol.ts';
import type { JobQuestion, JobReply, StatisticsPart } from '../base/job_protocol.ts';
import type { Functions, Percentiles, Progress, Track } from '../base/protocol.ts';
import { MAX_TICKS, ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import { createStatistics, type Statistics, tracksOf, type Wanted } from './statistics.ts';
import type { Status, Trace } from './trace.ts';

const track = (id: number, more: Partial<Track> = {}): Track => aTrack({ id, slices: 5, ...more });
const progress = (events: number): Progress => ({
  bytesRead: 0,
  bytes: 9,
  events,
  slices: events,
  storeBytes: 0,
  extent: { from: ticks(5n), to: ticks(90n) },
  problems: [],
  stage: null,
  uncertainty: null,
});

let asked: JobQuestion<'statistics'>[];
let statistics: Statistics;
/** The jobs that were begun, and the questions of those that were cancelled. */
let begun: { question: JobQuestion; take: (reply: JobReply) => void }[];
let cancelled: JobQuestion[];
const status = signal<Status>({ at: 'loading' });
const now = signal(progress(1));
const PERCENTILES: Percentiles = { median: 1n, p90: 2n, p99: 3n };
const newest = (kind: JobQuestion['kind']) => begun.findLast(({ question }) => question.kind === kind)!;
/** The newest statistics tell a part. */
const tell = ({ slices = 9, visited = 3, ...part }: Partial<StatisticsPart & { slices: number; visited: number }>) =>
  newest('statistics').take({
    t: 'job-part',
    id: 0,
    part: {
      exact: false,
      complete: true,
      unmeasured: null,
      functions: null,
      flame: null,
      callers: null,
      tree: null,
      ...part,
    },
    progress: { done: visited, of: slices },
    last: part.exact ?? false,
  });
/** The newest percentiles are found. */
const find = (part: Percentiles | null) =>
  newest('percentiles').take({ t: 'job-part', id: 0, part, progress: { done: 9, of: 9 }, last: true });
const NOTHING = { functions: false, flame: null, tree: null, weighed: false, transforms: NO_TRANSFORMS };
const FUNCTIONS: Wanted = { ...NOTHING, key: 'functions', functions: true };
const flameOf = (...path: number[]): Wanted => ({
  ...NOTHING,
  key: `flame ${path.join()}`,
  flame: { mode: 'down', path: Uint32Array.from(path) },
});
const READY: Status = { at: 'ready', how: 'complete', error: null };

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  begun = [];
  cancelled = [];
  status.value = { at: 'loading' };
  now.value = progress(1);
  const tracks = [track(0, { kind: 'process', slices: 0 }), track(1), track(2), track(3, { kind: 'lane' })];
  statistics = createStatistics({
    tracks: signal(new Map(tracks.map((one) => [one.id, one]))),
    status,
    progress: now,
    begin: (question: JobQuestion, take: (reply: JobReply) => void) => {
      begun.push({ question, take });
      if (question.kind === 'statistics') asked.push(question);
      return () => cancelled.push(question);
    },
  } as unknown as Trace);
});
afterEach(() => {
  statistics.dispose();
  vi.useRealTimers();
});

describe('statistics', () => {
  it('are not requested while no panel shows them', () => {
    status.value = READY;
    expect(asked).toEqual([]);
  });
  it('are requested for the whole trace, and again for a range', () => {
    status.value = READY;
    statistics.shown.value = FUNCTIONS;
    expect(asked).toEqual([
      {
        kind: 'statistics',
        from: 0n,
        to: MAX_TICKS,
        tracks: Uint32Array.of(1, 2),
        ...NOTHING,
        functions: true,
      },
    ]);
    statistics.range.value = { from: ticks(10n), to: ticks(20n) };
    statistics.shown.value = flameOf();
    statistics.shown.value = flameOf(7);
    statistics.whose.value = 3;
    expect(asked.slice(1).map(({ from, flame, tracks }) => [from, flame && [...flame.path], [...tracks]])).toEqual([
      [10n, null, [1, 2]],
      [10n, [], [1, 2]],
      [10n, [7], [1, 2]],
      [10n, [7], [3]],
    ]);
  });
  it('are measured from the request to each reply, for the latest request only', () => {
    // Fake timers replace User Timing as well.
    const measure = vi.spyOn(performance, 'measure');
    const clear = vi.spyOn(performance, 'clearMeasures');
    status.value = READY;
    statistics.shown.value = FUNCTIONS;
    const began = performance.now();
    vi.advanceTimersByTime(50);
    tell({ slices: 10, visited: 3 });
    tell({ slices: 10, visited: 10, exact: true });
    expect(measure.mock.calls).toEqual([
      ['unspool:statistics', { start: began, detail: { exact: false, slices: 10 } }],
      ['unspool:statistics', { start: began, detail: { exact: true, slices: 10 } }],
    ]);
    expect(clear).toHaveBeenCalledTimes(1);
    statistics.whose.value = 3;
    expect(clear).toHaveBeenCalledTimes(2);
  });
  it('are requested once a second while the trace grows, and when it is complete', () => {
    statistics.shown.value = FUNCTIONS;
    expect(asked).toHaveLength(0);
    vi.advanceTimersByTime(1001);
    expect(asked).toHaveLength(1);
    for (let events = 2; events < 20; events += 1) {
      now.value = progress(events);
      vi.advanceTimersByTime(100);
    }
    expect(asked).toHaveLength(2);
    status.value = READY;
    expect(asked).toHaveLength(3);
    now.value = progress(99);
    vi.advanceTimersByTime(5000);
    expect(asked).toHaveLength(3);
  });
  it('are requested less often when replies are slow', () => {
    statistics.shown.value = FUNCTIONS;
    vi.advanceTimersByTime(1001);
    vi.advanceTimersByTime(200);
    tell({ complete: false });
    now.value = progress(2);
    vi.advanceTimersByTime(1500);
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    expect(asked).toHaveLength(2);
  });
  it('are requested at once after a change by the person', () => {
    statistics.shown.value = FUNCTIONS;
    vi.advanceTimersByTime(1001);
    statistics.range.value = { from: ticks(10n), to: ticks(20n) };
    expect(asked).toHaveLength(2);
  });
  it('keep one part when the other arrives', () => {
    status.value = READY;
    statistics.shown.value = FUNCTIONS;
    const functions = { length: 3 } as Functions;
    tell({ functions });
    expect(statistics.functions.value).toEqual({
      columns: functions,
      slices: 9,
      visited: 3,
      exact: false,
      unmeasured: null,
      wanted: FUNCTIONS,
      range: null,
    });
    statistics.range.value = { from: ticks(10n), to: ticks(20n) };
    expect(statistics.functions.value?.range).toBeNull();
    tell({ functions });
    expect(statistics.functions.value?.range).toEqual({ from: 10n, to: 20n });
    expect(statistics.flame.value).toBeNull();
  });
  it('are cancelled when no panel shows them, and requested again at once', () => {
    statistics.shown.value = FUNCTIONS;
    vi.advanceTimersByTime(1001);
    tell({});
    statistics.shown.value = null;
    expect(cancelled).toEqual(asked);
    statistics.shown.value = FUNCTIONS;
    expect(asked).toHaveLength(2);
    statistics.shown.value = null;
    expect(cancelled).toEqual(asked);
  });
  it('are not cancelled or requested again once they are exact', () => {
    status.value = READY;
    statistics.shown.value = FUNCTIONS;
    tell({ exact: true });
    statistics.shown.value = null;
    statistics.shown.value = FUNCTIONS;
    expect([asked.length, cancelled.length]).toEqual([1, 0]);
  });
  it('give way to the reason when they fail, until the next question', () => {
    status.value = READY;
    statistics.shown.value = FUNCTIONS;
    tell({ functions: { length: 3 } as Functions, exact: true });
    statistics.range.value = { from: ticks(10n), to: ticks(20n) };
    const error = { kind: 'limit' as const, sentence: 'Not enough memory.', offset: null };
    newest('statistics').take({ t: 'job-failed', id: 0, error });
    expect([statistics.functions.value, statistics.failure.value]).toEqual([null, 'Not enough memory.']);
    statistics.range.value = null;
    tell({ functions: { length: 3 } as Functions, exact: true });
    expect([statistics.functions.value?.columns.length, statistics.failure.value]).toEqual([3, null]);
    statistics.shown.value = null;
    expect(cancelled).toEqual([]);
  });
  it('discard exact percentiles when the range changes', () => {
    status.value = READY;
    statistics.shown.value = FUNCTIONS;
    statistics.highlighted.value = 4;
    statistics.askExact(4);
    const pending = { name: 4, found: null, progress: null, failure: null };
    expect(statistics.exact.value).toEqual(pending);
    newest('percentiles').take({ t: 'job-progress', id: 0, progress: { done: 3, of: 9 } });
    expect(statistics.exact.value).toEqual({ ...pending, progress: { done: 3, of: 9 } });
    find(PERCENTILES);
    expect(statistics.exact.value).toEqual({ ...pending, found: PERCENTILES });
    statistics.whose.value = 1;
    expect(statistics.exact.value).toBeNull();
    expect(cancelled.filter(({ kind }) => kind === 'percentiles')).toEqual([]);
  });
  it('cancel the search for percentiles when its question, its function or its table is left', () => {
    const leave = [
      () => {
        statistics.whose.value = 1;
      },
      () => {
        statistics.highlighted.value = 5;
      },
      () => {
        statistics.shown.value = null;
      },
    ];
    status.value = READY;
    for (const [i, left] of leave.entries()) {
      statistics.shown.value = FUNCTIONS;
      statistics.highlighted.value = 4;
      statistics.askExact(4);
      left();
      expect(cancelled.filter(({ kind }) => kind === 'percentiles')).toHaveLength(i + 1);
      expect(statistics.exact.value).toBeNull();
    }
  });
  it('keep exact percentiles when another function is selected', () => {
    status.value = READY;
    statistics.shown.value = FUNCTIONS;
    statistics.highlighted.value = 4;
    statistics.askExact(4);
    find(PERCENTILES);
    statistics.highlighted.value = 5;
    expect(statistics.exact.value?.found).toEqual(PERCENTILES);
    statistics.askExact(5);
    find(null);
    expect(statistics.exact.value).toBeNull();
  });
  it('say why percentiles cannot be found', () => {
    statistics.askExact(4);
    const error = { kind: 'limit' as const, sentence: 'Not enough memory.', offset: null };
    newest('percentiles').take({ t: 'job-failed', id: 0, error });
    expect(statistics.exact.value).toMatchObject({ found: null, failure: 'Not enough memory.' });
  });
  it('cover the threads of a trace that has threads', () => {
    const ids = (tracks: readonly Track[], whose: 'all' | number = 'all') =>
      tracksOf(tracks, whose).map(({ id }) => id);
    const lanes = [track(1, { kind: 'lane' }), track(2, { kind: 'counter', slices: 0 })];
    expect(ids(lanes)).toEqual([1]);
    expect(ids([...lanes, track(3), track(4, { slices: 0 })])).toEqual([3]);
    expect(ids([...lanes, track(3)], 1)).toEqual([1]);
  });
});
