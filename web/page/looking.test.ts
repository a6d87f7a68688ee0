import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Recorded, recorded } from '../base/remote.fixture.ts';
import type { TraceService } from '../base/trace_protocol.ts';
import { type FakeWorker, workerOf } from '../base/worker.fixture.ts';
import type { Net } from './download.ts';
import { createWorkbench } from './workbench.ts';

let workers: FakeWorker[];
let asked: Recorded<TraceService>;
const spawn = () => {
  const worker = workerOf(asked.service);
  workers.push(worker);
  return worker;
};
const noRecords = () => {
  throw new Error('no record worker is needed');
};
const net = { base: 'http://x/' } as unknown as Net;

beforeEach(() => {
  workers = [];
  asked = recorded();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('ends the look at files that takes too long for the person', async () => {
  const workbench = createWorkbench(spawn, noRecords, net);
  // Its code is loaded by then.
  await import('./opening.ts');
  const opening = workbench.openFiles([new File([], 'a'), new File([], 'b')]);
  expect(workbench.looking.value).toBeNull();
  await vi.advanceTimersByTimeAsync(400);
  expect(workbench.looking.value).toEqual({ files: 2 });
  const [worker] = workers;
  expect(asked.names()).toEqual(['look']);
  workbench.cancel();
  await opening;
  expect([worker!.isEnded(), workbench.looking.value, workbench.state.value]).toEqual([true, null, 'empty']);
});
