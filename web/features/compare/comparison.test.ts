import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import type { TreeView } from '../../base/calls_protocol.ts';
import type { JobQuestion, JobReply } from '../../base/job_protocol.ts';
import { PORTION, resultOf } from '../../base/portions.ts';
import { serve } from '../../base/remote.ts';
import { joinTexts, textsOf } from '../../base/texts.ts';
import { type Comparison, createComparison, nameIn, type Side } from './comparison.ts';
import { createBothPaths } from './paths.ts';
import type { ComparedFlame, ComparedFunctions, ComparedTree, Compares, Comparing, FlameQuestion } from './protocol.ts';

let comparison: Comparison | null = null;
afterEach(() => comparison?.dispose());

/** A trace with these functions, which answers jobs at once. */
function side(names: readonly string[], questions: JobQuestion[] = [], room = 1e9): Side & { status: { at: string } } {
  const status = signal<{ at: string }>({ at: 'ready' });
  // Each answer has arrays of its own, as they change hands.
  const column = () => Float64Array.from(names, () => 10);
  const begin = (question: JobQuestion, take: (reply: JobReply) => void) => {
    questions.push(question);
    const functions = { length: names.length, name: Uint32Array.from(names.keys()), count: column(), total: column() };
    const figures = { self: column(), min: column(), median: column(), p90: column(), p99: column(), max: column() };
    const path = { name: Uint32Array.of(0), parent: Uint32Array.of(2 ** 32 - 1), total: column(), self: column() };
    const part =
      question.kind === 'selfTimes'
        ? { function: Uint32Array.from(names.keys()), start: column(), own: column() }
        : {
            functions: { ...functions, ...figures, bytes: column() },
            tree: { ...path, count: column(), cut: names.length },
          };
    const progress = { done: 1, of: 1 };
    take({ t: 'job-part', id: 1, part, progress, last: true } as unknown as JobReply);
    return () => undefined;
  };
  const trace = {
    status,
    begin,
    ledger: { set: () => undefined, room: () => room },
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

const texts = (...all: string[]) => {
  const end = (i: number) => all.slice(0, i + 1).join('').length;
  return { all: all.join(''), ends: Uint32Array.from(all.keys(), end) };
};

/** Its arrays change hands. */
const rows = () =>
  ({
    length: 2,
    names: texts('f', '#7'),
    a: Int32Array.of(0, -1),
    b: Int32Array.of(0, 1),
    sentence: 'More.',
  }) as ComparedFunctions;

it('asks both traces, and compares what they have', async () => {
  const questions: JobQuestion[] = [];
  const given: Compares['profile'][] = [];
  const compare = (...sides: [Compares, Compares]) => {
    given.push(...sides.map(({ profile }) => profile));
    return Promise.resolve(rows());
  };
  comparison = createComparison(side(['f'], questions), side(['f', '#7']), () => worker({ compare }));
  expect(comparison.state.value.at).toBe('working');
  await vi.waitFor(() => expect(comparison!.state.value.at).toBe('done'));
  expect(questions.map(({ kind }) => kind)).toEqual(['statistics', 'selfTimes']);
  expect(given.map(({ names }) => textsOf(names))).toEqual([['f'], ['f', '#7']]);
  expect(given.map(({ keys }) => textsOf(keys))).toEqual([[''], ['', '#7']]);
  expect(given[1]).toMatchObject({ counted: 'step', interleaved: true });
  expect(given[1]!.figures.length).toBe(18);
  const { state } = comparison;
  const { compared } = state.value as Extract<typeof state.value, { at: 'done' }>;
  expect([0, 1].map((row) => nameIn(compared, row))).toEqual(['f', '#7']);
  comparison.filter.value = '7';
  expect([0, 1].map(comparison.holds.value)).toEqual([false, true]);
  expect(comparison.matching.value).toEqual(Uint32Array.of(1));
});

it('filters many rows in portions, and keeps those before until it is done', async () => {
  const length = 3 * PORTION;
  const names = await joinTexts(length, (row) => `f${row}`);
  const none = new Int32Array(length);
  const many = async () => ({ length, names, a: none, b: none, sentence: '' }) as ComparedFunctions;
  comparison = createComparison(side(['f']), side(['f']), () => worker({ compare: many }));
  const { matching, filter } = comparison;
  await vi.waitFor(() => expect(matching.value.length).toBe(length));
  filter.value = `f${PORTION}`;
  expect(matching.value.length).toBe(length);
  await vi.waitFor(() => expect(matching.value).toEqual(Uint32Array.of(PORTION)));
});

it('says so if there is no room for it', async () => {
  comparison = createComparison(side(['f'], [], 1000), side(['f']), () => worker({ compare: async () => rows() }));
  const sentence =
    'Not enough memory to compare 2 functions: 1 MB needed, 0 MB left. Choose a shorter range or one thread.';
  await vi.waitFor(() => expect(comparison?.state.value).toEqual({ at: 'failed', sentence }));
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

/** A comparison with its flame graph in front, of a worker that answers with empty graphs, and what that was given. */
async function withFlame(questions: JobQuestion[] = []) {
  const asked: FlameQuestion[] = [];
  const taken: (0 | 1)[] = [];
  const flame = { length: 0, name: new Uint32Array() } as ComparedFlame;
  const service: Partial<Comparing> = {
    compare: () => Promise.resolve(rows()),
    takePaths: (side) => {
      taken.push(side);
    },
    flame: (question) => {
      asked.push(question);
      return Promise.resolve({ flame, callers: null });
    },
  };
  comparison = createComparison(side(['f'], questions), side(['f', '#7'], questions), () => worker(service));
  await vi.waitFor(() => expect(comparison!.state.value.at).toBe('done'));
  expect(asked).toEqual([]);
  comparison.view.value = 'flame';
  const { state } = comparison;
  const { paths } = (state.value as Extract<typeof state.value, { at: 'done' }>).compared;
  return { comparison, paths, asked, taken };
}

it('asks for the flame graph only while that is shown, of what is in focus', async () => {
  const { comparison, paths, asked } = await withFlame();
  comparison.choice.value = { width: 'b', normalised: true };
  paths.focus([1]);
  const heavy = { mode: 'heavy', path: [1], width: 'b', normalised: true };
  await vi.waitFor(() => expect(comparison.flame.value?.asked).toEqual(heavy));
  paths.mode.value = 'sandwich';
  expect(comparison.wanted.value).toBeNull();
  paths.sandwich(0);
  await vi.waitFor(() => expect(asked.at(-1)).toEqual({ ...heavy, mode: 'sandwich', path: [0] }));
});

it('asks for call paths only once something needs them', async () => {
  const questions: JobQuestion[] = [];
  const taken: (0 | 1)[] = [];
  const saved: string[] = [];
  const service: Partial<Comparing> = {
    compare: () => Promise.resolve(rows()),
    takePaths: (side) => {
      taken.push(side);
    },
    saved: (kind) => {
      saved.push(`${kind} after ${taken.length}`);
      return new Blob();
    },
  };
  comparison = createComparison(side(['f'], questions), side(['f', '#7'], questions), () => worker(service));
  await vi.waitFor(() => expect(comparison!.state.value.at).toBe('done'));
  await comparison.saved('functions', '', '');
  const rowsOf = () => questions.filter((question) => question.kind === 'statistics' && question.tree).length;
  expect(rowsOf()).toBe(0);
  await comparison.saved('folded', '', '');
  await comparison.saved('report', '', '');
  expect(saved).toEqual(['functions after 0', 'folded after 2', 'report after 2']);
  expect([rowsOf(), comparison.cut.value]).toEqual([2, 3]);
  // They are there.
  comparison.view.value = 'flame';
  await new Promise((resolve) => setTimeout(resolve));
  expect([rowsOf(), taken]).toEqual([2, [0, 1]]);
});

it('saves call paths after the latest changes, and nothing of a comparison that has ended', async () => {
  const questions: JobQuestion[] = [];
  const taken: (0 | 1)[] = [];
  const service: Partial<Comparing> = {
    compare: () => Promise.resolve(rows()),
    takePaths: (side) => {
      taken.push(side);
    },
    saved: () => new Blob([String(taken.length)]),
  };
  comparison = createComparison(side(['f'], questions), side(['f', '#7'], questions), () => worker(service));
  await vi.waitFor(() => expect(comparison!.state.value.at).toBe('done'));
  const { state } = comparison;
  const { paths } = (state.value as Extract<typeof state.value, { at: 'done' }>).compared;
  const saved = comparison.saved('folded', '', '');
  paths.add({ kind: 'only', text: 'f' });
  expect(await (await saved).text()).toBe('2');
  const changes = questions.slice(-2).map((of) => (of.kind === 'statistics' ? of.transforms.kinds.length : -1));
  expect(changes).toEqual([1, 1]);
  paths.add({ kind: 'hide', name: 0 });
  const late = comparison.saved('folded', '', '');
  comparison.dispose();
  await expect(late).rejects.toBe('The worker has ended.');
});

it('has both traces change their paths, by the names that each has, and then asks again', async () => {
  const questions: JobQuestion[] = [];
  const { comparison, paths, asked, taken } = await withFlame(questions);
  await vi.waitFor(() => expect(comparison.flame.value).not.toBeNull());
  const before = asked.length;
  paths.add({ kind: 'hide', name: 1 });
  paths.add({ kind: 'only', text: 'F' });
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(before));
  expect(taken.slice(-2)).toEqual([0, 1]);
  const transforms = questions.slice(-2).map((question) => question.kind === 'statistics' && question.transforms);
  // Row 1 is only in B.
  const only = { kinds: Uint8Array.of(2, 3) };
  expect(transforms).toEqual([
    { ...only, ends: Uint32Array.of(0, 1), names: Uint32Array.of(0) },
    { ...only, ends: Uint32Array.of(1, 2), names: Uint32Array.of(1, 0) },
  ]);
});

it('asks for the rows of the call tree that are open, while that is shown', async () => {
  const asked: TreeView[] = [];
  const columns = { length: 0 } as ComparedTree;
  const service: Partial<Comparing> = {
    compare: () => Promise.resolve(rows()),
    calls: (question) => {
      asked.push(question);
      return Promise.resolve(columns);
    },
  };
  comparison = createComparison(side(['f']), side(['f', '#7']), () => worker(service));
  const { state, view, tree } = comparison;
  await vi.waitFor(() => expect(state.value.at).toBe('done'));
  expect(asked).toEqual([]);
  view.value = 'tree';
  await vi.waitFor(() => expect(tree.value).not.toBeNull());
  const { compared } = state.value as Extract<typeof state.value, { at: 'done' }>;
  compared.tree.open('1');
  await vi.waitFor(() => expect(asked.length).toBe(2));
  expect(asked[1]).toMatchObject({ inverted: false, parents: Uint32Array.of(0), names: Uint32Array.of(1) });
});

it('keeps what was chosen about paths when the traces are compared again', async () => {
  const before = await resultOf(createBothPaths(texts('f', 'g'), null));
  before.add({ kind: 'focus', name: 1 });
  before.add({ kind: 'hide', name: 0 });
  before.focus([1, 0]);
  // Rows are in another order, and one is gone.
  const after = await resultOf(createBothPaths(texts('h', 'g'), before));
  expect(after.changes.value).toEqual([{ kind: 'focus', name: 1 }]);
  expect(after.path.value).toEqual([]);
});
