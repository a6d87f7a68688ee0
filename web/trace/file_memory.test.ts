import { signal } from '@preact/signals';
import { beforeEach, expect, it, vi } from 'vitest';
import type { TraceInfo } from '../base/protocol.ts';
import { createBrowserMemory, type FileMemory, type ItemStorage } from './file_memory.ts';

let items: Map<string, string>;
let storage: ItemStorage;

beforeEach(() => {
  items = new Map();
  storage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    key: (i) => [...items.keys()][i] ?? null,
    get length() {
      return items.size;
    },
  };
});

const trace = (name: string, file: Blob, entry: string | null = null) => ({
  name,
  size: file.size,
  info: signal({} as TraceInfo),
  entry: signal(entry),
});
const known = (memory: FileMemory) => vi.waitFor(() => expect(memory.parts.value).not.toBeNull());
const open = async (name: string, content: string, on = createBrowserMemory(storage), entry: string | null = null) => {
  const file = new Blob([content]);
  const memory = on.of(trace(name, file, entry), file);
  await known(memory);
  return memory;
};

it('remembers the parts of a file by name, size and beginning', async () => {
  const memory = await open('a.xray', 'content');
  expect(memory.parts.value).toEqual({});
  memory.put('notes', [1]);
  memory.put('tracks', { order: [2] });
  memory.put('events', { 3: 'x' });
  const all = { notes: [1], tracks: { order: [2] }, events: { 3: 'x' } };
  expect((await open('a.xray', 'content')).parts.value).toEqual(all);
  for (const other of [
    await open('b.xray', 'content'),
    await open('a.xray', 'another'),
    await open('a.xray', 'content and more'),
    await open('a.xray', 'content', createBrowserMemory(storage), 'in/an.archive'),
  ]) {
    expect(other.parts.value).toEqual({});
  }
  expect(memory.identity.value).toEqual({
    name: 'a.xray',
    size: 7,
    head: 'ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73',
  });
});

it('does not look beyond the first 64 KiB', async () => {
  const same = 'x'.repeat(65_536);
  (await open('a', `${same}1`)).put('notes', 1);
  expect((await open('a', `${same}2`)).parts.value).toEqual({ notes: 1 });
  expect((await open('a', `${same.slice(1)}y2`)).parts.value).toEqual({});
});

it('keeps what is put before the file is known', async () => {
  (await open('a', 'content')).put('notes', 'old');
  const file = new Blob(['content']);
  const memory = createBrowserMemory(storage).of(trace('a', file), file);
  memory.put('tracks', 'early');
  await known(memory);
  expect(memory.parts.value).toEqual({ notes: 'old', tracks: 'early' });
  expect((await open('a', 'content')).parts.value).toEqual({ notes: 'old', tracks: 'early' });
});

it('works without a storage, and with one that is full', async () => {
  const page = createBrowserMemory(null);
  const nowhere = await open('a', 'content', page);
  expect(nowhere.isStored.value).toBe(false);
  nowhere.put('notes', 1);
  expect(nowhere.parts.value).toEqual({ notes: 1 });
  // The file is opened again in the same page.
  expect((await open('a', 'content', page)).parts.value).toEqual({ notes: 1 });
  page.forgetAll();
  expect([(await open('a', 'content', page)).parts.value, page.count()]).toEqual([{}, 0]);

  const browser = createBrowserMemory(storage);
  const full = await open('a', 'content', browser);
  expect(full.isStored.value).toBe(true);
  storage.setItem = () => {
    throw new DOMException('', 'QuotaExceededError');
  };
  full.put('notes', 1);
  expect(full.isStored.value).toBe(false);
  // Another tab changes something; what is only here stays.
  browser.hear(null);
  expect(full.parts.value).toEqual({ notes: 1 });
  expect((await open('a', 'content', browser)).parts.value).toEqual({ notes: 1 });
});

it('takes nothing from a record of a later version or with damage', async () => {
  const memory = await open('a', 'content');
  memory.put('notes', 1);
  const [key] = [...items.keys()];
  items.set(key!, '{"version":2,"notes":[5]}');
  expect((await open('a', 'content')).parts.value).toEqual({});
  items.set(key!, '{"version":');
  expect((await open('a', 'content')).parts.value).toEqual({});
});

it('forgets a file, or all files, and leaves what belongs to others', async () => {
  items.set('unspool:theme', 'dark');
  const browser = createBrowserMemory(storage);
  const one = await open('a', 'one', browser);
  const two = await open('b', 'two', browser);
  one.put('notes', 1);
  two.put('notes', 2);
  expect(browser.count()).toBe(2);
  one.forget();
  expect([browser.count(), one.parts.value, two.parts.value]).toEqual([1, {}, { notes: 2 }]);
  one.put('notes', 3);
  browser.forgetAll();
  expect([browser.count(), one.parts.value, two.parts.value]).toEqual([0, {}, {}]);
  expect([...items.keys()]).toEqual(['unspool:theme']);
});

it('hears of changes by another tab', async () => {
  const browser = createBrowserMemory(storage);
  const here = await open('a', 'content', browser);
  const there = await open('a', 'content');
  there.put('notes', 'from there');
  const [key] = [...items.keys()];
  browser.hear('unspool:theme');
  expect(here.parts.value).toEqual({});
  browser.hear(key!);
  expect(here.parts.value).toEqual({ notes: 'from there' });
});

it('stores nothing of a file that cannot be read any more', async () => {
  const file = new Blob(['content']);
  file.slice = () => {
    throw new DOMException('', 'NotReadableError');
  };
  const memory = createBrowserMemory(storage).of(trace('a', file), file);
  await known(memory);
  memory.put('notes', 1);
  expect([memory.identity.value, memory.isStored.value, items.size]).toEqual([null, false, 0]);
});
