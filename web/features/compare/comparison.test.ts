import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import type { JobQuestion, JobReply } from '../../base/job_protocol.ts';
import { serve } from '../../base/remote.ts';
import { type Comparison, createComparison, nameIn, type Side } from './comparison.ts';
import type { ComparedRows, Comparing, Profile } from './protocol.ts';

let comparison: Comparison | null = null;
afterEach(() => comparison?.dispose());

/** A trace with these functions, which answers jobs at once. */
function side(names: readonly string[], questions: JobQuestion[] = []): Side & { status: { at: string } } {
  const status = signal<{ at: string }>({ at: 'ready' });
  const columns = Float64Array.from(names, () => 10);
  const begin = (question: JobQuestion, take: (reply: JobReply) => void) => {
    questions.push(question);
    const functions = { length: names.length, name: Uint32Array.from(names.keys()), count: columns, total: columns };
    const figures = { self: columns, min: columns, median: columns, p90: columns, p99: columns, max: columns };
    const path = { name: Uint32Array.of(0), parent: Uint32Array.of(2 ** 32 - 1), total: columns, self: columns };
    const part =
      question.kind === 'selfTimes'
        ? { function: Uint32Array.from(names.keys()), start: columns, own: columns }
        : { functions: { ...functions, ...figures, bytes: columns }, tree: { ...path, count: columns } };
    const progress = { done: 1, of: 1 };
    take({ t: 'job-part', id: 1, part, progress, last: true } as unknown as JobReply);
    return () => undefined;
  };
  const trace = {
    status,
    begin,
    info: signal({ clock: { kind: 'ordinal', unit: 'step' }, offers: [] }),
    names: { version: signal(0), of: (id: number) => names[id] ?? '', keyOf: () => '' },
  };
  const asked = () => ({ from: 0n, to: 9n, tracks: Uint32Array.of(1, 2) });
  return { trace, statistics: { asked, range: signal(null) }, status: status as never } as never;
}

/** A worker that serves this object. */
function worker(service: Partial<Comparing>) {
  const { port1, port2 } = new MessageChannel();
  serve(service as Comparing, port2 as never, String);
  return Object.assign(port1, { terminate: () => port1.close(), onerror: null, onmessageerror: null }) as never;
}

/** Its arrays change hands. */
const rows = () => ({ length: 2, a: Int32Array.of(0, -1), b: Int32Array.of(0, 1), sentence: 'More.' }) as ComparedRows;

it('asks both traces, and compares what they have', async () => {
  const questions: JobQuestion[] = [];
  const given: Profile[] = [];
  const compare = (...profiles: [Profile, Profile]) => {
    given.push(...profiles);
    return Promise.resolve(rows());
  };
  comparison = createComparison(side(['f'], questions), side(['f', '#7']), () => worker({ compare }));
  expect(comparison.state.value.at).toBe('working');
  await vi.waitFor(() => expect(comparison!.state.value.at).toBe('done'));
  expect(questions.map(({ kind }) => kind)).toEqual(['statistics', 'selfTimes']);
  expect(given.map(({ names }) => names)).toEqual([['f'], ['f', '#7']]);
  expect(given[1]).toMatchObject({ keys: ['', '#7'], counted: 'step', interleaved: true });
  expect(given[1]!.figures.length).toBe(18);
  const { state } = comparison;
  const { compared } = state.value as Extract<typeof state.value, { at: 'done' }>;
  expect([0, 1].map((row) => nameIn(compared, row))).toEqual(['f', '#7']);
  comparison.filter.value = '7';
  expect([0, 1].map(comparison.holds.value)).toEqual([false, true]);
});

it('waits until both are read, and says why it fails', async () => {
  const a = side(['f']);
  const b = side(['f']);
  (a.trace.status as { value: unknown }).value = { at: 'loading' };
  const compare = () => Promise.reject('There is no room.');
  comparison = createComparison(a, b, () => worker({ compare }));
  expect(comparison.state.value.at).toBe('waiting');
  (a.trace.status as { value: unknown }).value = { at: 'ready' };
  await vi.waitFor(() => expect(comparison!.state.value).toEqual({ at: 'failed', sentence: 'There is no room.' }));
});

it('asks for the flame graph only while that is shown', async () => {
  const asked: unknown[] = [];
  const service = {
    compare: () => Promise.resolve(rows()),
    flame: (...view: unknown[]) => {
      asked.push(view);
      return Promise.resolve(null);
    },
  };
  comparison = createComparison(side(['f']), side(['f']), () => worker(service as Partial<Comparing>));
  await vi.waitFor(() => expect(comparison!.state.value.at).toBe('done'));
  expect(asked).toEqual([]);
  comparison.view.value = 'flame';
  comparison.choice.value = { width: 'b', normalised: true, path: [1] };
  await vi.waitFor(() => expect(asked.at(-1)).toEqual([Uint32Array.of(1), 'b', true]));
});
