import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { headOf } from '../trace/file_memory.ts';
import type { ChangedFile } from './file_change.ts';
import { watchFile } from './file_watch.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A page that is visible. */
const shown = Object.assign(new EventTarget(), { hidden: false });

/** A file that the browser refuses to read, as one that has changed on disk. */
function refused(size: number, name = 'NotReadableError'): Blob {
  const slice = () => ({ arrayBuffer: () => Promise.reject(new DOMException('', name)) });
  return { size, slice } as unknown as Blob;
}

/** Watches a file of ten bytes until a change is reported. */
async function told(file: Blob, again: () => Promise<File | null>, looks = 1) {
  const head = await headOf(new Blob(['0123456789']));
  const changes: ChangedFile[] = [];
  const read: Blob[] = [];
  const trace = { name: 'a.trace', readFrom: (now: Blob) => read.push(now) };
  const identity = signal({ name: 'a.trace', size: 10, head: head! });
  const stop = watchFile({ file, trace, memory: { identity } }, again, (change) => changes.push(change), shown);
  for (let i = 0; i < looks; i += 1) {
    await vi.advanceTimersByTimeAsync(2000);
    // Hashes are made elsewhere.
    await vi.waitFor(() => expect(changes.length).toBeGreaterThan(i));
  }
  stop();
  return { changes, read };
}

it('says nothing of a file that stays', async () => {
  const changes: ChangedFile[] = [];
  const identity = signal(null);
  const trace = { name: 'a.trace', readFrom: () => undefined };
  const watched = { file: new Blob(['x']), trace, memory: { identity } };
  const stop = watchFile(
    watched,
    async () => null,
    (change) => changes.push(change),
    shown,
  );
  await vi.advanceTimersByTimeAsync(10_000);
  stop();
  expect(changes).toEqual([]);
});

it('says how a file has changed', async () => {
  const now = (content: string) => async () => new File([content], 'a.trace');
  const sentence = async (file: Blob, again: () => Promise<File | null>) => (await told(file, again)).changes[0];
  const changed = async (content: string) => (await sentence(refused(10), now(content)))?.sentence.split('.')[1];
  expect(await changed('0123456789abc')).toBe('trace has grown by 3\u00a0bytes');
  expect(await changed('0123')).toBe('trace has shrunk by 6\u00a0bytes');
  expect(await changed('abcdefghijklm')).toBe('trace was replaced');
  expect(await changed('abcdefghij')).toBe('trace was replaced');
  expect((await sentence(refused(10), async () => null))?.sentence).toContain('has changed on disk');
  expect((await sentence(refused(10, 'NotFoundError'), async () => null))?.sentence).toContain('moved or deleted');
  const gone = await sentence(refused(10), () => Promise.reject(new DOMException('', 'NotFoundError')));
  expect([gone?.sentence, gone?.canRead]).toEqual([
    'a.trace was moved or deleted. What was read before is kept.',
    false,
  ]);
});

it('goes on with a file that has grown', async () => {
  const content = new Blob(['0123456789ab']);
  // It can be read when it is compared, and no more at the next look, which reads a byte.
  const slice = (from: number, to: number) => (to === 1 ? refused(1).slice() : content.slice(from, to));
  const grown = { size: content.size, slice } as unknown as File;
  const { changes, read } = await told(refused(10), async () => grown, 2);
  expect(changes.map(({ canRead }) => canRead)).toEqual([true, true]);
  expect(read).toEqual([grown, grown]);
});
