// The work of the main thread per frame, from a trace of the browser.

/**
 * An event of a trace of Chromium. Times are in microseconds.
 *
 * @typedef {{ name: string, ph: string, pid: number, tid: number, ts: number, dur: number, tdur?: number }} TraceEvent
 */

/**
 * Work of each frame in ms: all tasks of the page's main thread from the end of the previous frame to its own end, in
 * CPU time, which excludes other programs.
 *
 * @param {readonly TraceEvent[]} events
 */
export function frameWork(events) {
  const thread = mainThread(events);
  const own = events.filter((event) => event.pid === thread?.pid && event.tid === thread?.tid);
  const tasks = own.filter((event) => event.name === 'RunTask' && event.ph === 'X').sort((a, b) => a.ts - b.ts);
  const ends = own
    .filter((event) => event.name === 'FireAnimationFrame' && event.ph === 'X')
    .map((event) => event.ts)
    .sort((a, b) => a - b);
  /** @type {number[]} */
  const work = [];
  let at = 0;
  let sum = 0;
  let drew = false;
  for (const task of tasks) {
    const until = task.ts + task.dur;
    sum += task.tdur ?? task.dur;
    while (at < ends.length && ends[at] < until) {
      drew ||= ends[at] >= task.ts;
      at += 1;
    }
    if (!drew) continue;
    work.push(sum / 1000);
    sum = 0;
    drew = false;
  }
  return { work: work.sort((a, b) => a - b), longest: longestTasks(own, tasks) };
}

/** @param {readonly TraceEvent[]} events */
function mainThread(events) {
  const fired = events.filter((event) => event.name === 'FireAnimationFrame');
  return fired[0] && { pid: fired[0].pid, tid: fired[0].tid };
}

/**
 * The contents of the longest tasks, as a hint for optimisation.
 *
 * @param {readonly TraceEvent[]} own
 * @param {readonly TraceEvent[]} tasks
 */
function longestTasks(own, tasks) {
  const longest = [...tasks].sort((a, b) => b.dur - a.dur).slice(0, 5);
  return longest.map((task) => {
    const inside = own.filter(
      (event) => event.ph === 'X' && event !== task && event.ts >= task.ts && event.ts < task.ts + task.dur,
    );
    const parts = inside.sort((a, b) => b.dur - a.dur).slice(0, 4);
    return { ms: task.dur / 1000, parts: parts.map((part) => `${part.name} ${(part.dur / 1000).toFixed(1)}`) };
  });
}

/**
 * A percentile of sorted values: `percentile(work, 0.95)`.
 *
 * @param {readonly number[]} sorted
 * @param {number} share
 */
export function percentile(sorted, share) {
  return sorted.length === 0 ? Number.NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
