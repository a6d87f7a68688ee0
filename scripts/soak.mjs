// `npm run soak`: uses everything of the page in Chromium for an hour, in one tab that is never reloaded.
//
//   node scripts/soak.mjs [--minutes N]
//
// Goes through the checks of scripts/browsers/checks.mjs over and over, with their digests, hits and bytes. Fails on an error, on a task of
// more than 200 ms of CPU time in the page's thread, and if the page holds more in the last third of the time than in the first: heap, nodes, listeners,
// workers. Needs an existing `dist` and `target/debug/unspool`.

import { serve } from '../tests/perf/serve.mjs';
import { CHECKS, DIST } from './browsers/checks.mjs';
import { startBrowser } from './browsers/drivers.mjs';
import { fail, options, say } from './lib.mjs';

/** What needs no other address. */
const USES = ['kinds', 'flame graph', 'find', 'sql', 'keyboard', 'notes', 'export', 'registers', 'state', 'picture'];
/** The category of the events that have the time of each task. */
const TASKS = 'disabled-by-default-devtools.timeline';
/** Milliseconds of CPU time of the longest task: by the clock, a machine with other work has longer ones. */
const LONGEST_MS = 200;
/** Growth between the first third and the last: caches fill, and the heap is as large as it was when it was collected. */
const MOST_GROWTH = 1.1;
const MINUTE_MS = 60_000;

const minutes = Number(options(['minutes']).minutes ?? 60);
const host = await serve(DIST);
const { page, stop, version } = await startBrowser('chromium');
const session = await page.own.context().newCDPSession(page.own);
// A picture without a GPU is made on request only.
await page.goto(`${host.url}?pictures=now`);
const staying = { ...page, goto: async () => undefined };

say(`Chromium ${version}, ${minutes} minutes`);
const rounds = [];
const wrong = [];
const end = Date.now() + minutes * MINUTE_MS;
// The first round loads code.
for (let round = 0; round < 4 || Date.now() < end; round += 1) {
  await page.own.context().browser().startTracing(page.own, { categories: [TASKS] });
  for (const { name, check } of CHECKS.filter((each) => USES.includes(each.name))) {
    const said = await check(staying, host).catch((error) => error.message);
    const errors = await page.errors();
    for (const what of [said, ...errors].filter(Boolean)) wrong.push(`round ${round}, ${name}: ${what}`);
  }
  // The first round loads and compiles code.
  const long = await longTasks();
  for (const took of round > 0 ? long : []) wrong.push(`round ${round}: a task of ${took.toFixed(0)} ms`);
  const now = await held();
  if (round > 0) rounds.push(now);
  if (wrong.length > 0) console.log(`  ${wrong.slice(-5).join('\n  ')}`);
  console.log(`  round ${round}: ${Object.entries(now).map(([name, value]) => `${value} ${name}`).join(', ')}`);
}
await stop();
host.stop();

const third = Math.ceil(rounds.length / 3);
for (const name of Object.keys(rounds[0])) {
  const [first, last] = [rounds.slice(0, third), rounds.slice(-third)].map((part) => Math.min(...part.map((each) => each[name])));
  say(`${name}: ${first} in the first third, ${last} in the last`);
  if (last > first * MOST_GROWTH) wrong.push(`${name} grow from ${first} to ${last}`);
}
if (wrong.length > 0) fail(`${rounds.length + 1} rounds, and\n  ${wrong.join('\n  ')}`);
say(`${rounds.length + 1} rounds without an error, a task of more than ${LONGEST_MS} ms, or growth`);

/** Milliseconds of CPU time of the tasks in the page's thread that are too long, since tracing began. */
async function longTasks() {
  const { traceEvents } = JSON.parse(String(await page.own.context().browser().stopTracing()));
  const threads = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid, tdur = 0 }) => name === 'RunTask' && tdur > 1000 * LONGEST_MS && threads.has(`${pid} ${tid}`))
    .map(({ tdur }) => tdur / 1000);
}

/** What the page holds after a collection. */
async function held() {
  await session.send('HeapProfiler.collectGarbage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return { kilobytes: Math.round(usedSize / 1000), nodes, listeners: jsEventListeners, workers: page.own.workers().length };
}
