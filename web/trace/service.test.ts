import { expect, it } from 'vitest';
import { workerOf } from '../base/worker.fixture.ts';
import { createService } from './service.ts';

/** What is served here. */
interface Echo {
  echo(text: string): string;
  never(): Promise<void>;
}

function setUp() {
  const workers: ReturnType<typeof workerOf>[] = [];
  const deaths: string[] = [];
  const service = createService<Echo>(
    () => {
      const worker = workerOf<Echo>({ echo: (text) => text, never: () => new Promise(() => undefined) });
      workers.push(worker);
      return worker;
    },
    (reason) => deaths.push(reason),
  );
  return { service, workers, deaths };
}

it('starts a worker with the first question, and another after its end', async () => {
  const { service, workers, deaths } = setUp();
  expect(workers).toEqual([]);
  expect(await service.remote().echo('a')).toBe('a');
  expect(await service.remote().echo('b')).toBe('b');
  expect(workers).toHaveLength(1);
  const waiting = service.remote().never();
  service.end();
  await expect(waiting).rejects.toBe('The worker has ended.');
  expect([workers[0]?.isEnded(), service.isRunning()]).toEqual([true, false]);
  expect(await service.remote().echo('c')).toBe('c');
  expect(workers).toHaveLength(2);
  expect(deaths).toEqual([]);
});

it('rejects what waits when a worker ends by itself, and says why once', async () => {
  const { service, workers, deaths } = setUp();
  const waiting = service.remote().never();
  const event = { preventDefault: () => undefined, message: 'out of memory' } as ErrorEvent;
  workers[0]!.onerror?.(event);
  workers[0]!.onerror?.(event);
  await expect(waiting).rejects.toBe('out of memory');
  expect(deaths).toEqual(['out of memory']);
  service.remote();
  workers[1]!.onmessageerror?.({} as MessageEvent);
  expect(deaths).toEqual(['out of memory', 'a message could not be read']);
});
