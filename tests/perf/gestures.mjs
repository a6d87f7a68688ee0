// Scripted gestures over the timeline, by input events.

/** @import { CDPSession, Page } from '@playwright/test' */
/** @import { Watched } from './browser.mjs' */
/** @typedef {'mouseWheel' | 'mousePressed' | 'mouseMoved' | 'mouseReleased'} Mouse An event of the protocol. */
/** @typedef {{ button?: 'left', buttons?: number, clickCount?: number, modifiers?: number }} Pressed */

const REST_MS = 400;
/** Modifiers of the protocol. */
const [ALT, CTRL, SHIFT] = [1, 2, 8];

/**
 * Pans and zooms at several scales. Returns the ms from the last event of each gesture to the final picture.
 *
 * @param {Page} page
 * @param {CDPSession} client
 */
export async function gestures(page, client) {
  const box = await page.evaluate(() => {
    const { x, y, width, height } = /** @type {Element} */ (document.querySelector('.area')).getBoundingClientRect();
    return { x, y, width, height };
  });
  const middle = { x: Math.round(box.x + box.width * 0.37), y: Math.round(box.y + Math.min(box.height / 2, 120)) };
  /** @type {(type: Mouse, at: { x: number, y: number }, more?: Pressed & { deltaX?: number, deltaY?: number }) => Promise<unknown>} */
  const mouse = (type, at, more = {}) => client.send('Input.dispatchMouseEvent', { type, ...at, ...more });
  /** @type {(times: number, deltaY: number, modifiers: number) => Promise<void>} */
  const wheel = async (times, deltaY, modifiers) => {
    for (let i = 0; i < times; i += 1) await mouse('mouseWheel', middle, { deltaX: 0, deltaY, modifiers });
  };
  // Without Ctrl, the wheel scrolls where the tracks are higher than the window.
  /** @type {(times: number, deltaY: number) => Promise<void>} */
  const zoom = (times, deltaY) => wheel(times, deltaY, CTRL);
  /** @type {(times: number, by: number) => Promise<void>} */
  const drag = async (times, by) => {
    const held = /** @type {const} */ ({ button: 'left', buttons: 1, clickCount: 1 });
    await mouse('mousePressed', middle, held);
    for (let i = 1; i <= times; i += 1) {
      // Moves back and forth to keep the pointer on the timeline.
      const phase = (i * by) % 800;
      const x = middle.x + (phase < 400 ? -phase : phase - 800) / 1.2;
      await mouse('mouseMoved', { x, y: middle.y }, { button: 'left', buttons: 1 });
    }
    await mouse('mouseReleased', middle, held);
  };
  const inAndOut = async () => {
    for (let i = 0; i < 4; i += 1) {
      await zoom(8, -160);
      await zoom(8, 160);
    }
    await zoom(12, -160);
  };

  /** @type {[name: string, run: () => Promise<void>][]} */
  const plan = [
    ['zoom in', () => zoom(20, -120)],
    ['pan', () => drag(60, 24)],
    ['zoom in further', () => zoom(30, -120)],
    ['pan close up', () => drag(60, 24)],
    ['zoom out', () => zoom(60, 120)],
    ['pan the whole', () => drag(40, 40)],
    ['zoom quickly in and out', inAndOut],
    ['pan sideways by wheel', () => wheel(40, 200, SHIFT)],
    ['scroll the tracks', () => wheel(20, 120, ALT)],
    ['fit', () => page.keyboard.press('0')],
  ];
  /** @type {Record<string, number | null>} */
  const settled = {};
  await page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector('.area')).focus());
  for (const [name, run] of plan) {
    await run();
    await page.waitForTimeout(REST_MS);
    settled[name] = await page.evaluate(settling);
  }
  return settled;
}

/** Steps into the trace of {@link views}, each by a factor of about 10 at a random place, and steps sideways. */
const STEPS = 8;
const ASIDE = 3;
const FINAL_MS = 5000;

/**
 * Goes to views of all scales at random places, the same in each run. Returns the ms from each event to the end of the first exact
 * frame after it, sorted; infinite for those without one.
 *
 * @param {Page} page
 * @param {CDPSession} client
 * @param {number} rounds
 */
export async function views(page, client, rounds) {
  const box = await page.evaluate(() => {
    const { x, y, width, height } = /** @type {Element} */ (document.querySelector('.area')).getBoundingClientRect();
    return { x, y, width, height };
  });
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  /** @type {number[]} */
  const times = [];
  /** @type {(deltaX: number, deltaY: number, modifiers: number) => Promise<void>} */
  const wheel = async (deltaX, deltaY, modifiers) => {
    const at = { x: Math.round(box.x + box.width * (0.05 + 0.9 * random())), y: Math.round(box.y + box.height / 3) };
    await client.send('Input.dispatchMouseEvent', { type: 'mouseWheel', ...at, deltaX, deltaY, modifiers });
    times.push(await page.evaluate(isFinal, FINAL_MS));
  };
  for (let round = 0; round < rounds; round += 1) {
    await page.keyboard.press('0');
    await page.waitForTimeout(REST_MS);
    for (let step = 0; step < STEPS; step += 1) await wheel(0, -1000, CTRL);
    for (let step = 0; step < ASIDE; step += 1) await wheel(0, 2000, SHIFT);
  }
  return times.sort((a, b) => a - b);
}

/**
 * Runs in the page. Waits for an exact frame after the last event, and returns the time between them.
 *
 * @param {number} most
 */
async function isFinal(most) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const end = performance.now() + most;
  // Two frames, so that the event has arrived.
  await frame();
  await frame();
  const watched = /** @type {Watched} */ (window);
  const exact = () => watched.seenFrames.find(({ end, exact }) => exact && end >= watched.lastGesture);
  while (!exact() && performance.now() < end) await frame();
  const found = exact();
  return found ? found.end - watched.lastGesture : Number.POSITIVE_INFINITY;
}

/**
 * Runs in the page. Returns the ms from the last event to the end of the first exact frame after it, or null without
 * one.
 */
function settling() {
  const { seenFrames, lastGesture } = /** @type {Watched} */ (window);
  const after = seenFrames.filter((frame) => frame.end >= lastGesture);
  if (after.length === 0) return 0;
  // The last sequence of exact frames, because a glide continues after its key.
  let first = after.length;
  while (first > 0 && after[first - 1].exact) first -= 1;
  if (first === after.length) return null;
  return after[first].end - lastGesture;
}
