import { signal } from '@preact/signals';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDock } from '../../page/dock.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { contentOf, divideRoom, dockHeight } from './sizes.ts';

const MANY = Number.POSITIVE_INFINITY;

it('gives a table what a short list of tracks leaves', () => {
  expect(dockHeight({ room: 750, share: 300, tracks: 190, content: MANY })).toBe(750 - 190 - 24);
  // One row of slices leaves the timeline enough to be used.
  expect(dockHeight({ room: 750, share: 300, tracks: 62, content: MANY })).toBe(610);
});

it('keeps the share of a table beside tracks that need more, and less for one with few rows', () => {
  expect(dockHeight({ room: 750, share: 300, tracks: 2000, content: MANY })).toBe(300);
  expect(dockHeight({ room: 750, share: 300, tracks: 2000, content: 240 })).toBe(240);
  expect(dockHeight({ room: 750, share: 300, tracks: 2000, content: 100 })).toBe(200);
  expect(dockHeight({ room: 300, share: 150, tracks: 2000, content: MANY })).toBe(150);
});

/** An element of a document without layout, `height` CSS pixels high. */
function box(name: string, height: number): HTMLElement {
  const element = document.createElement('div');
  element.className = name;
  Object.defineProperties(element, { offsetHeight: { value: height }, clientHeight: { value: height } });
  return element;
}

/** A dock of 300 CSS pixels with a table of some rows. */
function dockWith(rows: number): HTMLElement {
  const section = box('dock', 300);
  const panel = box('dock-panel', 266);
  const table = box('table', 230);
  const inner = box('', rows * 24 + 24);
  inner.innerHTML = '<table><tbody><tr></tr></tbody></table>';
  table.append(inner);
  panel.append(table);
  section.append(panel);
  document.body.append(section);
  onTestFinished(() => section.remove());
  return section;
}

it('measures a panel by its table, and takes any other as one that could use more', () => {
  expect(contentOf(dockWith(5))).toBe(70 + 6 * 24);
  expect(contentOf(dockWith(500))).toBe(70 + 501 * 24);
  expect(contentOf(box('dock', 300))).toBe(MANY);
});

function divided(tracks: number, isShared = false) {
  localStorage.clear();
  const dock = createDock({ innerWidth: 1440, innerHeight: 900 });
  const status = signal({ at: 'loading' });
  const most = signal(MANY);
  const fitted: number[] = [];
  const timeline = {
    most,
    layout: signal({ height: tracks }),
    below: signal(null),
    fit: (room: number) => fitted.push(room),
  };
  const open = { trace: { status }, timeline } as unknown as OpenTrace;
  const section = dockWith(3);
  onTestFinished(divideRoom(open, dock, { scroller: box('scroller', 450), section, isShared }));
  return { dock, status, most, fitted, section };
}

it('decides once the file is read, and again once the panel has its rows', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { dock, status, most, fitted } = divided(2000);
  expect([dock.needed.value, most.value, fitted]).toEqual([null, 6, []]);
  status.value = { at: 'ready' };
  expect([dock.needed.value, fitted]).toEqual([300, [750 - 300 - 24]]);
  await vi.advanceTimersByTimeAsync(3000);
  expect([dock.needed.value, fitted.at(-1)]).toEqual([200, 750 - 200 - 24]);
});

it('moves nothing once the user acts, and keeps a height that was chosen', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { dock, status, fitted } = divided(2000);
  status.value = { at: 'ready' };
  window.dispatchEvent(new Event('pointerdown'));
  await vi.advanceTimersByTimeAsync(3000);
  expect(dock.needed.value).toBe(300);
  dock.height.value = 420;
  window.dispatchEvent(new Event('resize'));
  await vi.advanceTimersByTimeAsync(100);
  expect([dock.height.value, dock.needed.value]).toEqual([420, 300]);
  // What it really has, in a document without layout.
  expect(fitted.at(-1)).toBe(750 - 300 - 24);
});

it('does not take the height that earlier versions stored for one that was chosen', () => {
  for (const [stored, height] of [
    [300, null],
    [420, 420],
    [10, 120],
  ] as const) {
    localStorage.setItem('unspool:dock', JSON.stringify({ height: stored }));
    expect(createDock({ innerWidth: 1440, innerHeight: 900 }).height.value).toBe(height);
  }
  localStorage.clear();
});
