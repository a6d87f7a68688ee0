import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { click, mount, press, send, settle } from '../../../parts/dom.fixture.ts';
import type { SmallPicture } from '../protocol.ts';
import { type Mode, Viewer } from './viewer.tsx';
import { ALL, centred, moved, pixelIn, zoomed } from './viewport.ts';

const picture = (color: number): SmallPicture => ({
  width: 4,
  height: 2,
  pixels: Uint8ClampedArray.from({ length: 32 }, (_, i) => (i % 4 === 3 ? 255 : i < 4 ? color : 9)),
});

function shown(mode: Mode, a = picture(10), b = picture(30)) {
  const look = { mode: signal(mode), viewport: signal(ALL), wipe: signal(0.5) };
  const host = mount(<Viewer a={a} b={b} marks={['A', 'B']} names={['A', 'B']} look={look} />);
  const view = host.querySelector<HTMLElement>('[role=application]')!;
  view.getBoundingClientRect = () => new DOMRect(0, 0, 400, 200);
  return { look, host, view };
}

/** Answers whether the user wants less motion. */
function wantLessMotion(matches: boolean): void {
  vi.stubGlobal('matchMedia', () => ({ matches }));
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('says how much differs, and leads to the first pixel that differs most', () => {
  wantLessMotion(false);
  const { host, look } = shown('difference');
  const figures = host.querySelector('.both-figures')!;
  expect(figures.textContent).toMatch(
    /^1 of 8 pixels differ \(12\.5\s%\), by 20 of 255 at most, amplified 12\.8 times\./,
  );
  click(figures.querySelector('button'));
  expect(look.viewport.value.zoom).toBe(8);
  expect(host.querySelector('.picture-pixel')!.textContent).toBe('0, 0: A #0a0a0a · B #1e1e1e · differs by 20');
});

it('shows the values of both at the same pixel, by pointer and by key', () => {
  wantLessMotion(false);
  const { host, view } = shown('a');
  const words = () => host.querySelector('.picture-pixel')!.textContent;
  send(view, new PointerEvent('pointermove', { clientX: 399, clientY: 199, bubbles: true }));
  expect(words()).toBe('3, 1: A #090909 · B #090909 · equal');
  press('ArrowLeft', view);
  expect(words()).toMatch(/^2, 1:/);
});

it('zooms and moves both, and a slider divides them', async () => {
  wantLessMotion(false);
  const { view, look, host } = shown('slider');
  press('+', view);
  expect(look.viewport.value).toEqual({ zoom: 2, left: -0.5, top: -0.5 });
  expect(host.querySelector<HTMLElement>('.both-stage')!.style.transform).toBe('translate(-50%, -50%) scale(2)');
  press('0', view);
  expect(look.viewport.value).toEqual(ALL);
  view.setPointerCapture = () => undefined;
  send(view, new PointerEvent('pointerdown', { clientX: 203, clientY: 50, button: 0, bubbles: true }));
  send(view, new PointerEvent('pointermove', { clientX: 100, clientY: 50, bubbles: true }));
  await settle();
  expect(look.wipe.value).toBe(0.25);
  expect(host.querySelector<HTMLElement>('.both-clip')!.style.clipPath).toBe('inset(0 75% 0 0)');
});

it('blinks, unless the user wants less motion: then a button flips', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  wantLessMotion(true);
  const { host } = shown('blink');
  const label = () => host.querySelector('.both-label')!.textContent;
  vi.advanceTimersByTime(5000);
  expect(label()).toBe('A');
  click([...host.querySelectorAll('button')].find((button) => button.textContent === 'Flip')!);
  expect(label()).toBe('B');
  wantLessMotion(false);
  const moving = shown('blink').host;
  const marks = new Set<string>();
  for (let i = 0; i < 4; i += 1) {
    vi.advanceTimersByTime(600);
    await settle();
    marks.add(moving.querySelector('.both-label')!.textContent!);
  }
  expect([...marks].sort()).toEqual(['A', 'B']);
});

it('does not compare pictures of two sizes', () => {
  wantLessMotion(false);
  const wide: SmallPicture = { width: 8, height: 1, pixels: new Uint8ClampedArray(32) };
  const { host } = shown('a', wide);
  expect(host.querySelector('.both-figures')!.textContent).toBe('The pictures have other sizes: 8 × 1 and 4 × 2.');
});

it('keeps what is under the pointer where it is, and the window within the picture', () => {
  const size = { width: 100, height: 50 };
  const near = zoomed(ALL, 4, 0.25, 0.5);
  expect([pixelIn(ALL, 0.25, 0.5, size), pixelIn(near, 0.25, 0.5, size)]).toEqual([
    { x: 25, y: 25 },
    { x: 25, y: 25 },
  ]);
  expect(moved(near, 5, -5)).toEqual({ zoom: 4, left: 0, top: -3 });
  expect(zoomed(near, 0.01, 0.3, 0.3)).toEqual(ALL);
  expect(pixelIn(centred(8, { x: 50, y: 20 }, size), 0.5, 0.5, size)).toEqual({ x: 50, y: 20 });
});
