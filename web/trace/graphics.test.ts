import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import type { FileBlockService } from '../base/file_protocol.ts';
import { connect, type RemotePort, serve } from '../base/remote.ts';
import type { CallsPart, FindingsNews, FindsInCalls, Graphics, OpensCalls } from '../base/survey_protocol.ts';
import { workerOf } from '../base/worker.fixture.ts';
import { createGraphics } from './graphics.ts';
import { createLedger } from './ledger.ts';
import { createReadingWorker } from './reading_worker.ts';
import type { Status } from './trace.ts';

const ports: MessagePort[] = [];
afterEach(() => {
  vi.unstubAllGlobals();
  for (const port of ports) port.close();
});

/** A worker whose parts report nothing. */
function setUp(file: Pick<Blob, 'size'> = new Blob(['abc'])) {
  const told: string[] = [];
  const workers: ReturnType<typeof workerOf>[] = [];
  const status = signal<Status>({ at: 'ready', how: 'complete', error: null });
  const state = { index: async (): Promise<Uint8Array | null> => new Uint8Array(4) };
  const elsewhere: number[] = [];
  const ledger = createLedger(
    () => 0,
    (bytes) => elsewhere.push(bytes),
  );
  const recordSource = { file: () => file, index: () => state.index(), ledger };
  const graphics = createGraphics({ recordSource } as unknown as Parameters<typeof createGraphics>[0], () => {
    const worker = workerOf<Graphics>({
      open: ({ file }) => void told.push(`open ${file.size}`),
      share: (port) => {
        ports.push(port);
        serve<FileBlockService>({ give: async (number) => new Uint8Array([number]) }, port as RemotePort);
      },
      letGo: () => void told.push('lets go'),
      serve: async (part, port) => {
        told.push(part);
        ports.push(port);
        const open: FindsInCalls['open'] = () => new Promise(() => told.push(`${part} begins`));
        serve<FindsInCalls>({ open, stop: () => undefined, goOn: () => undefined }, port as RemotePort);
      },
      end: (part) => void told.push(`${part} ends`),
    });
    workers.push(worker);
    return worker;
  });
  const read = (part: CallsPart) =>
    createReadingWorker<FindsInCalls, OpensCalls, FindingsNews>(
      { status },
      { ...graphics.part(part), hear: () => undefined, crashed: `The ${part} ended.` },
    );
  return { told, workers, state, graphics, read, ledger, elsewhere };
}

it('opens the file once for all parts', async () => {
  const { told, workers, read } = setUp();
  read('survey');
  read('state');
  await vi.waitFor(() => expect(told).toHaveLength(5));
  expect(workers).toHaveLength(1);
  expect(told[0]).toBe('open 3');
  expect(told.slice(1).sort()).toEqual(['state', 'state begins', 'survey', 'survey begins']);
});

it('ends a part, and with the last one the worker', async () => {
  const { told, workers, read } = setUp();
  const [survey, findings] = [read('survey'), read('findings')];
  await vi.waitFor(() => expect(told).toHaveLength(5));
  findings.dispose();
  await vi.waitFor(() => expect(told.at(-1)).toBe('findings ends'));
  expect(workers[0]!.isEnded()).toBe(false);
  survey.dispose();
  expect(workers[0]!.isEnded()).toBe(true);
  // What is asked for later starts another.
  read('findings');
  await vi.waitFor(() => expect(told.at(-1)).toBe('findings begins'));
  expect(workers).toHaveLength(2);
});

it('tells each part that the worker has ended', async () => {
  // Node has none.
  vi.stubGlobal(
    'ErrorEvent',
    class extends Event {
      readonly message = '';
    },
  );
  const { told, workers, read } = setUp();
  const [survey, state] = [read('survey'), read('state')];
  await vi.waitFor(() => expect(told).toHaveLength(5));
  workers[0]!.onerror?.({ preventDefault: () => undefined, message: '' } as ErrorEvent);
  expect([survey.error.value, state.error.value]).toEqual(['The survey ended.', 'The state ended.']);
});

it('begins no part without the index of the trace', async () => {
  const { workers, state, read } = setUp();
  state.index = async () => null;
  const survey = read('survey');
  await vi.waitFor(() => expect(survey.error.value).toBe('The survey ended.'));
  expect(workers).toEqual([]);
});

it('enters what is kept of the file in the account, until it is let go or all parts have ended', async () => {
  const { told, read, ledger, elsewhere } = setUp();
  const survey = read('survey');
  await vi.waitFor(() => expect(told).toContain('survey begins'));
  expect(elsewhere.splice(0)).toEqual([3]);
  expect(ledger.giveWay()).toBe(true);
  await vi.waitFor(() => expect(told.at(-1)).toBe('lets go'));
  expect([elsewhere.splice(0), ledger.giveWay()]).toEqual([[0], false]);
  survey.dispose();
  const again = read('survey');
  await vi.waitFor(() => expect(elsewhere).toEqual([3]));
  again.dispose();
  expect(elsewhere).toEqual([3, 0]);
});

it('keeps less of a file that cannot be kept whole', async () => {
  const { read, elsewhere } = setUp({ size: 100 << 20 });
  const survey = read('survey');
  await vi.waitFor(() => expect(elsewhere).toEqual([16 << 20]));
  survey.dispose();
});

it('gives blocks of the file to others while it reads', async () => {
  const { told, graphics, read } = setUp();
  expect(await graphics.share()).toBeNull();
  read('survey');
  await vi.waitFor(() => expect(told).toContain('survey begins'));
  const port = await graphics.share();
  ports.push(port!);
  expect(await connect<FileBlockService>(port as RemotePort).remote.give(7)).toEqual(new Uint8Array([7]));
});
