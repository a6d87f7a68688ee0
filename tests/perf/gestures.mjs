// Scripted gestures over the timeline, by input events.

const REST_MS = 400;
/** Modifiers of the protocol. */
const [ALT, CTRL, SHIFT] = [1, 2, 8];

/** Pans and zooms at several scales. Returns the ms from the last event of each gesture to the final picture. */
export async function gestures(page, client) {
  const box = await page.evaluate(() => {
    const { x, y, width, height } = document.querySelector('.area').getBoundingClientRect();
    return { x, y, width, height };
  });
  const middle = { x: Math.round(box.x + box.width * 0.37), y: Math.round(box.y + Math.min(box.height / 2, 120)) };
  const mouse = (type, at, more = {}) => client.send('Input.dispatchMouseEvent', { type, ...at, ...more });
  const wheel = async (times, deltaY, modifiers) => {
    for (let i = 0; i < times; i += 1) await mouse('mouseWheel', middle, { deltaX: 0, deltaY, modifiers });
  };
  // Without Ctrl, the wheel scrolls where the tracks are higher than the window.
  const zoom = (times, deltaY) => wheel(times, deltaY, CTRL);
  const drag = async (times, by) => {
    const held = { button: 'left', buttons: 1, clickCount: 1 };
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
  const settled = {};
  await page.evaluate(() => document.querySelector('.area').focus());
  for (const [name, run] of plan) {
    await run();
    await page.waitForTimeout(REST_MS);
    settled[name] = await page.evaluate(settling);
  }
  return settled;
}

/**
 * Runs in the page. Returns the ms from the last event to the end of the first exact frame after it, or null without
 * one.
 */
function settling() {
  const after = window.seenFrames.filter((frame) => frame.end >= window.lastGesture);
  if (after.length === 0) return 0;
  // The last sequence of exact frames, because a glide continues after its key.
  let first = after.length;
  while (first > 0 && after[first - 1].exact) first -= 1;
  if (first === after.length) return null;
  return after[first].end - window.lastGesture;
}
