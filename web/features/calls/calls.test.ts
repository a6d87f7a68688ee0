import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LISTINGS, NO_PARENT, type TreeRows } from '../../base/calls_protocol.ts';
import type { JobQuestion, JobReply } from '../../base/job_protocol.ts';
import { MAX_TICKS, ticks } from '../../base/ticks.ts';
import { createCallPaths } from '../../trace/call_paths.ts';
import { closedSiblings } from '../../trace/call_tree.ts';
import { createNames } from '../../trace/names.ts';
import type { Told, Wanted, Whose } from '../../trace/statistics.ts';
import type { Status } from '../../trace/trace.ts';
import type { Extent } from '../../trace/view.ts';
import { type Calls, createCalls } from './calls.ts';
import type { CallView } from './views.ts';

let calls: Calls;
let parts: Parameters<typeof createCalls>[0];
let begun: { question: JobQuestion; take: (reply: JobReply) => void }[];
let cancelled: number;
const view = signal<CallView>('functions');
const shown = signal<Wanted | null>(null);
const tree = signal<Told<TreeRows> | null>(null);
const status = signal<Status>({ at: 'loading' });
const range = signal<Extent | null>(null);
const whose = signal<Whose>('all');
const listed = signal(-1);
const names = createNames();
names.add(0, ['a', 'b', 'c'], null);

/** Answers the question for rows of the tree: name, row above, state. */
function answer(rows: readonly (readonly [number, number, number])[]): void {
  const columns: TreeRows = {
    length: rows.length,
    cut: 0,
    whole: 10,
    name: Uint32Array.from(rows, ([name]) => name),
    parent: Uint32Array.from(rows, ([, parent]) => parent),
    total: Float64Array.from(rows, (_, i) => 10 - i),
    self: Float64Array.from(rows, () => 1),
    count: Float64Array.from(rows, () => 1),
    state: Uint8Array.from(rows, ([, , state]) => state),
  };
  tree.value = { columns, slices: 9, visited: 9, exact: true, unmeasured: null, wanted: shown.peek()!, range: null };
}
const openNames = () => [...(shown.value?.tree?.names ?? [])];

beforeEach(() => {
  begun = [];
  cancelled = 0;
  view.value = 'functions';
  tree.value = null;
  status.value = { at: 'ready', how: 'complete', error: null };
  range.value = null;
  parts = {
    trace: {
      names,
      status,
      begin: (question: JobQuestion, take: (reply: JobReply) => void) => {
        begun.push({ question, take });
        return () => {
          cancelled += 1;
        };
      },
    },
    statistics: {
      shown,
      tree,
      range,
      whose,
      listed,
      asked: () => ({ from: ticks(0n), to: MAX_TICKS, tracks: Uint32Array.of(1) }),
    },
    selection: { selected: signal(null), reveal: () => undefined },
    find: { asked: signal(''), ask: () => undefined, clear: () => undefined },
    callPaths: createCallPaths({ whose }),
  } as unknown as Parameters<typeof createCalls>[0];
  calls = createCalls(parts, view);
  calls.mounted.value = true;
});
afterEach(() => calls.dispose());

describe('the Functions panel', () => {
  it('asks for what its view shows, while it is on the screen', () => {
    expect(shown.value).toMatchObject({ functions: true, flame: null, tree: null });
    view.value = 'flame';
    expect(shown.value).toMatchObject({ functions: false, flame: { mode: 'down' } });
    calls.mode.value = 'inverted';
    expect(shown.value?.flame?.mode).toBe('up');
    view.value = 'tree';
    expect(shown.value?.tree).toMatchObject({ inverted: false, everything: null });
    view.value = 'graph';
    expect(shown.value).toMatchObject({ functions: true, tree: { listing: LISTINGS.edges } });
    calls.mounted.value = false;
    expect(shown.value).toBeNull();
  });
  it('focuses nodes of the flame graph, and goes back', () => {
    view.value = 'flame';
    calls.focus([0]);
    calls.focus([0, 1]);
    expect([...shown.value!.flame!.path]).toEqual([0, 1]);
    expect([calls.focusBack(), [...calls.path.value], calls.focusBack(), calls.focusBack()]).toEqual([
      true,
      [0],
      true,
      false,
    ]);
    // Changed paths have no such node any more.
    calls.focus([0, 1]);
    calls.add({ kind: 'hide', name: 0 });
    expect([...shown.value!.flame!.path]).toEqual([]);
    expect([...shown.value!.transforms.names]).toEqual([0]);
  });
  it('asks for a sandwich once it has a function', () => {
    view.value = 'flame';
    calls.mode.value = 'sandwich';
    expect(shown.value).toBeNull();
    calls.sandwich(2);
    calls.sandwich(1);
    expect(shown.value?.flame).toEqual({ mode: 'sandwich', path: Uint32Array.of(1) });
    expect([calls.focusBack(), [...calls.path.value], calls.focusBack()]).toEqual([true, [2], false]);
    calls.add({ kind: 'collapse' });
    expect([...calls.path.value]).toEqual([2]);
  });
  it('opens and closes rows of the tree', () => {
    view.value = 'tree';
    answer([
      [0, NO_PARENT, 1],
      [1, NO_PARENT, 1],
      [2, NO_PARENT, 0],
    ]);
    expect(closedSiblings(calls.rows.value, '1')).toEqual(['0', '1']);
    calls.open('0');
    calls.open('0 2');
    expect(openNames()).toEqual([0, 2]);
    calls.close('0');
    expect(openNames()).toEqual([]);
    calls.open('0');
    expect(openNames()).toEqual([0, 2]);
    // The other direction has rows of its own.
    calls.inverted.value = true;
    expect([openNames(), calls.rows.value]).toEqual([[], []]);
    calls.inverted.value = false;
    calls.closeAll();
    expect(openNames()).toEqual([]);
  });
  it('keeps open what was opened with everything below a row', () => {
    view.value = 'tree';
    calls.openEverything('0');
    expect(shown.value?.tree?.everything).toBe(1);
    answer([
      [0, NO_PARENT, 2],
      [1, 0, 2],
      [2, 1, 0],
    ]);
    expect([openNames(), shown.value?.tree?.everything]).toEqual([[0, 1], null]);
    expect(calls.rows.value.map(({ key }) => key)).toEqual(['0', '0 1', '0 1 2']);
  });
  it('draws calls in time order by a job of its own', () => {
    view.value = 'flame';
    calls.mode.value = 'time';
    expect(begun.map(({ question }) => question.kind)).toEqual(['timeOrder']);
    expect([shown.value, calls.time.value]).toEqual([null, { at: 'making', progress: null }]);
    begun[0]!.take({ t: 'job-progress', id: 0, progress: { done: 1, of: 2 } });
    expect(calls.time.value).toEqual({ at: 'making', progress: { done: 1, of: 2 } });
    calls.add({ kind: 'collapse' });
    expect([begun.length, cancelled]).toEqual([2, 1]);
    calls.mode.value = 'heavy';
    expect([calls.time.value, cancelled]).toEqual([null, 2]);
  });
  it('shows the calls of a function in place of the view', () => {
    calls.list(2);
    expect([calls.listed.value?.name, shown.value]).toEqual([2, null]);
    calls.back();
    expect([calls.listed.value, shown.value?.functions]).toEqual([null, true]);
    calls.list(1);
    view.value = 'tree';
    expect(calls.listed.value).toBeNull();
  });
  it('lists the calls that are asked for elsewhere, also before the panel was there', () => {
    listed.value = 2;
    expect([calls.listed.value?.name, listed.value]).toEqual([2, -1]);
    calls.dispose();
    listed.value = 1;
    calls = createCalls(parts, view);
    expect([calls.listed.value?.name, listed.value]).toEqual([1, -1]);
  });
  it('applies a filter to the names that come later', () => {
    status.value = { at: 'loading' };
    view.value = 'tree';
    calls.add({ kind: 'only', text: 'late' });
    expect([...shown.value!.transforms.names]).toEqual([]);
    names.add(3, ['later'], null);
    status.value = { at: 'ready', how: 'complete', error: null };
    expect([...shown.value!.transforms.names]).toEqual([3]);
  });
  it('takes changes back one by one', () => {
    calls.add({ kind: 'collapse' });
    calls.add({ kind: 'only', text: 'b' });
    calls.remove(calls.changes.value[0]!);
    expect(calls.changes.value).toEqual([{ kind: 'only', text: 'b' }]);
    calls.clear();
    expect(calls.changes.value).toEqual([]);
  });
});
