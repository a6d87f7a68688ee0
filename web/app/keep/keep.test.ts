import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { Copy, CopyService } from '../../base/copies_protocol.ts';
import { nextTask } from '../../base/next_task.fixture.ts';
import { recorded } from '../../base/remote.fixture.ts';
import { workerOf } from '../../base/worker.fixture.ts';
import type { Copies } from '../../page/copies.ts';
import { createKeep } from './keep.ts';

const FILES = [
  { name: 'run.xray', file: new Blob(['12345']) },
  { name: 'run.elf', file: new Blob(['678']) },
];

/** A copy that is about to be made, and what becomes of it. */
function keeping(left: number | null = 1000) {
  const removed: string[] = [];
  const list = signal<readonly Copy[]>([]);
  const copies = {
    list,
    add: (copy: Copy) => {
      list.value = [copy, ...list.peek()];
    },
    remove: async ({ id }: Copy) => void removed.push(id),
  } as unknown as Copies;
  const asked = recorded<CopyService>();
  const worker = workerOf(asked.service);
  const what = { name: 'run.xray', format: 'XRay FDR 5', files: FILES };
  const keep = createKeep(what, copies, { spawn: () => worker, left: async () => left, newId: () => 'id' });
  return { keep, asked, worker, list, removed };
}

it('is listed once it is written, with its progress until then', async () => {
  const { keep, asked, list, worker } = keeping();
  expect([keep.state.value.at, keep.bytes]).toEqual(['asking', 8]);
  void keep.start();
  await nextTask();
  const { args, answer } = asked.newest('write');
  expect([args[0].id, args[0].bytes, args[1].map(({ size }) => size)]).toEqual(['id', 8, [5, 3]]);
  args[2](4);
  await nextTask();
  expect([keep.state.value, list.value]).toEqual([{ at: 'writing', bytes: 4 }, []]);
  answer(null);
  await nextTask();
  expect(keep.state.value).toEqual({ at: 'kept' });
  expect(list.value).toMatchObject([{ id: 'id', name: 'run.xray', size: 5, bytes: 8, files: ['run.xray', 'run.elf'] }]);
  expect(worker.isEnded()).toBe(true);
});

it('says how much room there is, before and after it has begun', async () => {
  const small = keeping(3);
  await small.keep.start();
  expect(small.keep.state.value).toMatchObject({
    at: 'failed',
    sentence: expect.stringMatching(/8.bytes.*3.bytes are left/),
  });
  const { keep, asked, removed, list } = keeping(null);
  void keep.start();
  await nextTask();
  asked.newest('write').answer('full');
  await nextTask();
  expect(keep.state.value).toMatchObject({
    at: 'failed',
    sentence: expect.stringMatching(/no room for this copy: it takes 8.bytes\./),
  });
  expect([removed, list.value]).toEqual([['id'], []]);
});

it('leaves nothing of a copy that was cancelled', async () => {
  const { keep, removed, list, worker } = keeping();
  void keep.start();
  await nextTask();
  keep.cancel();
  await nextTask();
  expect([keep.state.value.at, removed, list.value, worker.isEnded()]).toEqual(['asking', ['id'], [], true]);
});
