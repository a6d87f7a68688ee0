import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { nextTask } from '../../base/next_task.fixture.ts';
import type { Status } from '../../trace/trace.ts';
import { askOnce } from './ask_once.ts';

it('asks once the trace has been read, and drops answers to what was asked before', async () => {
  const status = signal<Status>({ at: 'loading' });
  const resolve: ((answer: number | null) => void)[] = [];
  const { answer, failed, retry, dispose } = askOnce(
    { status },
    () => new Promise<number | null>((settle) => resolve.push(settle)),
  );
  expect(resolve.length).toBe(0);
  status.value = { at: 'ready', how: 'complete', error: null };
  resolve[0]!(null);
  await nextTask();
  expect([answer.value, failed.value]).toEqual([null, true]);
  retry();
  retry();
  expect([resolve.length, failed.value]).toEqual([3, false]);
  resolve[2]!(7);
  await nextTask();
  resolve[1]!(5);
  await nextTask();
  expect([answer.value, failed.value]).toEqual([7, false]);
  dispose();
});
