import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FromWorker, ToWorker } from '../base/messages.ts';
import type { Progress, TraceInfo } from '../base/protocol.ts';
import type { Port } from './trace.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

const INFO = { format: 'xray', offers: [], companions: [] } as unknown as TraceInfo;
const PROGRESS = { bytesRead: 1, bytes: 1, events: 2, slices: 1, problems: [], extent: null } as unknown as Progress;

let ports: (Port & { sent: ToWorker[] })[];
let now: number;
let workbench: Workbench;

beforeEach(() => {
  ports = [];
  now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  workbench = createWorkbench(
    () => {
      const sent: ToWorker[] = [];
      const port: (typeof ports)[number] = {
        sent,
        postMessage: (message) => sent.push(message),
        terminate: () => undefined,
        onmessage: null,
        onerror: null,
        onmessageerror: null,
      };
      ports.push(port);
      return port;
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

const say = (port: Port, data: unknown) => port.onmessage?.({ data } as MessageEvent<FromWorker>);
/** Opens a trace that takes this long to read; not to the end if `ends` is false. */
const read = (ms: number, ends = true) => {
  workbench.openBlob(new Blob(['x']), 'open.xray');
  const port = ports.at(-1)!;
  say(port, { t: 'opened', info: INFO, entry: null, packed: false });
  say(port, { t: 'progress', progress: PROGRESS });
  now += ms;
  if (ends) say(port, { t: 'done', how: 'complete', error: null, progress: PROGRESS });
};
/** Chooses a file, and waits until a worker has looked at it. */
const choose = async () => {
  const chosen = workbench.openFiles([new File(['y'], 'other.xray')]);
  say(ports.at(-1)!, { t: 'looked', id: 1, looks: [{ format: 'xray', confidence: 3, companion: null, looks: null }] });
  await chosen;
};
const shown = () => {
  const bench = workbench.bench.value;
  return bench.at === 'open' ? bench.open.trace.name : '';
};

it('asks before it replaces a trace that took long to read', async () => {
  read(2001);
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
  read(1999);
  now += 60_000;
  expect(workbench.isCostly()).toBe(false);
  await choose();
  expect([shown(), workbench.offered.value]).toEqual(['other.xray', null]);
});

it('asks while a trace is being read for long', async () => {
  read(1999, false);
  expect(workbench.isCostly()).toBe(false);
  now += 2;
  expect(workbench.isCostly()).toBe(true);
  workbench.offer(new Blob(['z']), 'sent.xray');
  expect(workbench.offered.value).toMatchObject({ name: 'sent.xray', isSent: true });
});
