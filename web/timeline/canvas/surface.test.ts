import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { createSurface } from './surface.ts';

afterEach(() => vi.unstubAllGlobals());

it('is drawn for a new size before that is shown, and for other changes in the next frame', () => {
  let becomes: (width: number, height: number) => void = () => undefined;
  const frames: (() => void)[] = [];
  class Observer {
    constructor(hear: (entries: readonly { contentRect: Pick<DOMRect, 'width' | 'height'> }[]) => void) {
      becomes = (width, height) => hear([{ contentRect: { width, height } }]);
    }
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal('ResizeObserver', Observer);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('devicePixelRatio', 1);
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
  vi.stubGlobal('cancelAnimationFrame', () => frames.splice(0));
  const sizes: string[] = [];
  const changes = signal(0);
  const surface = createSurface({
    element: {} as HTMLElement,
    signals: [changes],
    draw: ({ width, height }) => sizes.push(`${width} × ${height}`),
  });
  becomes(300, 200);
  becomes(300, 90);
  expect([sizes, frames.length]).toEqual([['300 × 200', '300 × 90'], 0]);
  changes.value = 1;
  expect([sizes.length, frames.length]).toEqual([2, 1]);
  surface.dispose();
});
