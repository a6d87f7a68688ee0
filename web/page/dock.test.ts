import { afterEach, expect, it, vi } from 'vitest';
import { createDock, frontOf } from './dock.ts';

/** The dock of a browser that has stored `state`. */
function dockWith(state: unknown) {
  vi.stubGlobal('localStorage', { getItem: () => JSON.stringify(state), setItem: vi.fn() });
  return createDock({ innerWidth: 1440, innerHeight: 900 });
}

afterEach(() => vi.unstubAllGlobals());

it('has the call graph in front where it was a panel of its own', () => {
  const dock = dockWith({ front: { xray: 'graph', frames: 'events' }, calls: { xray: 'tree', frames: 'flame' } });
  expect(dock.front.value).toEqual({ xray: 'calls', frames: 'events' });
  expect(dock.calls.value).toEqual({ xray: 'graph', frames: 'flame' });
  expect(frontOf('graph', '')).toEqual({ panel: 'calls', view: 'graph' });
  expect(frontOf('calls', 'stacks')).toEqual({ panel: 'calls', view: 'stacks' });
});

it('starts without choices if what is stored is of another kind', () => {
  for (const state of [null, 1, { front: 'graph', calls: null }, { front: { xray: 3 } }]) {
    const dock = dockWith(state);
    expect([dock.front.value, dock.calls.value, dock.open.value]).toEqual([{}, {}, true]);
  }
});
