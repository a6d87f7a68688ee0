import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { createScope } from '../../base/scope.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Extent } from '../../trace/view.ts';
import { createRuns, type Runs } from './runs.ts';

let runs: Runs | null = null;
afterEach(() => runs?.dispose());

/** An open trace without functions, which answers jobs at once. */
function trace(parts: { status?: unknown; format?: string; values?: Uint8Array } = {}) {
  const none = new Float64Array();
  const functions = { length: 0, name: new Uint32Array(), count: none, total: none, self: none, min: none };
  const figures = { ...functions, median: none, p90: none, p99: none, max: none, bytes: none };
  const held: number[] = [];
  const open = {
    scope: createScope(),
    statistics: { range: signal<Extent | null>(null), whose: signal('all') },
    trace: {
      status: signal(parts.status ?? { at: 'ready' }),
      info: signal({
        format: parts.format ?? 'xray',
        title: parts.format ?? 'xray',
        clock: { kind: 'ticks' },
        offers: parts.values ? ['values'] : [],
      }),
      records: { aboutValues: async () => parts.values ?? null },
      companions: signal<{ id: number; kind: string; attachment: unknown }[]>([]),
      tracks: signal(new Map()),
      names: { of: () => '', keyOf: () => '', text: [] },
      ledger: { set: (_: string, { bytes }: { bytes: number }) => held.push(bytes) },
      begin: ({ kind }: { kind: string }, take: (reply: unknown) => void) => {
        const times = { function: new Uint32Array(2), start: none, own: none };
        const part = kind === 'selfTimes' ? times : { functions: figures, tree: null };
        take({ t: 'job-part', last: true, part, progress: { done: 1, of: 1 } });
        return () => undefined;
      },
    },
  };
  return { open: open as unknown as OpenTrace, held, parts: open };
}

/** Runs of two traces, whose files are what `further` says, and the names of files that are open and were closed. */
function made(further: Readonly<Record<string, ReturnType<typeof trace>>>) {
  const [a, b] = [trace(), trace()];
  const log: string[] = [];
  const names = new Map<OpenTrace, string>();
  runs = createRuns({
    a: a.open,
    b: b.open,
    openFurther: ({ file, name, companions }) => {
      log.push(['', name, ...companions.map(({ kind }) => kind)].join('+'));
      const { open } = further[name]!;
      names.set(open, name);
      return Object.assign(open, { file });
    },
    endFurther: (open) => {
      log.push(`-${names.get(open)}`);
    },
  });
  return { runs, a, b, log };
}
const file = (name: string) => ({ file: new Blob(), name });

it('reads files one after the other, closes each, and holds what it found on the ledger', async () => {
  const { runs, a, log } = made({ x: trace(), y: trace() });
  runs.a.add([file('x')]);
  runs.b.add([file('y')]);
  expect(runs.a.profiles.value).toBeNull();
  await vi.waitFor(() => expect(runs.b.profiles.value?.length).toBe(1));
  expect(log).toEqual(['+x', '-x', '+y', '-y']);
  expect(runs.a.profiles.value?.length).toBe(1);
  expect(a.held.at(-1)).toBe(8);
  runs.a.remove(runs.a.all.value[0]!.file);
  expect([runs.a.all.value, a.held.at(-1)]).toEqual([[], 0]);
});

it('says why a file is no run, and counts without it', async () => {
  const broken = trace({ status: { at: 'failed', error: { sentence: 'It is damaged.' } } });
  const { runs } = made({ broken, other: trace({ format: 'frames' }), z: trace() });
  runs.a.add(['broken', 'other', 'z'].map(file));
  await vi.waitFor(() => expect(runs.a.profiles.value?.length).toBe(1));
  expect(runs.a.all.value.map(({ failure }) => failure)).toEqual([
    'broken: It is damaged.',
    'other: It is frames, and the open trace xray.',
    '',
  ]);
});

it('reads the values of runs that have these in place of functions, once', async () => {
  const values = Uint8Array.of(1, 2, 3);
  const { runs, a, log } = made({ x: trace({ values }) });
  const run = file('x');
  runs.a.add([run]);
  await vi.waitFor(() => expect(runs.a.all.value[0]?.values?.bytes).toBe(values));
  expect([a.held.at(-1), runs.a.all.value[0]?.profile]).toEqual([3, null]);
  runs.a.remove(run);
  runs.b.add([{ ...run }]);
  await vi.waitFor(() => expect(runs.b.all.value[0]?.values?.bytes).toBe(values));
  expect(log).toEqual(['+x', '-x']);
});

it('counts runs of the whole only, and reads them again with other names', async () => {
  const { runs, a, log } = made({ x: trace() });
  runs.a.add([file('x')]);
  await vi.waitFor(() => expect(runs.a.profiles.value?.length).toBe(1));
  a.parts.statistics.range.value = { from: 0n, to: 5n } as Extent;
  expect(runs.a.profiles.value).toEqual([]);
  a.parts.statistics.range.value = null;
  a.parts.trace.companions.value = [
    { id: 1, kind: 'binary', attachment: {} },
    { id: 2, kind: 'times', attachment: {} },
  ];
  // Times of calls are of one recording.
  await vi.waitFor(() => expect(log).toEqual(['+x', '-x', '+x+binary', '-x']));
  await vi.waitFor(() => expect(runs.a.profiles.value?.length).toBe(1));
});
