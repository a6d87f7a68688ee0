import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nextTask } from '../base/next_task.fixture.ts';
import type { Progress, TraceInfo } from '../base/protocol.ts';
import { type Recorded, recorded } from '../base/remote.fixture.ts';
import type { TraceService } from '../base/trace_protocol.ts';
import { workerOf } from '../base/worker.fixture.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

const INFO = { format: 'xray', offers: [], companions: [] } as unknown as TraceInfo;
const PROGRESS = { bytesRead: 1, bytes: 1, events: 2, slices: 1, problems: [], extent: null } as unknown as Progress;

/** What each worker was asked. */
let asked: Recorded<TraceService>[];
let now: number;
let workbench: Workbench;

beforeEach(() => {
  asked = [];
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

/** Opens a trace that takes this long to read; not to the end if `ends` is false. */
const read = async (ms: number, ends = true) => {
  workbench.openBlob(new Blob(['x']), 'open.xray');
  await nextTask();
  const [, page] = asked.at(-1)!.newest('open').args;
  page.opened(INFO, false, null);
  page.progress(PROGRESS);
  await nextTask();
  now += ms;
  if (ends) page.done('complete', PROGRESS, null);
  await nextTask();
};
/** Chooses a file, and waits until a worker has looked at it. */
const choose = async () => {
  const chosen = workbench.openFiles([new File(['y'], 'other.xray')]);
  await nextTask();
  asked
    .at(-1)!
    .newest('look')
    .answer([{ format: 'xray', confidence: 3, companion: null, looks: null }]);
  await chosen;
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
