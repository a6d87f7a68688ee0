import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { nextTask } from '../base/next_task.fixture.ts';
import type { TraceInfo } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import { methods } from '../base/remote.ts';
import type { StepState, Steps } from '../base/steps_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { workerOf } from '../base/worker.fixture.ts';
import { createMachine } from './machine.ts';
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

/** An index that answers nothing until `answer` does. */
function setUp() {
  const sent: string[] = [];
  const asked: { readonly args: readonly unknown[]; readonly answer: (answer: unknown) => void }[] = [];
  let opened: Parameters<Steps['open']> | null = null;
  const later = (question: string, args: readonly unknown[]) => {
    sent.push(question);
    return new Promise((answer) => asked.push({ args: [question, ...args], answer }));
  };
  const worker = workerOf(
    methods<Steps>(later, {
      open: (...args) => {
        sent.push('open');
        opened = args;
        return new Promise(() => undefined);
      },
      stop: () => void sent.push('stop'),
      goOn: () => void sent.push('goOn'),
    }),
  );
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
  const machine = createMachine(trace as unknown as Parameters<typeof createMachine>[0], selection, () => worker);
  const asks = () => asked.map(({ args }) => args);
  const answer = async (answer: unknown, at = asked.length - 1) => {
    asked[at]!.answer(answer);
    await nextTask();
  };
  const indexed = async (built: number, done = false) => {
    opened![1]({ built, count: 100, bytes: 0, done, full: false });
    await nextTask();
  };
  const fail = async (sentence: string) => {
    opened![2](sentence);
    await nextTask();
  };
  const begin = async () => {
    machine.showState();
    status.value = { at: 'ready', how: 'complete', error: null };
    await nextTask();
  };
  return {
    machine,
    trace,
    sent,
    asks,
    answer,
    indexed,
    fail,
    worker,
    opened: () => opened![0],
    record,
    row,
    revealed,
    begin,
  };
}

it('begins when the trace has been read, and asks for the selected step', async () => {
  const { machine, sent, asks, answer, opened, record, row, begin } = setUp();
  record.value = row(7);
  await nextTask();
  expect(sent).toEqual([]);
  await begin();
  expect(sent[0]).toBe('open');
  expect(opened()).toMatchObject({ format: 'frames' });
  expect(asks()).toEqual([['state', 7]]);
  await answer(STATE);
  expect(machine.shown.value).toEqual({ step: 7, state: STATE });
});

it('asks for no state until that is shown', async () => {
  const { machine, trace, sent, asks, record, row } = setUp();
  record.value = row(7);
  trace.status.value = { at: 'ready', how: 'complete', error: null };
  await nextTask();
  expect(sent[0]).toBe('open');
  expect(asks()).toEqual([]);
  machine.showState();
  await nextTask();
  expect(asks()).toEqual([['state', 7]]);
});

it('asks once for each step that is selected', async () => {
  const { sent, answer, record, row, begin } = setUp();
  record.value = row(7);
  await begin();
  await answer(STATE);
  record.value = row(8);
  await nextTask();
  await answer(STATE);
  expect(sent).toEqual(['open', 'state', 'state']);
});

it('drops the answer about a step that is not selected any more', async () => {
  const { machine, answer, record, row, begin } = setUp();
  record.value = row(7);
  await begin();
  record.value = row(8);
  await nextTask();
  await answer({ ...STATE, address: 8n }, 1);
  await answer(STATE, 0);
  expect(machine.shown.value).toMatchObject({ step: 8, state: { address: 8n } });
});

it('asks again as soon as the step is indexed', async () => {
  const { machine, asks, answer, indexed, record, row, begin } = setUp();
  record.value = row(50);
  await begin();
  await answer(null);
  await indexed(40);
  expect(asks()).toHaveLength(1);
  await indexed(60);
  expect(asks()).toHaveLength(2);
  await answer(STATE);
  expect(machine.shown.value?.step).toBe(50);
});

it('leads to the nearest access, and says if there is none', async () => {
  const { machine, asks, answer, record, row, revealed, begin } = setUp();
  record.value = row(7);
  await begin();
  const cell = { what: 'register', thread: 1n, name: 'RAX' } as const;
  const found = machine.goToNearest(cell, true, false);
  await nextTask();
  expect(asks().at(-1)).toEqual(['nearest', 7, cell, true, false]);
  await answer(3);
  expect(await found).toBe(true);
  expect(revealed).toEqual([3]);
  const none = machine.goToNearest(cell, true, true);
  await nextTask();
  await answer(null);
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
  const { machine, sent, fail, worker, begin } = setUp();
  await begin();
  machine.stop();
  machine.goOn();
  await nextTask();
  expect(sent.slice(-2)).toEqual(['stop', 'goOn']);
  await fail('The file cannot be read any more.');
  expect(machine.error.value).toBe('The file cannot be read any more.');
  machine.dispose();
  expect(worker.isEnded()).toBe(true);
});

it('answers nothing once its worker has ended by itself', async () => {
  const { machine, worker, begin } = setUp();
  await begin();
  const kinds = machine.ask.kinds();
  worker.onerror?.({ preventDefault: () => undefined, message: '' } as ErrorEvent);
  expect(await kinds).toBeNull();
  expect(await machine.ask.kinds()).toBeNull();
  expect(machine.error.value).toMatch(/^The index of this trace ended/);
});
