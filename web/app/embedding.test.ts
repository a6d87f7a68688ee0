import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import type { Page } from '../page/page.ts';
import { serveEmbedders } from './embedding.ts';
import { noteSender } from './senders.ts';

afterEach(() => vi.unstubAllGlobals());

/** Serves a page that has sent traces. */
function served() {
  const heard: string[] = [];
  const sender = {
    closed: false,
    postMessage: ({ type, name }: { type: string; name: string }) => heard.push(`${type.slice(8)} ${name}`),
  } as unknown as Window;
  const listeners: ((event: object) => void)[] = [];
  const own = {
    addEventListener: (_: string, listen: (event: object) => void) => listeners.push(listen),
    opener: null,
  };
  vi.stubGlobal('window', Object.assign(own, { parent: own }));
  const bench = signal<object>({ at: 'empty' });
  const views: unknown[] = [];
  serveEmbedders({ workbench: { bench }, dock: {} } as unknown as Page, (view) => views.push(view));
  const send = (data: object) => {
    for (const listen of listeners) listen({ data, source: sender, origin: 'https://host.example' });
  };
  /** Opens a trace of the sender, and returns its status. */
  const open = (name: string) => {
    const file = new Blob();
    noteSender(file, sender, 'https://host.example');
    const status = signal<object>({ at: 'loading' });
    const trace = { name, status, info: signal(null), progress: signal({ extent: null }) };
    const open = { file, trace, timeline: { view: signal(null) }, pair: signal<object | null>(null) };
    bench.value = { at: 'open', open };
    return Object.assign(status, { open });
  };
  const fail = () => ({ at: 'failed', error: { sentence: 'No.' } });
  return { heard, open, fail, bench, send, views };
}

it('tells no page that a trace is gone which could not be read', () => {
  const { heard, open, fail, bench } = served();
  const status = open('broken');
  status.value = fail();
  // The worker can end after it has said so.
  status.value = fail();
  open('next');
  expect(heard).toEqual(['failed broken']);
  bench.value = { at: 'empty' };
  expect(heard).toEqual(['failed broken', 'closed next']);
});

it('does not tell a page that its trace is gone while that is compared with another one', () => {
  const { heard, open, bench } = served();
  const { open: own } = open('own');
  const other = { ...own, file: new Blob(), trace: { ...own.trace, name: 'other' } };
  own.pair.value = { a: own, b: other };
  bench.value = { at: 'open', open: other };
  expect(heard).toEqual([]);
  own.pair.value = null;
  expect(heard).toEqual(['closed own']);
});

it('shows the newest of many views that a page sends at once', async () => {
  const { open, send, views } = served();
  open('own').value = { at: 'ready' };
  const sendMany = (from: number) => {
    for (let to = from + 1; to <= from + 1000; to += 1) send({ type: 'unspool:view', view: { from: 0, to } });
  };
  sendMany(0);
  expect(views).toEqual([]);
  await vi.waitFor(() => expect(views).toHaveLength(1));
  sendMany(1000);
  await vi.waitFor(() => expect(views).toHaveLength(2));
  expect(views).toMatchObject([{ view: { to: 1000n } }, { view: { to: 2000n } }]);
});
