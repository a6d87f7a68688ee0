import { expect, it, vi } from 'vitest';
import { click, mount, send } from '../../parts/dom.fixture.ts';
import { Canvas } from './canvas.tsx';
import { pictureNames } from './pictured_calls.ts';
import { pixelAt } from './pixel.ts';
import type { Picture, PictureView } from './protocol.ts';

const picture = { width: 800, height: 600, pixels: new Uint8ClampedArray(4 * 800 * 600) } as unknown as Picture;

it('names and chooses the same pixel wherever between two pixels the pointer is', () => {
  const chosen = vi.fn();
  const host = mount(<Canvas picture={picture} old={undefined} file="a.png" choose={chosen} />);
  const canvas = host.querySelector('canvas')!;
  // Two pixels of the picture are one of the page, and the canvas begins at a fraction.
  canvas.getBoundingClientRect = () => new DOMRect(10.4, 20.6, 400, 300);
  for (const [x, y] of [
    [66.9, 132.6],
    [67.3, 133.1],
    [10.5, 20.7],
  ] as const) {
    send(canvas, new PointerEvent('pointermove', { clientX: x, clientY: y, bubbles: true }));
    const words = host.querySelector('.picture-pixel')!.textContent;
    send(canvas, new PointerEvent('pointerup', { clientX: x, clientY: y, bubbles: true }));
    // Its own place is rounded.
    click(canvas);
    const [at] = chosen.mock.calls.splice(0);
    expect(words).toMatch(new RegExp(`^${at![0]}, ${at![1]}:`));
  }
});

it('keeps its own label while another picture is made, and lists no draws then', () => {
  const chosen = vi.fn();
  const host = mount(<Canvas picture={picture} old="frame 1, after call 40" file="a.png" choose={chosen} />);
  const [canvas] = host.getElementsByTagName('canvas');
  if (!canvas) throw new Error('There is a canvas.');
  canvas.getBoundingClientRect = () => new DOMRect(0, 0, 800, 600);
  const words = () => host.querySelector('.picture-pixel')?.textContent;
  expect([words(), canvas.classList.contains('picture-old')]).toEqual([
    'Still frame 1, after call 40 · 800 × 600',
    true,
  ]);
  send(canvas, new PointerEvent('pointermove', { clientX: 5, clientY: 6, bubbles: true }));
  expect(words()).toBe('Still frame 1, after call 40 · 5, 6: #000000 · 0 0 0 · alpha 0');
  send(canvas, new PointerEvent('pointerup', { clientX: 5, clientY: 6, bubbles: true }));
  click(canvas);
  expect(chosen).not.toHaveBeenCalled();
});

it('is named by its own trace, frame and call, and says them while another one is looked at', () => {
  const frames = { from: Float64Array.of(0, 10), to: Float64Array.of(7, 19), draws: Float64Array.of(1, 1) };
  const names = (shown: number, view: PictureView, looked: number) =>
    pictureNames('a.trace', frames, { call: shown, view }, looked, 'color');
  expect(names(12, 'color', 12)).toEqual({ old: undefined, file: 'a.trace-frame1-call12.png' });
  expect(names(1500, 'color', 12)).toEqual({ old: 'frame 2, after call 1,500', file: 'a.trace-frame2-call1500.png' });
  expect(names(9, 'depth', 9)).toEqual({ old: 'after call 9', file: 'a.trace-call9-depth.png' });
});

it('counts pixels inside of the border', () => {
  const room = { left: 11, top: 21, width: 80, height: 60 };
  const at = (clientX: number, clientY: number) => pixelAt(room, { width: 160, height: 120 }, { clientX, clientY });
  expect(at(11, 21)).toEqual({ x: 0, y: 0 });
  expect(at(11.49, 21.5)).toEqual({ x: 0, y: 1 });
  expect(at(90.9, 80.9)).toEqual({ x: 159, y: 119 });
  expect([at(10.9, 40), at(40, 81)]).toEqual([null, null]);
});

it('leaves out the room beside a picture of other proportions', () => {
  const room = { left: 0, top: 0, width: 100, height: 300 };
  expect(pixelAt(room, { width: 50, height: 50 }, { clientX: 50, clientY: 99 })).toBeNull();
  expect(pixelAt(room, { width: 50, height: 50 }, { clientX: 99.9, clientY: 100 })).toEqual({ x: 49, y: 0 });
});
