import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { nextTask } from '../base/next_task.fixture.ts';
import type { TraceInfo } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import type { FromSteps, StepState, ToSteps } from '../base/steps_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { createMachine, type StepsPort } from './machine.ts';
import type { Status } from './trace.ts';

const STATE: StepState = {
  thread: 1n,
  address: 0x40n,
  registers: [],
  accesses: [],
  executions: 1,
  executionsBefore: 0,
  systemCall: null,
};

function setUp() {
  const sent: ToSteps[] = [];
  const state = { ended: false };
  const port: StepsPort = {
    postMessage: (message) => sent.push(message),
    terminate: () => {
      state.ended = true;
    },
    onmessage: null,
    onerror: null,
    onmessageerror: null,
  };
  const tell = (data: FromSteps) => port.onmessage?.({ data } as MessageEvent<FromSteps>);
  const status = signal<Status>({ at: 'loading' });
  const record = signal<RecordRow | null>(null);
  const row = (step: number) => ({ x: ticks(BigInt(step)), track: 3, locator: 0n, name: '', fields: [], dropped: 0 });
  const revealed: number[] = [];
  const trace = {
    recordSource: {
      file: () => new Blob(),
      log: () => null,
      info: signal(null),
      reading: () => false,
      index: async (): Promise<Uint8Array | null> => new Uint8Array(),
    },
    records: { recordAt: async (x: bigint) => row(Number(x)) },
    status,
    info: signal({ format: 'frames', offers: ['state'] } as unknown as TraceInfo),
  };
  const selection = {
    selected: signal(null),
    record,
    place: () =>
      record.value && {
        item: null,
        track: 3,
        depth: 0,
        name: -1,
        start: record.value.x,
        end: null,
        flags: 0,
        many: 1,
        reading: null,
      },
    revealRecord: (to: RecordRow) => {
      revealed.push(Number(to.x));
      record.value = to;
    },
  };
  const machine = createMachine(trace as unknown as Parameters<typeof createMachine>[0], selection, () => port);
  const asks = () => sent.flatMap((message) => (message.t === 'ask' ? [message] : []));
  const answer = (answer: StepState | null, id = asks().at(-1)!.id) => tell({ t: 'answer', id, answer, error: null });
  const indexed = (built: number, done = false) =>
    tell({ t: 'indexed', built, count: 100, bytes: 0, done, full: false });
  const begin = async () => {
    machine.showState();
    status.value = { at: 'ready', how: 'complete', error: null };
    await nextTask();
  };
  return { machine, trace, sent, asks, answer, indexed, tell, state, record, row, revealed, begin };
}

it('begins when the trace has been read, and asks for the selected step', async () => {
  const { machine, sent, asks, answer, record, row, begin } = setUp();
  record.value = row(7);
  await nextTask();
  expect(sent).toEqual([]);
  await begin();
  expect(sent[0]).toMatchObject({ t: 'open', format: 'frames' });
  expect(asks()).toMatchObject([{ about: 'state', step: 7 }]);
  answer(STATE);
  await nextTask();
  expect(machine.shown.value).toEqual({ step: 7, state: STATE });
});

it('asks for no state until that is shown', async () => {
  const { machine, trace, sent, asks, record, row } = setUp();
  record.value = row(7);
  trace.status.value = { at: 'ready', how: 'complete', error: null };
  await nextTask();
  expect(sent[0]).toMatchObject({ t: 'open' });
  expect(asks()).toEqual([]);
  machine.showState();
  expect(asks()).toMatchObject([{ about: 'state', step: 7 }]);
});

it('drops the answer about a step that is not selected any more', async () => {
  const { machine, asks, answer, record, row, begin } = setUp();
  record.value = row(7);
  await begin();
  record.value = row(8);
  await nextTask();
  const [first, second] = asks();
  answer({ ...STATE, address: 8n }, second!.id);
  answer(STATE, first!.id);
  await nextTask();
  expect(machine.shown.value).toMatchObject({ step: 8, state: { address: 8n } });
});

it('asks again as soon as the step is indexed', async () => {
  const { machine, asks, answer, indexed, record, row, begin } = setUp();
  record.value = row(50);
  await begin();
  answer(null);
  await nextTask();
  indexed(40);
  expect(asks()).toHaveLength(1);
  indexed(60);
  expect(asks()).toHaveLength(2);
  answer(STATE);
  await nextTask();
  expect(machine.shown.value?.step).toBe(50);
});

it('leads to the nearest access, and says if there is none', async () => {
  const { machine, asks, tell, record, row, revealed, begin } = setUp();
  record.value = row(7);
  await begin();
  const cell = { what: 'register', thread: 1n, name: 'RAX' } as const;
  const found = machine.goToNearest(cell, true, false);
  expect(asks().at(-1)).toMatchObject({ about: 'nearest', step: 7, written: true, next: false });
  tell({ t: 'answer', id: asks().at(-1)!.id, answer: { step: 3 }, error: null });
  expect(await found).toBe(true);
  expect(revealed).toEqual([3]);
  const none = machine.goToNearest(cell, true, true);
  tell({ t: 'answer', id: asks().at(-1)!.id, answer: { step: null }, error: null });
  expect(await none).toBe(false);
});

it('says that there is no index if the trace has lost its worker, and lets nobody wait', async () => {
  const { machine, sent, trace, begin } = setUp();
  trace.recordSource.index = async () => null;
  await begin();
  expect(sent).toEqual([]);
  expect(machine.error.value).toMatch(/^The index of this trace ended/);
  await machine.ready(3);
});

it('tells errors, pauses, and ends its worker', async () => {
  const { machine, sent, tell, state, begin } = setUp();
  await begin();
  machine.stop();
  machine.goOn();
  expect(sent.slice(-2).map(({ t }) => t)).toEqual(['stop', 'go-on']);
  tell({ t: 'failed', sentence: 'The file cannot be read any more.' });
  expect(machine.error.value).toBe('The file cannot be read any more.');
  machine.dispose();
  expect(state.ended).toBe(true);
});
