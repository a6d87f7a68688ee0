import { signal } from '@preact/signals';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Copy } from '../base/copies_protocol.ts';
import type { Awaited } from './awaited.ts';
import { parseLink } from './link.ts';
import type { Page } from './page.ts';
import type { RecentFile } from './recent.ts';
import { restore } from './restore.ts';

const link = parseLink('#unspool=1&name=logs.zip%20%E2%80%BA%20run.xray&size=12')!;
const entry = (name: string, size: number) => ({ name, size }) as RecentFile;
const copy = (name: string, size: number) => ({ id: name, name, size }) as Copy;
const marks = new Map<string, string>();
const bench = signal({ at: 'empty' });
const state = signal('empty');
const awaited = signal<Awaited | null>(null);
let opened: string[];

beforeEach(() => {
  marks.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => marks.get(key) ?? null,
    setItem: (key: string, value: string) => marks.set(key, value),
    removeItem: (key: string) => marks.delete(key),
  });
  bench.value = { at: 'empty' };
  state.value = 'empty';
  opened = [];
  return () => {
    vi.unstubAllGlobals();
  };
});

/** Restores what is awaited, with what the browser has. */
async function restored(
  isOwn: boolean,
  { files = [] as readonly RecentFile[], copies = [] as readonly Copy[], isGranted = true, isGone = false },
): Promise<Awaited | null> {
  awaited.value = { link, isOwn, source: undefined };
  const found = (name: string) => (isGone ? null : [new File([], name)]);
  await restore({
    awaited,
    workbench: {
      bench,
      state,
      openFiles: async ([file]: readonly File[]) => {
        opened.push(file!.name);
        bench.value = { at: 'open' };
      },
    },
    recent: {
      files: signal(files),
      load: async () => undefined,
      isGranted: async () => isGranted,
      open: async ({ name, size }: RecentFile) => found(`${name} ${size}`),
    },
    copies: {
      list: signal(copies),
      load: async () => undefined,
      open: async ({ name }: Copy) => found(`copy of ${name}`),
    },
  } as unknown as Page);
  return awaited.value;
}

it('opens the file that was open, if the browser does not ask', async () => {
  await restored(true, { files: [entry('logs.zip', 9), entry('logs.zip', 12), entry('other.zip', 12)] });
  expect(opened).toEqual(['logs.zip 12']);
});

it('prefers a copy, which needs no permission', async () => {
  await restored(true, { files: [entry('logs.zip', 12)], copies: [copy('logs.zip', 12)], isGranted: false });
  expect(opened).toEqual(['copy of logs.zip']);
});

it('offers a file of which the browser has to ask, or which another page has linked to', async () => {
  const asks = await restored(true, { files: [entry('logs.zip', 12)], isGranted: false });
  expect([opened, (await asks?.source?.open())?.[0]?.name]).toEqual([[], 'logs.zip 12']);
  const linked = await restored(false, { files: [entry('logs.zip', 12)] });
  expect([opened, linked?.source?.isGranted]).toEqual([[], true]);
});

it('knows when the user has to choose the file', async () => {
  expect((await restored(true, { files: [entry('other.zip', 12)] }))?.source).toBeNull();
  expect((await restored(true, { copies: [copy('logs.zip', 12)], isGone: true }))?.source).toBeNull();
  expect(opened).toEqual([]);
});

it('does not open a file by itself that has ended the page', async () => {
  await restored(true, { files: [entry('logs.zip', 12)] });
  // The page has ended before the trace was there.
  bench.value = { at: 'empty' };
  expect((await restored(true, { files: [entry('logs.zip', 12)] }))?.source?.isGranted).toBe(true);
  expect(opened.length).toBe(1);
  // The next time it is tried again, and it is there.
  await restored(true, { files: [entry('logs.zip', 12)] });
  state.value = 'ready';
  bench.value = { at: 'empty' };
  await restored(true, { files: [entry('logs.zip', 12)] });
  expect(opened.length).toBe(3);
});
