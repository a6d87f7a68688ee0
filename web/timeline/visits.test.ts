import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ticks } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import type { Pointed } from '../trace/pointed.ts';
import type { Extent, View } from '../trace/view.ts';
import { createVisits, type Visits } from './visits.ts';

const view = signal<View | null>(null);
const scrollTop = signal(0);
const selected = signal<Pointed | null>(null);
const record = signal<RecordRow | null>(null);
const range = signal<Extent | null>(null);
let moved: boolean;
let visits: Visits;
const views = signal<object | null>(null);
/** What views were asked to show, or to leave for what. */
let asked: (readonly [string, ...(object | null)[]])[];
/** The entries of the browser, and the current one. */
let entries: number[];
let current: number;
let show: (entry: number) => void;

// As a selection does.
selected.subscribe((item) => {
  if (item) record.value = null;
});

const whole: View = { anchor: 0n, fraction: 0, perPixel: 10 };
const viewAt = (anchor: number, perPixel = 1): View => ({ anchor: BigInt(anchor), fraction: 0, perPixel });
const slice = (start: number) => ({ track: 1, depth: 0, start: BigInt(start) as Ticks, name: 1 }) as Pointed;
const row = (x: number) => ({ x: BigInt(x) as Ticks, locator: BigInt(x) }) as RecordRow;
const extent = (from: number, to: number) => ({ from: BigInt(from), to: BigInt(to) }) as Extent;

beforeEach(() => {
  vi.useFakeTimers();
  moved = false;
  entries = [0];
  current = 0;
  view.value = whole;
  scrollTop.value = 0;
  selected.value = null;
  record.value = null;
  range.value = null;
  views.value = null;
  asked = [];
  visits = createVisits(
    {
      timeline: {
        view,
        scrollTop,
        isMoved: () => moved,
        goTo: (next) => {
          view.value = next;
        },
        showWhole: () => {
          view.value = whole;
        },
      },
      selection: {
        selected,
        record,
        selectRecord: (next) => {
          selected.value = null;
          record.value = next;
        },
        clear: () => {
          selected.value = null;
          record.value = null;
        },
      },
      statistics: { range },
    },
    {
      begin: (next) => {
        show = next;
        return () => undefined;
      },
      push: (entry) => {
        entries = [...entries.slice(0, current + 1), entry];
        current = entries.length - 1;
      },
      go: (by) => {
        current += by;
        show(entries[current]!);
      },
    },
    (top) => {
      scrollTop.value = top;
    },
    {
      at: views,
      show: (at) => {
        asked.push(['show', at]);
        views.value = at;
      },
      leave: (at, to) => {
        asked.push(['leave', at, to]);
        views.value = to;
      },
    },
  );
});
afterEach(() => {
  visits.dispose();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const move = (next: View) => {
  moved = true;
  view.value = next;
};

describe('visits', () => {
  it('begin with nothing to go back to', async () => {
    await pass(2000);
    expect([visits.canGoBack.value, visits.canGoForward.value, entries]).toEqual([false, false, [0]]);
  });
  it('have one entry for a view that moved and rested', async () => {
    for (let i = 1; i <= 20; i += 1) {
      move(viewAt(i * 10));
      await pass(40);
    }
    expect(entries).toEqual([0]);
    await pass(600);
    expect(entries).toEqual([0, 1]);
    visits.back();
    expect(view.value).toEqual(whole);
    visits.forward();
    expect(view.value).toEqual(viewAt(200));
  });
  it('ignore a view that grows with the trace, and one that came back', async () => {
    view.value = { ...whole, perPixel: 20 };
    await pass(1000);
    expect(entries).toEqual([0]);
    move(viewAt(5));
    await pass(1000);
    move(viewAt(50));
    await pass(100);
    move(viewAt(5));
    await pass(1000);
    expect(entries).toEqual([0, 1]);
  });
  it('take what is shown after a reload as the place they begin with', async () => {
    let shown: () => void = () => undefined;
    visits.joins(
      new Promise((resolve) => {
        shown = resolve;
      }),
    );
    range.value = extent(1, 5);
    await pass(10);
    selected.value = slice(3);
    move(viewAt(7));
    await pass(2000);
    selected.value = slice(4);
    shown();
    await pass(2000);
    expect(entries).toEqual([0]);
    range.value = null;
    await pass(1000);
    expect(entries).toEqual([0, 1]);
    visits.back();
    expect([range.value, selected.value?.start, view.value]).toEqual([extent(1, 5), 4n, viewAt(7)]);
  });
  it('have an entry for each selection and each range at once', async () => {
    selected.value = slice(1);
    await pass(100);
    range.value = extent(1, 5);
    await pass(100);
    selected.value = null;
    record.value = row(7);
    await pass(100);
    expect(entries).toEqual([0, 1, 2, 3]);
    visits.back();
    expect([selected.value, record.value, range.value]).toEqual([slice(1), null, extent(1, 5)]);
    visits.back();
    expect([selected.value, range.value]).toEqual([slice(1), null]);
    visits.back();
    expect([selected.value, visits.canGoBack.value, visits.canGoForward.value]).toEqual([null, false, true]);
    visits.forward();
    visits.forward();
    visits.forward();
    expect([selected.value, record.value]).toEqual([null, row(7)]);
    await pass(2000);
    expect(entries).toEqual([0, 1, 2, 3]);
  });
  it('count a view that follows a selection as one place with it', async () => {
    move(viewAt(5));
    await pass(1000);
    selected.value = slice(500);
    await pass(16);
    for (const anchor of [100, 300, 500]) {
      move(viewAt(anchor));
      await pass(16);
    }
    await pass(1000);
    expect(entries).toEqual([0, 1, 2]);
    visits.back();
    expect(view.value).toEqual(viewAt(5));
    visits.forward();
    expect([view.value, selected.value]).toEqual([viewAt(500), slice(500)]);
  });
  it('keep the view from which a selection led away, although it has not rested', async () => {
    move(viewAt(30));
    await pass(50);
    move(viewAt(40));
    await pass(100);
    selected.value = slice(900);
    await pass(16);
    move(viewAt(900));
    await pass(1000);
    visits.back();
    expect([view.value, selected.value]).toEqual([viewAt(40), null]);
  });
  it('leave out what is selected while a key is held', async () => {
    for (let i = 1; i <= 30; i += 1) {
      selected.value = slice(i);
      await pass(33);
    }
    expect(entries).toEqual([0, 1]);
    visits.back();
    expect(selected.value).toBeNull();
    visits.forward();
    expect(selected.value).toEqual(slice(30));
  });
  it('forget what was ahead when something new is looked at', async () => {
    for (const start of [1, 2, 3]) {
      selected.value = slice(start);
      await pass(200);
    }
    visits.back();
    visits.back();
    await pass(200);
    selected.value = slice(9);
    await pass(200);
    expect([entries, visits.canGoForward.value]).toEqual([[0, 1, 2], false]);
    visits.back();
    expect(selected.value).toEqual(slice(1));
  });
  it('forget the oldest of many places', async () => {
    for (let i = 1; i <= 60; i += 1) {
      selected.value = slice(i);
      await pass(200);
    }
    expect(entries.length).toBe(41);
    visits.back();
    expect(selected.value).toEqual(slice(59));
    while (visits.canGoBack.value) visits.back();
    expect(selected.value).toEqual(slice(20));
  });
  it('remember how far the tracks were scrolled', async () => {
    scrollTop.value = 300;
    await pass(1000);
    scrollTop.value = 0;
    await pass(1000);
    visits.back();
    expect(scrollTop.value).toBe(300);
  });
  it('lead back from what a link has shown, and to it again', async () => {
    const [one, two] = [{}, {}];
    for (const at of [one, two]) {
      views.value = at;
      await pass(200);
    }
    selected.value = slice(3);
    await pass(200);
    visits.back();
    expect([asked, selected.value]).toEqual([[], null]);
    visits.back();
    visits.back();
    visits.forward();
    await pass(200);
    expect(asked).toEqual([
      ['leave', two, one],
      ['leave', one, null],
      ['show', one],
    ]);
    expect([entries.length, visits.canGoForward.value]).toEqual([4, true]);
  });
});
