import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mount } from './dom.fixture.ts';
import { Table } from './table.tsx';

/** CSS pixels of a row, of the head, and of the box. */
const ROW = 24;
const HEIGHT = 21 * ROW;

interface State {
  readonly count: number;
  readonly by: string;
  readonly descending: boolean;
  readonly filter: string;
  readonly range: object | null;
  readonly current: number;
  readonly about: unknown;
}

const LONG: State = {
  count: 320_000,
  by: 'start',
  descending: false,
  filter: '',
  range: null,
  current: -1,
  about: undefined,
};

/** A table in a box that scrolls as that of a browser: no further than to the end of what is in it. Its events come with the next frame. */
function scrolling(first: State = LONG, sorts?: object) {
  let waiting: FrameRequestCallback[] = [];
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => waiting.push(run));
  onTestFinished(() => void vi.unstubAllGlobals());
  const state = signal(first);
  const Rows = () => {
    const { count, by, descending, filter, range, current, about } = state.value;
    return (
      <Table
        label="Calls"
        id="call"
        count={count}
        row={(row) => row}
        columns={[{ title: 'Number', cell: (row: number) => row, key: 'number', value: (row: number) => -row }]}
        {...(sorts ? { sorts } : { by, descending, sortBy: () => undefined })}
        narrowedBy={[filter, range]}
        current={current}
        follows={about}
        choose={() => undefined}
      />
    );
  };
  const host = mount(<Rows />);
  const box = host.querySelector<HTMLElement>('.table');
  if (!box) throw new Error('there is no table');
  /** CSS pixels above the rows that exist, of those, and of all. */
  const laid = () => {
    const gaps = [...box.querySelectorAll<HTMLElement>('.spacer')];
    const heights = gaps.map((gap) => Number.parseFloat(gap.querySelector('td')?.style.height ?? '0'));
    const [above = 0] = gaps[0]?.previousElementSibling === null ? heights : [];
    const rows = box.querySelectorAll('[data-row]').length * ROW;
    return { above, rows, all: rows + heights.reduce((sum, height) => sum + height, 0) };
  };
  let top = 0;
  let told = 0;
  const clamp = () => {
    top = Math.max(0, Math.min(top, ROW + laid().all - HEIGHT));
    return top;
  };
  Object.defineProperty(box, 'scrollTop', {
    get: clamp,
    set: (to: number) => {
      top = to;
      clamp();
    },
  });
  const frames = () => {
    for (let i = 0; i < 4; i += 1) {
      act(() => {
        if (clamp() !== told) box.dispatchEvent(new Event('scroll'));
        told = top;
        const now = waiting;
        waiting = [];
        for (const run of now) run(0);
      });
    }
  };
  return {
    host,
    box,
    frames,
    scroll: (to: number) => {
      box.scrollTop = to;
      frames();
    },
    set: (part: Partial<State>) => {
      act(() => {
        state.value = { ...state.peek(), ...part };
      });
      frames();
    },
    /** Whether rows fill the box below its head, or are all there. */
    isFilled: () => {
      const { above, rows, all } = laid();
      return rows > 0 && above <= clamp() && above + rows >= Math.min(all, clamp() + HEIGHT - ROW);
    },
    first: () => Number(box.querySelector('[data-row]')?.getAttribute('data-row')),
  };
}

describe('the reader of a long list is at its top', () => {
  it.each<[string, Partial<State>]>([
    ['another order', { by: 'duration' }],
    ['the same order downwards', { descending: true }],
    ['another filter', { filter: 'x' }],
    ['another range', { range: {} }],
    ['another order of fewer rows', { by: 'duration', descending: true, count: 16_384 }],
    ['a filter that leaves ten rows', { filter: 'x', count: 10 }],
    ['an order that arrives later', { by: 'duration', current: -1 }],
  ])('after %s', (_, change) => {
    const { box, first, scroll, set, isFilled } = scrolling();
    scroll(5_000_000);
    expect(first()).toBeGreaterThan(200_000);
    set(change);
    expect([box.scrollTop, first(), isFilled()]).toEqual([0, 0, true]);
    // The rows of that order can be fewer once they are there.
    set({ count: 5 });
    expect([box.scrollTop, first()]).toEqual([0, 0]);
  });

  it('after a click on a head of a table that sorts itself', () => {
    const { host, box, first, scroll, frames } = scrolling({ ...LONG, count: 1000 }, {});
    scroll(12_000);
    expect(first()).toBeGreaterThan(400);
    act(() => host.querySelector<HTMLElement>('th button')?.click());
    frames();
    expect([box.scrollTop, first()]).toEqual([0, 0]);
    expect(host.querySelector('td')?.textContent).toBe('999');
  });

  it('of more rows than a browser can lay out, too', () => {
    const { box, first, scroll, set, isFilled } = scrolling({ ...LONG, count: 100_000_000 });
    scroll(4_000_000);
    expect(first()).toBeGreaterThan(40_000_000);
    set({ by: 'duration', count: 16_384 });
    expect([box.scrollTop, first(), isFilled()]).toEqual([0, 0, true]);
  });
});

it('a list that is only longer or shorter keeps its place, as far as it goes', () => {
  const { box, first, scroll, set, isFilled } = scrolling();
  scroll(5_000_000);
  set({ count: 330_000 });
  expect(box.scrollTop).toBe(5_000_000);
  set({ count: 16_384 });
  expect(box.scrollTop).toBe(16_384 * ROW + ROW - HEIGHT);
  expect([first() > 16_000, isFilled()]).toEqual([true, true]);
  scroll(box.scrollTop - 100);
  expect(isFilled()).toBe(true);
});

describe('the current row', () => {
  it('is brought into view if it is about something else', () => {
    const { box, set, isFilled } = scrolling({ ...LONG, about: 'a', current: 3 });
    set({ about: 'b', current: 200_000 });
    expect([box.scrollTop > 4_000_000, isFilled()]).toEqual([true, true]);
  });

  it('is brought into view once it has a place', () => {
    const { box, set } = scrolling({ ...LONG, about: 'a', current: 3 });
    set({ about: 'b', current: -1 });
    expect(box.scrollTop).toBe(0);
    set({ current: 200_000 });
    expect(box.scrollTop).toBeGreaterThan(4_000_000);
  });

  it('leaves the reader at the top if another order gives it another place, at once or later', () => {
    for (const at of [200_000, -1]) {
      const { box, set } = scrolling({ ...LONG, about: 'a', current: 3 });
      set({ by: 'duration', current: at });
      set({ current: 200_001 });
      expect(box.scrollTop).toBe(0);
    }
  });

  it('is in view if it was asked for together with another filter', () => {
    const { box, set } = scrolling({ ...LONG, about: 'a', current: 3 });
    set({ filter: 'x', about: 'b', current: 200_000 });
    expect(box.scrollTop).toBeGreaterThan(4_000_000);
  });
});
