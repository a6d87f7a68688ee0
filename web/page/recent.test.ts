import { describe, expect, it, vi } from 'vitest';
import { queuedLocks } from '../base/held.fixture.ts';
import { createRecent, type FileHandle, type RecentFile, type RecentStore, recentInBrowser } from './recent.ts';

function handleOf(name: string, more: Partial<FileHandle> = {}): FileHandle {
  const handle: FileHandle = {
    kind: 'file',
    name,
    getFile: async () => new File(['x'], name),
    isSameEntry: async (other) => other.name === name,
    queryPermission: async () => 'prompt',
    requestPermission: async () => 'granted',
    ...more,
  };
  return handle;
}

function storeOf(): RecentStore & { kept: readonly RecentFile[] } {
  const store = {
    kept: [] as readonly RecentFile[],
    read: async () => store.kept,
    write: async (files: readonly RecentFile[]) => {
      store.kept = files;
    },
  };
  return store;
}

const about = (name: string) => ({ name, size: 1, format: 'XRay' });

describe('recent files', () => {
  it('are those with a handle, the latest first, each once', async () => {
    const store = storeOf();
    let time = 0;
    const recent = createRecent(store, () => (time += 1));
    const names = ['a', 'b', 'a'];
    for (const name of names) {
      const file = new File([], name);
      recent.know(file, handleOf(name));
      await recent.note(file, about(name));
    }
    await recent.note(new File([], 'chosen by an input'), about('c'));
    expect(store.kept.map(({ name, openedAt }) => [name, openedAt])).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
    for (let i = 0; i < 20; i += 1) {
      const file = new File([], `${i}`);
      recent.know(file, handleOf(`${i}`));
      await recent.note(file, about(`${i}`));
    }
    expect(recent.files.value.length).toBe(8);
    await recent.remove(recent.files.value[0]!);
    expect(store.kept.map(({ name }) => name)).toEqual(['18', '17', '16', '15', '14', '13', '12']);
    await recent.removeAll();
    expect([store.kept, recent.files.value]).toEqual([[], []]);
  });

  it('are those of all tabs, which change the list at once', async () => {
    const store = storeOf();
    const locks = queuedLocks();
    let time = 0;
    const tabs = ['a', 'b'].map((name) => {
      const file = new File([], name);
      const recent = createRecent(store, () => (time += 1), locks);
      recent.know(file, handleOf(name));
      return { recent, name, note: () => recent.note(file, about(name)) };
    });
    await Promise.all(tabs.map(({ note }) => note()));
    expect(store.kept.map(({ name }) => name)).toEqual(['b', 'a']);
    // The first tab has not heard of the other one's entry.
    const [{ recent }] = tabs as [(typeof tabs)[0]];
    const [first] = recent.files.value;
    if (first) await recent.remove(first);
    expect(store.kept.map(({ name }) => name)).toEqual(['b']);
  });

  it('are one entry for two that are compared, beside those of each', async () => {
    const store = storeOf();
    const recent = createRecent(store, () => 1);
    const [a, b, unknown] = ['a', 'b', 'c'].map((name) => new File([], name)) as [File, File, File];
    for (const file of [a, b]) recent.know(file, handleOf(file.name));
    await recent.note(a, about('a'));
    await recent.note(a, about('a'), [], [b, about('b')]);
    await recent.note(a, about('a'), [], [b, about('b')]);
    await recent.note(a, about('a'), [], [unknown, about('c')]);
    expect(store.kept.map(({ name, other }) => [name, other?.name])).toEqual([
      ['a', 'b'],
      ['a', undefined],
    ]);
    expect((await recent.open(store.kept[0]!.other!))?.map(({ name }) => name)).toEqual(['b']);
  });

  it('are opened with the permission of the person, and noted again', async () => {
    const store = storeOf();
    const recent = createRecent(store);
    const requestPermission = vi.fn(async () => 'denied' as const);
    const entry = (handle: FileHandle): RecentFile => ({ ...about(handle.name), openedAt: 1, handle });
    expect(await recent.open(entry(handleOf('a', { requestPermission })))).toBeNull();
    expect(requestPermission).toHaveBeenCalledWith({ mode: 'read' });
    const gone = async () => Promise.reject(new DOMException('', 'NotFoundError'));
    expect(await recent.open(entry(handleOf('a', { getFile: gone })))).toBeNull();
    const file = await recent.open(entry(handleOf('b')));
    expect(file?.map(({ name }) => name)).toEqual(['b']);
    await recent.note(file![0]!, about('b'));
    expect(store.kept.map(({ name }) => name)).toEqual(['b']);
  });

  it('come back with those of their companions that are still there', async () => {
    const store = storeOf();
    const recent = createRecent(store);
    const gone = handleOf('gone.elf', { getFile: async () => Promise.reject(new DOMException('', 'NotFoundError')) });
    const files = ['log', 'app.elf', 'gone.elf', 'sent.csv'].map((name) => new File([], name));
    for (const [i, handle] of [handleOf('log'), handleOf('app.elf'), gone].entries()) recent.know(files[i]!, handle);
    expect(files.map((file) => recent.handleOf(file) !== null)).toEqual([true, true, true, false]);
    await recent.note(files[0]!, about('log'), files.slice(1));
    const [entry] = store.kept;
    expect(entry?.companions?.length).toBe(2);
    expect((await recent.open(entry!))?.map(({ name }) => name)).toEqual(['log', 'app.elf']);
    expect(await recent.isGranted(entry!)).toBe(false);
    const granted = handleOf('a', { queryPermission: async () => 'granted' });
    expect(await recent.isGranted({ ...entry!, handle: granted })).toBe(true);
  });

  it.each([
    ['there is none', () => undefined],
    [
      'it must not be asked for',
      () => {
        throw new DOMException('no', 'SecurityError');
      },
    ],
  ])('are none without a database: %s', async (_, database) => {
    const recent = createRecent(recentInBrowser(database));
    await recent.load();
    expect(recent.files.value).toEqual([]);
    const file = new File([], 'a');
    recent.know(file, handleOf('a'));
    await recent.note(file, about('a'));
    expect(recent.files.value.length).toBe(1);
  });
});
