import { expect, it } from 'vitest';
import { locksOf } from './held.fixture.ts';
import { listSpools, spoolLock, sweepSpools } from './spools.ts';

/** A folder with files; those in `busy` cannot be deleted. */
function folderOf(files: Set<string>, busy: ReadonlySet<string> = new Set()) {
  return async () => ({
    keys: async function* () {
      yield* files;
    },
    removeEntry: async (name: string) => {
      if (busy.has(name)) throw new DOMException('', 'NoModificationAllowedError');
      files.delete(name);
    },
  });
}

it('deletes what a tab has left, and nothing that another one uses', async () => {
  const files = new Set(['left', 'used']);
  await sweepSpools(folderOf(files), locksOf(new Set([spoolLock('used')])));
  expect([...files]).toEqual(['used']);
});

it('deletes the others if one cannot be deleted yet', async () => {
  const files = new Set(['a', 'closing', 'b']);
  await sweepSpools(folderOf(files, new Set(['closing'])), locksOf(new Set()));
  expect([...files]).toEqual(['closing']);
});

it('lists the bytes of what is there, where the browser says them', async () => {
  const file = async (name: string) => ({
    getFile: async () => {
      if (name === 'open') throw new DOMException('', 'NoModificationAllowedError');
      return new Blob(['12345']);
    },
  });
  const folder = { ...(await folderOf(new Set(['finished', 'open']))()), getFileHandle: file };
  expect(await listSpools(async () => folder)).toEqual([5, null]);
  expect(await listSpools(() => Promise.reject(new DOMException('', 'SecurityError')))).toEqual([]);
});
