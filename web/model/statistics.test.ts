import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Functions, Progress, Track } from '../base/protocol.ts';
import { MAX_TICKS, ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import { createStatistics, type Statistics, tracksOf } from './statistics.ts';
import type { StatisticsAnswer, StatisticsQuestion, Status, Trace } from './trace.ts';

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
});

let asked: StatisticsQuestion[];
let tell: (answer: StatisticsAnswer) => void;
let statistics: Statistics;
let found: ((percentiles: { median: bigint; p90: bigint; p99: bigint } | null) => void)[];
const status = signal<Status>({ at: 'loading' });
const now = signal(progress(1));
const READY: Status = { at: 'ready', how: 'complete', error: null };

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  found = [];
  status.value = { at: 'loading' };
  now.value = progress(1);
  const tracks = [track(0, { kind: 'process', slices: 0 }), track(1), track(2), track(3, { kind: 'lane' })];
  statistics = createStatistics({
    tracks: signal(new Map(tracks.map((one) => [one.id, one]))),
    status,
    progress: now,
    statistics: (question: StatisticsQuestion, then: typeof tell) => {
      asked.push(question);
      tell = then;
    },
    percentiles: () => new Promise((resolve) => found.push(resolve)),
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
    statistics.shown.value = 'functions';
    expect(asked).toEqual([{ from: 0n, to: MAX_TICKS, tracks: Uint32Array.of(1, 2), functions: true, flame: null }]);
    statistics.range.value = { from: ticks(10n), to: ticks(20n) };
    statistics.shown.value = 'flame';
    statistics.focus.value = 7;
    statistics.whose.value = 3;
    expect(asked.slice(1).map(({ from, flame, tracks }) => [from, flame, [...tracks]])).toEqual([
      [10n, null, [1, 2]],
      [10n, 0, [1, 2]],
      [10n, 7, [1, 2]],
      [10n, 7, [3]],
    ]);
  });
  it('are measured from the request to each reply, for the latest request only', () => {
    // Fake timers replace User Timing as well.
    const measure = vi.spyOn(performance, 'measure');
    const clear = vi.spyOn(performance, 'clearMeasures');
    status.value = READY;
    statistics.shown.value = 'functions';
    const began = performance.now();
    vi.advanceTimersByTime(50);
    tell({ functions: null, flame: null, slices: 10, visited: 3, complete: true, exact: false });
    tell({ functions: null, flame: null, slices: 10, visited: 10, complete: true, exact: true });
    expect(measure.mock.calls).toEqual([
      ['unspool:statistics', { start: began, detail: { exact: false, slices: 10 } }],
      ['unspool:statistics', { start: began, detail: { exact: true, slices: 10 } }],
    ]);
    expect(clear).toHaveBeenCalledTimes(1);
    statistics.whose.value = 3;
    expect(clear).toHaveBeenCalledTimes(2);
  });
  it('are requested once a second while the trace grows, and when it is complete', () => {
    statistics.shown.value = 'functions';
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
    statistics.shown.value = 'functions';
    vi.advanceTimersByTime(1001);
    vi.advanceTimersByTime(200);
    tell({ slices: 9, visited: 3, exact: false, complete: false, functions: null, flame: null });
    now.value = progress(2);
    vi.advanceTimersByTime(1500);
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    expect(asked).toHaveLength(2);
  });
  it('are requested at once after a change by the person', () => {
    statistics.shown.value = 'functions';
    vi.advanceTimersByTime(1001);
    statistics.range.value = { from: ticks(10n), to: ticks(20n) };
    expect(asked).toHaveLength(2);
  });
  it('keep one part when the other arrives', () => {
    status.value = READY;
    statistics.shown.value = 'functions';
    const functions = { length: 3 } as Functions;
    tell({ slices: 9, visited: 3, exact: false, complete: true, functions, flame: null });
    expect(statistics.functions.value).toEqual({ columns: functions, slices: 9, visited: 3, exact: false });
    expect(statistics.flame.value).toBeNull();
  });
  it('discard exact percentiles when the range changes', async () => {
    const percentiles = { median: 1n, p90: 2n, p99: 3n };
    status.value = READY;
    statistics.askExact(4);
    expect(statistics.exact.value).toEqual({ name: 4, found: null });
    found[0]!(percentiles);
    await vi.advanceTimersByTimeAsync(1);
    expect(statistics.exact.value).toEqual({ name: 4, found: percentiles });
    statistics.askExact(5);
    statistics.whose.value = 1;
    found[1]!(percentiles);
    await vi.advanceTimersByTimeAsync(1);
    expect(statistics.exact.value).toBeNull();
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
