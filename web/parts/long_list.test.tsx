import { act } from 'preact/test-utils';
import { expect, it, onTestFinished, vi } from 'vitest';
import { mount } from './dom.fixture.ts';
import { type LongList, useLongList } from './long_list.ts';

/** A browser tells of a new scroll position in the next frame, after which it runs what waits for that frame. */
function framed() {
  let waiting: FrameRequestCallback[] = [];
  let told = 0;
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => waiting.push(run));
  onTestFinished(() => void vi.unstubAllGlobals());
  const list: { now: LongList | null } = { now: null };
  let top = 0;
  const List = () => {
    const now = useLongList(1000);
    list.now = now;
    return <div ref={now.box} onScroll={now.onScroll} />;
  };
  const box = mount(<List />).firstElementChild as HTMLElement;
  Object.defineProperty(box, 'scrollTop', {
    get: () => top,
    set: (to: number) => {
      top = to;
    },
  });
  const frame = () =>
    act(() => {
      if (top !== told) box.dispatchEvent(new Event('scroll'));
      told = top;
      const now = waiting;
      waiting = [];
      for (const run of now) run(0);
    });
  return { list, box, frame, go: (row: number) => act(() => list.now?.go(row)) };
}

it('a key counts that comes between a scroll and its event', () => {
  const { list, box, frame, go } = framed();
  go(999);
  frame();
  expect(box.scrollTop).toBeGreaterThan(20_000);
  // The event of the first scroll is still to come.
  go(0);
  for (let i = 0; i < 3; i += 1) frame();
  expect([list.now?.top, list.now?.first, box.scrollTop]).toEqual([0, 0, 0]);
});

it('a key counts that comes before the first one has scrolled', () => {
  const { list, box, frame, go } = framed();
  go(999);
  go(0);
  for (let i = 0; i < 3; i += 1) frame();
  expect([list.now?.top, box.scrollTop]).toEqual([0, 0]);
});

it('follows the user to the very top', () => {
  const { list, box, frame } = framed();
  for (const to of [48, 0]) {
    box.scrollTop = to;
    frame();
    expect(list.now?.top).toBe(to / 24);
  }
});
