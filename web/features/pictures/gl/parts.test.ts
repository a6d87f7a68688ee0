import { expect, it } from 'vitest';
import { createPace } from './pace.ts';
import { createParts, partsOf } from './parts.ts';
import type { Programs } from './programs.ts';
import { type Rect, standing, type Views } from './views.ts';

const [TRIANGLES, LINE_STRIP, POINTS] = [4, 3, 0] as const;

/** Draws once, and lists the scissor test of each part, and what was waited for. `speed`: how fast the GPU is, in operations of a ms. */
function drawn(mode: number, viewport: Rect, pixelWork: number, speed: number) {
  const list: Rect[] = [];
  const waits: string[] = [];
  const now = { ...standing(), viewport };
  const gl = { LINE_STRIP, TRIANGLES, SCISSOR_TEST: 1, enable: () => {}, disable: () => {}, scissor: () => {} };
  const programs = { isUsable: () => true, loops: () => ({ program: 1 }) } as unknown as Programs;
  const views = {
    draw: () => list.push(now.scissorTest ? now.scissor : [0, 0, 0, 0]),
    loopWork: () => 0,
  } as unknown as Views;
  const pace = createPace(true);
  const draw = createParts(gl as unknown as WebGL2RenderingContext, programs, views, now, pace, () => {});
  let most = 0;
  for (const wait of draw(1, mode, [1, pixelWork, 3, 512, 512], () => {})) {
    waits.push(wait);
    const portion = pace.take();
    const [, , width = 0, height = 0] = list.at(-1) ?? [];
    const work = width * height * pixelWork;
    most = Math.max(most, work);
    pace.took(portion, work / speed);
  }
  return { list, waits, now, most };
}

it('executes a draw at once if that takes a moment', () => {
  const { list, waits } = drawn(TRIANGLES, [0, 0, 512, 512], 10, 1e6);
  expect([list, waits]).toEqual([[[0, 0, 0, 0]], []]);
});

it('executes a slow draw in parts that are a moment each, and draws each pixel once', () => {
  const { list, now, most } = drawn(TRIANGLES, [100, 50, 512, 300], 1e6, 1e6);
  const counts = new Uint8Array(512 * 512);
  for (const [x, y, width, height] of list)
    for (let row = y; row < y + height; row += 1)
      for (let column = x; column < x + width; column += 1) counts[512 * row + column]! += 1;
  const inside = (i: number) => i % 512 >= 100 && i >> 9 >= 50 && i >> 9 < 350;
  expect(counts.findIndex((count, i) => count !== Number(inside(i)))).toBe(-1);
  // 50 ms at 1e6 operations of a ms.
  expect(most).toBeLessThan(2 * 50 * 1e6);
  expect(list.length).toBeGreaterThan(1000);
  expect([now.scissorTest, now.scissor]).toEqual([false, [0, 0, 0, 0]]);
});

it('takes larger parts where the GPU proves fast', () => {
  const slow = drawn(TRIANGLES, [0, 0, 512, 512], 1e5, 1e6).list.length;
  expect(drawn(TRIANGLES, [0, 0, 512, 512], 1e5, 1e9).list.length).toBeLessThan(slow / 20);
});

it('takes points for as large as the framebuffer', () => {
  const areaOf = (mode: number) => drawn(mode, [0, 0, 8, 8], 1e6, 1e6).list.reduce((sum, [, , w, h]) => sum + w * h, 0);
  expect(areaOf(TRIANGLES)).toBe(64);
  expect(areaOf(POINTS)).toBe(512 * 512);
});

it('divides narrow and empty rectangles', () => {
  expect([...partsOf([3, 4, 1, 5], () => 0)].reduce((sum, [, , w, h]) => sum + w * h, 0)).toBe(5);
  expect([...partsOf([0, 0, 0, 5], () => 1)]).toEqual([]);
  expect([...partsOf([0, 0, 5, 0], () => 1)]).toEqual([]);
});
