import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import { nextTask } from '../base/next_task.fixture.ts';
import type { StandingFinding, StandingNews } from '../base/summary_protocol.ts';
import type { Parts } from './file_memory.ts';
import { createSummary } from './summary.ts';
import type { Trace } from './trace.ts';

const finding = (kind: string, weight: number): StandingFinding => ({
  kind,
  title: `${kind}s`,
  why: '',
  sentence: `A ${kind}`,
  name: null,
  at: 1n,
  end: null,
  track: null,
  places: [],
  weight,
  part: null,
});

/** A summary whose search reports when the test says so. */
function made(remembered: unknown = undefined) {
  const status = signal<{ at: string }>({ at: 'loading' });
  const version = signal(1);
  const parts = signal<Parts>({ findings: remembered });
  const state = {
    looked: 0,
    ended: 0,
    held: [] as number[],
    report: (_: StandingNews): void => undefined,
    fail: () => undefined,
  };
  const ledger = { set: (_: string, { bytes }: { bytes: number }) => void state.held.push(bytes) };
  const put = (_: string, value: unknown) => {
    parts.value = { findings: value };
  };
  const summary = createSummary(
    { status, recordSource: { ledger }, names: { version } } as unknown as Trace,
    { parts, put },
    async () => ({
      look: (report, fail) => {
        state.looked += 1;
        Object.assign(state, { report, fail });
        return () => {
          state.ended += 1;
        };
      },
    }),
  );
  return { summary, status, version, parts, state };
}

test('looks once the trace is read, enters its memory, and lists what was found', async () => {
  const { summary, status, state } = made();
  await nextTask();
  expect(state.looked).toBe(0);
  status.value = { at: 'ready' };
  await nextTask();
  status.value = { at: 'ready' };
  await nextTask();
  expect(state.looked).toBe(1);
  state.report({ share: 0.5, bytes: 7, isDone: false, found: [] });
  expect([summary.share.value, summary.listed.value]).toEqual([0.5, null]);
  state.report({ share: 1, bytes: 3, isDone: true, found: [finding('wait', 0.5), finding('loop', 0.2)] });
  expect(summary.listed.value?.map(({ kind }) => kind)).toEqual(['wait', 'loop']);
  expect([summary.share.value, state.held]).toEqual([null, [7, 3]]);
});

test('names that change are looked at again, and the search before ends', async () => {
  const { summary, status, version, state } = made();
  status.value = { at: 'ready' };
  await nextTask();
  const { report: before } = state;
  version.value = 2;
  await nextTask();
  expect([state.looked, state.ended]).toEqual([2, 1]);
  before({ share: 1, bytes: 0, isDone: true, found: [finding('old', 1)] });
  state.report({ share: 1, bytes: 0, isDone: true, found: [finding('new', 1)] });
  expect(summary.listed.value?.map(({ kind }) => kind)).toEqual(['new']);
  summary.dispose();
  expect(state.ended).toBe(2);
});

test('a search that fails lists nothing and holds nothing', async () => {
  const { summary, status, state } = made();
  status.value = { at: 'ready' };
  await nextTask();
  state.report({ share: 0.5, bytes: 7, isDone: false, found: [] });
  state.fail();
  expect([summary.share.value, summary.listed.value, state.held]).toEqual([null, null, [7, 0]]);
});

test('kinds that are hidden are remembered of the file, and come back', async () => {
  const found = [finding('wait', 0.5), finding('loop', 0.2), finding('wait', 0.1)];
  const { summary, status, parts, state } = made();
  status.value = { at: 'ready' };
  await nextTask();
  state.report({ share: 1, bytes: 0, isDone: true, found });
  summary.hide('wait');
  expect(summary.listed.value?.map(({ kind }) => kind)).toEqual(['loop']);
  expect([summary.hidden.value, parts.value.findings]).toEqual([['waits'], ['wait']]);
  summary.showAll();
  expect([summary.listed.value?.length, summary.hidden.value, parts.value.findings]).toEqual([3, [], undefined]);
});

test('what is remembered is checked', async () => {
  for (const remembered of [['wait'], [7, 'wait', null]]) {
    const { summary, status, state } = made(remembered);
    status.value = { at: 'ready' };
    await nextTask();
    state.report({ share: 1, bytes: 0, isDone: true, found: [finding('wait', 1)] });
    expect([summary.listed.value, summary.hidden.value]).toEqual([[], ['waits']]);
  }
  const { summary, status, state } = made('wait');
  status.value = { at: 'ready' };
  await nextTask();
  state.report({ share: 1, bytes: 0, isDone: true, found: [finding('wait', 1)] });
  expect(summary.listed.value?.length).toBe(1);
});
