import { type Signal, signal } from '@preact/signals';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Awaited } from '../page/awaited.ts';
import { dock, linkedTrace } from '../page/link.fixture.ts';
import { parseLink } from '../page/link.ts';
import type { Page } from '../page/page.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { Extent } from '../trace/view.ts';
import { noteSender } from './senders.ts';

const bench = signal<{ at: 'empty' } | { at: 'open'; open: OpenTrace }>({ at: 'empty' });
const awaited = signal<Awaited | null>(null);
let hash: string;
let search: string;
let writes: number;
let url: string | null;

/** The parts of a window that the address needs. */
function browser() {
  const location = {
    get href() {
      return `https://host.example/${search}${hash}`;
    },
    get hash() {
      return hash;
    },
  };
  vi.stubGlobal('location', location);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('history', {
    state: { trace: '1', entry: 0 },
    replaceState: (_state: unknown, _title: string, href: string) => {
      writes += 1;
      ({ hash, search } = new URL(href));
    },
  });
}

beforeEach(async () => {
  [hash, search, writes, url] = ['', '', 0, null];
  bench.value = { at: 'empty' };
  awaited.value = null;
  vi.useFakeTimers();
  browser();
  const { keepAddress } = await import('./live_address.ts');
  const stop = keepAddress({ workbench: { bench, urlOf: () => url }, awaited, dock } as unknown as Page);
  return () => {
    stop();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

/** A trace with a place to move its range. */
function opened(file = new Blob(), id = 1) {
  const made = linkedTrace(true);
  const open = { ...made, id, file, timeline: { ...made.timeline } } as OpenTrace;
  Object.assign(open.callPaths, { path: signal([]) });
  bench.value = { at: 'open', open };
  return open;
}

const written = () => parseLink(hash);
const setRange = ({ statistics }: OpenTrace, from: number) => {
  (statistics.range as Signal<Extent | null>).value = { from: BigInt(from), to: 100n } as Extent;
};

it('writes a view that rests, once', () => {
  const open = opened();
  vi.advanceTimersByTime(5000);
  expect([writes, written()?.file.name]).toEqual([1, 'a & b.xray']);
  for (let i = 1; i <= 60; i += 1) {
    setRange(open, i);
    vi.advanceTimersByTime(16);
  }
  expect(writes).toBe(1);
  vi.advanceTimersByTime(5000);
  expect([writes, written()?.range?.from, written()?.notes]).toEqual([2, 60n, []]);
});

it('writes far less often than Safari allows', () => {
  const open = opened();
  for (let i = 1; i <= 40; i += 1) {
    setRange(open, i);
    vi.advanceTimersByTime(750);
  }
  expect(writes).toBeGreaterThan(10);
  expect(writes).toBeLessThanOrEqual(31);
});

it('does not write over a link that waits, nor the view of what another page has sent', () => {
  hash = '#unspool=1&name=other.xray';
  awaited.value = { link: parseLink(hash)!, isOwn: false, source: null };
  opened();
  vi.advanceTimersByTime(5000);
  expect(written()?.file.name).toBe('other.xray');
  awaited.value = null;
  vi.advanceTimersByTime(5000);
  expect(written()?.file.name).toBe('a & b.xray');
  const sent = new Blob();
  vi.stubGlobal('window', {});
  noteSender(sent, { closed: false } as unknown as Window, 'https://other.example');
  const before = writes;
  setRange(opened(sent, 2), 7);
  vi.advanceTimersByTime(5000);
  expect(writes).toBe(before);
});

it('leads to no trace that is not read yet', () => {
  opened();
  vi.advanceTimersByTime(5000);
  const made = linkedTrace(true);
  (made.trace.status as Signal<unknown>).value = { at: 'loading' };
  bench.value = { at: 'open', open: { ...made, id: 2, file: new Blob() } as OpenTrace };
  expect(hash).toBe('');
});

it('has the address that a file was downloaded from', () => {
  url = 'samples/threads.xray';
  opened();
  vi.advanceTimersByTime(5000);
  expect(new URLSearchParams(search).get('url')).toBe(url);
  url = null;
  opened(new Blob(), 2);
  vi.advanceTimersByTime(5000);
  expect(search).toBe('');
});
