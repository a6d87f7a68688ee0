import { expect, it } from 'vitest';
import { ABOUT, type Copy, copyLock } from '../base/copies_protocol.ts';
import { locksOf } from '../base/held.fixture.ts';
import { createCopies } from './copies.ts';
import type { AllCopies } from './copy_files.ts';

/** The texts of files by their names, in folders by theirs. */
type Folders = Record<string, Record<string, string>>;

const COPY: Copy = { id: 'a', name: 'run.xray', size: 5, bytes: 8, format: 'XRay', files: ['run.xray', 'run.elf'] };

/** The files that the worker writes. */
function written(copy: Copy, ...files: readonly string[]): Record<string, string> {
  return { [ABOUT]: JSON.stringify(copy), ...Object.fromEntries(files.map((text, i) => [i, text])) };
}

const gone = () => new DOMException('', 'NotFoundError');

/** Times of changes by the folder's name; all others are 1. */
const TIMES: Readonly<Record<string, number>> = { newest: 2 };

function folderOf(folders: Folders): AllCopies {
  return {
    keys: async function* () {
      yield* Object.keys(folders);
    },
    getDirectoryHandle: async (id) => {
      const files = folders[id];
      if (!files) throw gone();
      return {
        getFileHandle: async (name) => {
          const text = files[name];
          if (text === undefined) throw gone();
          if (text === 'unreadable') throw new DOMException('', 'NotReadableError');
          return { getFile: async () => new File([text], name, { lastModified: TIMES[id] ?? 1 }) };
        },
      };
    },
    removeEntry: async (id) => {
      delete folders[id];
    },
  };
}

/** The copies of a browser as one tab has them. */
function tab(folders: Folders, { held = [] as readonly string[], items = new Map<string, string>() } = {}) {
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
  const locks = locksOf(new Set(held.map(copyLock)));
  return createCopies(storage, { folder: async () => folderOf(folders), locks: () => locks });
}

/** The names of the copies that a page which starts now lists. */
async function listed(folders: Folders, of?: Parameters<typeof tab>[1]): Promise<readonly string[]> {
  const copies = tab(folders, of);
  await copies.load();
  return copies.list.value.map(({ id }) => id);
}

it('lists what is there, the latest first, whichever tab has written it and however that ended', async () => {
  const folders: Folders = { a: written(COPY, '12345', '678') };
  const first = tab(folders);
  await first.load();
  // Another tab keeps one, and crashes before it hears of its end.
  folders['newest'] = written({ ...COPY, id: 'newest' }, '12345', '678');
  await first.remove(COPY);
  expect(await listed(folders)).toEqual(['newest']);
  folders['a'] = written(COPY, '12345', '678');
  expect(await listed(folders)).toEqual(['newest', 'a']);
});

it('deletes what a tab was writing when it ended, and nothing that another one writes', async () => {
  const folders: Folders = {
    empty: {},
    cut: written({ ...COPY, id: 'cut' }, '12345'),
    short: written({ ...COPY, id: 'short' }, '12345', '6'),
    'cut about': { [ABOUT]: '{"id":' },
    writing: written({ ...COPY, id: 'writing' }, '123'),
    unreadable: { ...written({ ...COPY, id: 'unreadable' }, '12345'), 1: 'unreadable' },
  };
  expect(await listed(folders, { held: ['writing'] })).toEqual([]);
  expect(Object.keys(folders)).toEqual(['writing', 'unreadable']);
});

it('is opened with the names of its files, and deleted with all of them', async () => {
  const folders: Folders = { a: written(COPY, '12345', '678') };
  const copies = tab(folders);
  await copies.load();
  const opened = await copies.open(COPY);
  expect(opened?.map(({ name, size }) => [name, size])).toEqual([
    ['run.xray', 5],
    ['run.elf', 3],
  ]);
  await copies.remove(COPY);
  expect([copies.list.value, folders]).toEqual([[], {}]);
  // The browser has deleted another one.
  copies.add({ ...COPY, id: 'evicted' });
  expect(await copies.open({ ...COPY, id: 'evicted' })).toBeNull();
  expect(copies.list.value).toEqual([]);
});

it('has a copy that was added while the list was loaded', async () => {
  const folders: Folders = {};
  const copies = tab(folders);
  const loading = copies.load();
  folders['a'] = written(COPY, '12345', '678');
  copies.add(COPY);
  await loading;
  expect(copies.list.value.map(({ id }) => id)).toEqual(['a']);
});

it('lists the copies of older versions, which have a list in the storage', async () => {
  const folders: Folders = { a: { 0: '12345', 1: '678' }, unlisted: { 0: '12345' } };
  const items = new Map([['unspool:copies', JSON.stringify([COPY, { ...COPY, id: 'evicted' }, { id: 'x' }, 7])]]);
  expect(await listed(folders, { items })).toEqual(['a']);
  expect(Object.keys(folders)).toEqual(['a']);
  await tab(folders, { items }).remove(COPY);
  expect([folders, items.get('unspool:copies')?.includes('"a"')]).toEqual([{}, false]);
  items.set('unspool:copies', '{');
  expect(await listed(folders, { items })).toEqual([]);
});
