import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nextTask } from '../base/next_task.fixture.ts';
import type { Progress, TraceInfo } from '../base/protocol.ts';
import { type Recorded, recorded } from '../base/remote.fixture.ts';
import type { TraceService } from '../base/trace_protocol.ts';
import { workerOf } from '../base/worker.fixture.ts';
import type { Purpose } from './opening.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

const INFO = { format: 'xray', offers: [], companions: [] } as unknown as TraceInfo;
const PROGRESS = { bytesRead: 1, bytes: 1, events: 2, slices: 1, problems: [], extent: null } as unknown as Progress;

/** What each worker was asked. */
let asked: Recorded<TraceService>[];
let now: number;
let workbench: Workbench;

beforeEach(() => {
  asked = [];
  known = 0;
  now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  workbench = createWorkbench(
    () => {
      const one = recorded<TraceService>();
      asked.push(one);
      return workerOf(one.service);
    },
    () => {
      throw new Error('no record worker is needed');
    },
    { base: 'https://host.example/', online: true, fetch: () => Promise.reject(new TypeError()) },
  );
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** How often workers were asked something. */
const count = (question: 'look' | 'open') => asked.flatMap((one) => one.names()).filter((it) => it === question).length;
/** Waits until it is asked more often: the code that asks may have to be loaded. */
const more = async (question: 'look' | 'open', before: number) => {
  while (count(question) <= before) await nextTask();
};
/** The files whose worker has recognised them. */
let known = 0;
/** Opens a trace that takes this long to read; not to the end if `ends` is false. */
const read = async (ms: number, ends = true) => {
  workbench.openBlob(new Blob(['x']), 'open.xray');
  await nextTask();
  known = count('open');
  const [, page] = asked.at(-1)!.newest('open').args;
  page.opened(INFO, false, null);
  page.progress(PROGRESS);
  await nextTask();
  now += ms;
  if (ends) page.done('complete', PROGRESS, null);
  await nextTask();
};
/** Chooses a file, and waits until a worker has looked at it. */
const choose = async (purpose: Purpose = 'open') => {
  const before = count('look');
  const chosen = workbench.openFiles([new File(['y'], 'other.xray')], purpose);
  await more('look', before);
  asked
    .at(-1)!
    .newest('look')
    .answer([{ format: 'xray', confidence: 3, companion: null, looks: null }]);
  // Comparing waits until it is known what the file is.
  if (purpose !== 'compare') await chosen;
};
const shown = () => {
  const bench = workbench.bench.value;
  return bench.at === 'open' ? bench.open.trace.name : '';
};

it('asks before it replaces a trace that took long to read', async () => {
  await read(2001);
  expect(workbench.isCostly()).toBe(true);
  await choose();
  expect([shown(), workbench.offered.value]).toMatchObject(['open.xray', { name: 'other.xray', isSent: false }]);
  workbench.offered.value!.decline();
  expect([shown(), workbench.offered.value]).toEqual(['open.xray', null]);
  await choose();
  workbench.offered.value!.accept();
  expect([shown(), workbench.offered.value, workbench.isCostly()]).toEqual(['other.xray', null, false]);
});

it('replaces a small trace without a question', async () => {
  await read(1999);
  now += 60_000;
  expect(workbench.isCostly()).toBe(false);
  await choose();
  expect([shown(), workbench.offered.value]).toEqual(['other.xray', null]);
});

it('asks while a trace is being read for long', async () => {
  await read(1999, false);
  expect(workbench.isCostly()).toBe(false);
  now += 2;
  expect(workbench.isCostly()).toBe(true);
  workbench.offer(new Blob(['z']), 'sent.xray');
  expect(workbench.offered.value).toMatchObject({ name: 'sent.xray', isSent: true });
});

/** Tells the page what the newest worker has recognised. */
const recognise = async (info: TraceInfo) => {
  await more('open', known);
  known = count('open');
  const [, page] = asked.at(-1)!.newest('open').args;
  page.opened(info, false, null);
  await nextTask();
};
const sides = () => {
  const pair = workbench.pair.value;
  return pair && [pair.a.trace.name, pair.b.trace.name];
};

it('asks whether a trace that was dropped is opened or compared', async () => {
  await read(1);
  await choose('drop');
  expect([shown(), workbench.offered.value?.name]).toEqual(['open.xray', 'other.xray']);
  workbench.offered.value!.accept();
  expect([shown(), sides()]).toEqual(['other.xray', null]);
  await read(1);
  await choose('drop');
  workbench.offered.value!.compare!();
  await recognise(INFO);
  expect([shown(), sides(), workbench.offered.value]).toEqual(['open.xray', ['open.xray', 'other.xray'], null]);
});

it('has one of two in front, changes their places, and closes either', async () => {
  await read(1);
  await choose('compare');
  await recognise(INFO);
  const { a, b } = workbench.pair.value!;
  expect([a.pair.value, shown()]).toEqual([workbench.pair.value, 'open.xray']);
  workbench.pair.value!.show(b);
  expect(shown()).toBe('other.xray');
  workbench.pair.value!.swap();
  expect([sides(), shown()]).toEqual([['other.xray', 'open.xray'], 'other.xray']);
  workbench.pair.value!.close(b);
  expect([sides(), shown(), a.pair.value]).toEqual([null, 'open.xray', null]);
});

it('refuses to compare traces of two formats, and keeps the open one', async () => {
  await read(1);
  const compared = workbench.compare({ file: new Blob(), name: 'other.rvn', companions: [] });
  await recognise({ ...INFO, format: 'rvn', title: 'an rvn trace' });
  await compared;
  expect([shown(), sides()]).toEqual(['open.xray', null]);
  expect(workbench.notice.value?.sentence).toMatch(/^other\.rvn is an rvn trace/);
});

it('closes both when another trace is opened', async () => {
  await read(1);
  await choose('compare');
  await recognise(INFO);
  const { scope } = workbench.pair.value!;
  let ended = false;
  scope.add(() => {
    ended = true;
  });
  workbench.openBlob(new Blob(), 'third.xray');
  expect([shown(), sides(), ended]).toEqual(['third.xray', null, true]);
});
