import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ToWorker } from '../base/messages.ts';
import type { Net } from './download.ts';
import type { Port } from './trace.ts';
import { createWorkbench } from './workbench.ts';

interface Worker extends Port {
  readonly got: ToWorker[];
  ended: boolean;
}

let workers: Worker[];
const spawn = (): Port => {
  const worker: Worker = {
    got: [],
    ended: false,
    postMessage: (message) => void worker.got.push(message),
    terminate: () => {
      worker.ended = true;
    },
    onmessage: null,
    onerror: null,
    onmessageerror: null,
  };
  workers.push(worker);
  return worker;
};
const noRecords = () => {
  throw new Error('no record worker is needed');
};
const net = { base: 'http://x/' } as unknown as Net;

beforeEach(() => {
  workers = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('ends the look at files that takes too long for the person', async () => {
  const workbench = createWorkbench(spawn, noRecords, net);
  const opening = workbench.openFiles([new File([], 'a'), new File([], 'b')]);
  expect(workbench.looking.value).toBeNull();
  vi.advanceTimersByTime(400);
  expect(workbench.looking.value).toEqual({ files: 2 });
  const [worker] = workers;
  expect(worker!.got.map(({ t }) => t)).toEqual(['look']);
  workbench.cancel();
  await opening;
  expect([worker!.ended, workbench.looking.value, workbench.state.value]).toEqual([true, null, 'empty']);
});
