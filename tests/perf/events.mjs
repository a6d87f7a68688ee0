// The list of records: how long a screen of it takes anywhere, and how long a pass over all records with all their fields.

/** Jumps over the list. */
const JUMPS = 200;
const WAIT_MS = 60_000;

/**
 * The times of {@link JUMPS} jumps to random places of the list, from the scroll to the rows, and the time of a pass, all in
 * ms. Jumps to rows that are there take no time and are left out, and the rest are sorted. `pass` is null where `passes` is false.
 *
 * @param {import('@playwright/test').Page} page
 * @param {{ passes: boolean }} how
 */
export async function listing(page, { passes }) {
  await page.click('#tab-events');
  await page.waitForSelector('tr[id^=event-] td:not(:empty)', { timeout: WAIT_MS });
  const jumps = await page.evaluate(jumpAbout, JUMPS);
  return { jumps, pass: passes ? await page.evaluate(pass) : null };
}

/** @param {number} count */
async function jumpAbout(count) {
  const box = /** @type {Element} */ (document.querySelector('.events .table'));
  /** @type {(number | null)[]} */
  const times = [];
  let seed = 7;
  for (let i = 0; i < count; i += 1) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    /** @type {Promise<number | null>} */
    const arrived = new Promise((resolve) => {
      const observer = new PerformanceObserver((list) => {
        const found = list.getEntries().find(({ name }) => name === 'unspool:events');
        if (!found) return;
        observer.disconnect();
        resolve(found.duration);
      });
      observer.observe({ type: 'measure' });
      setTimeout(() => {
        observer.disconnect();
        resolve(null);
      }, 1000);
    });
    box.scrollTop = Math.round((seed / 2147483648) * (box.scrollHeight - box.clientHeight));
    times.push(await arrived);
    // The table is repainted before the next jump.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }
  return times.filter((time) => time !== null).sort((a, b) => a - b);
}

/** @returns {Promise<number>} */
function pass() {
  return new Promise((resolve) => {
    const began = performance.now();
    /** @param {MessageEvent} event */
    const hear = ({ data }) => {
      if (data?.type !== 'unspool:surveyed') return;
      removeEventListener('message', hear);
      resolve(performance.now() - began);
    };
    addEventListener('message', hear);
    postMessage({ type: 'unspool:survey' }, '*');
  });
}
