// `npm run soak`: uses everything of the page in Chromium for an hour, in one tab that is never reloaded.
//
//   node scripts/soak.mjs [--minutes N]
//
// Goes through the checks of scripts/browsers/checks.mjs and all panels over and over, with their digests, hits and bytes. Fails on an error,
// on a task of more than 200 ms of CPU time in the page's thread, and if the page holds more in the last third of the time than in the
// first: heap, memory of the process with the workers and their modules, nodes, listeners, workers, stored files. Needs an existing `dist`
// and `target/debug/unspool`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '../tests/perf/serve.mjs';
import { CHECKS, DIST, opened, SAMPLES, showTab } from './browsers/checks.mjs';
import { startBrowser } from './browsers/drivers.mjs';
import { fail, options, root, say } from './lib.mjs';

/** @import { Browser, Page } from '@playwright/test' */
/** @import { Check } from './browsers/checks.mjs' */
/**
 * An event of a trace of Chromium. Times are in microseconds.
 *
 * @typedef {{ name: string, pid: number, tid: number, ts: number, dur: number, tdur: number, args: { name?: string } }} TraceEvent
 */

const samples = join(root, 'web', 'public', 'samples');
const logs = ['threads.xray', 'events.xray'].map((name) => join(root, 'tests', 'fixtures', 'xray', name));
/**
 * The checks that need no other address, and what they leave out.
 *
 * @type {readonly Pick<Check, 'name' | 'check'>[]}
 */
const USES = [
  ...CHECKS.filter(({ name }) =>
    ['kinds', 'flame graph', 'find', 'sql', 'keyboard', 'notes', 'export', 'registers', 'state', 'picture'].includes(
      name,
    ),
  ),
  {
    name: 'panels',
    check: async (page) => {
      for (const sample of SAMPLES) {
        await opened(page, join(samples, sample));
        const tabs = await page.run(() =>
          [...document.querySelectorAll('[role=tab]')].map((it) => it.textContent.trim()),
        );
        for (const tab of tabs) {
          await showTab(page, tab);
          // Panels ask once they are there.
          await delay(100);
        }
        await page.run(() => /** @type {HTMLElement} */ (document.querySelector('.area')).focus());
        for (const key of 'wwwwdddsssssaaa') await page.press(key);
      }
      return '';
    },
  },
  {
    name: 'two traces',
    check: async (page) => {
      await own.setInputFiles('#file-input', logs);
      await page.until('the second', () => document.querySelectorAll('.side').length === 2);
      await page.until(
        'the tab',
        (name) => [...document.querySelectorAll('[role=tab]')].some((it) => it.textContent.startsWith(name)),
        'Differences',
      );
      await showTab(page, 'Differences');
      await page.until('the differences', () => document.querySelector('.difference-sentence')?.textContent !== '');
      return '';
    },
  },
];
/** The category of the events that have the time of each task. */
const TASKS = 'disabled-by-default-devtools.timeline';
/** Milliseconds of CPU time of the longest task: by the clock, a machine with other work has longer ones. */
const LONGEST_MS = 200;
/** Growth between the first third and the last: caches fill, and the heap is as large as it was when it was collected. */
const MOST_GROWTH = 1.1;
const MINUTE_MS = 60_000;
/** Milliseconds after which parts of the page that come later are there. */
const REST_MS = 3000;

const minutes = Number(options(['minutes']).minutes ?? 60);
const host = await serve(DIST);
const { page, stop, version } = await startBrowser('chromium');
const own = /** @type {Page} */ (page.own);
const engine = /** @type {Browser} */ (own.context().browser());
const session = await own.context().newCDPSession(own);
const processes = await engine.newBrowserCDPSession();
// A picture without a GPU is made on request only.
await page.goto(`${host.url}?pictures=now`);
const staying = { ...page, goto: async () => undefined };

say(`Chromium ${version}, ${minutes} minutes`);
/** @type {Record<string, number>[]} */
const rounds = [];
/** @type {string[]} */
const wrong = [];
const end = Date.now() + minutes * MINUTE_MS;
// The first round loads code.
for (let round = 0; round < 4 || Date.now() < end; round += 1) {
  await engine.startTracing(own, { categories: [TASKS] });
  const begun = [];
  for (const { name, check } of USES) {
    begun.push({ name, at: Number(process.hrtime.bigint() / 1000n) });
    const said = await check(staying, host).catch((error) => error.message);
    const errors = await page.errors();
    for (const what of [said, ...errors].filter(Boolean)) wrong.push(`round ${round}, ${name}: ${what}`);
  }
  // The first round loads and compiles code.
  const long = await longTasks();
  for (const { milliseconds, at, parts } of round > 0 ? long : []) {
    wrong.push(
      `round ${round}, ${begun.findLast((it) => it.at <= at)?.name}: a task of ${milliseconds.toFixed(0)} ms: ${parts}`,
    );
  }
  const now = await held();
  if (round > 0) rounds.push(now);
  if (wrong.length > 0) console.log(`  ${wrong.slice(-5).join('\n  ')}`);
  console.log(
    `  round ${round}: ${Object.entries(now)
      .map(([name, value]) => `${value} ${name}`)
      .join(', ')}`,
  );
}
await stop();
host.stop();

const third = Math.ceil(rounds.length / 3);
for (const name of Object.keys(rounds[0])) {
  const [first, last] = [rounds.slice(0, third), rounds.slice(-third)].map((part) =>
    Math.min(...part.map((each) => each[name])),
  );
  say(`${name}: ${first} in the first third, ${last} in the last`);
  if (last > first * MOST_GROWTH) wrong.push(`${name} grow from ${first} to ${last}`);
}
if (wrong.length > 0) fail(`${rounds.length + 1} rounds, and\n  ${wrong.join('\n  ')}`);
say(`${rounds.length + 1} rounds without an error, a task of more than ${LONGEST_MS} ms, or growth`);

/**
 * The tasks in the page's thread that are too long, since tracing began: CPU time, the microsecond of the clock of both processes, and what
 * took most of it.
 */
async function longTasks() {
  /** @type {{ traceEvents: TraceEvent[] }} */
  const { traceEvents } = JSON.parse(String(await engine.stopTracing()));
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  /** @param {TraceEvent} event */
  const isPage = ({ pid, tid, tdur = 0 }) => tdur > 1000 && threads.has(`${pid} ${tid}`);
  const events = traceEvents.filter(isPage);
  return events
    .filter(({ name, tdur }) => name === 'RunTask' && tdur > 1000 * LONGEST_MS)
    .map((task) => {
      const within = events.filter(
        ({ name, pid, ts }) => name !== 'RunTask' && pid === task.pid && ts >= task.ts && ts <= task.ts + task.dur,
      );
      const longest = within.sort((x, y) => y.tdur - x.tdur).slice(0, 3);
      const parts = longest.map(({ name, tdur }) => `${name} ${(tdur / 1000).toFixed(0)} ms`).join(', ');
      return { milliseconds: task.tdur / 1000, at: task.ts, parts };
    });
}

/** What the page holds after a collection, with one trace and its panels at rest. */
async function held() {
  await opened(page, logs[0]);
  await showTab(page, 'Functions');
  await delay(REST_MS);
  const kilobytes = await heap();
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return {
    'kB of heap': kilobytes,
    'MB of the process': await resident(),
    nodes,
    listeners: jsEventListeners,
    workers: own.workers().length,
    'objects of workers': await countOf('Worker'),
    'stored files': await page.run(storedFiles),
  };
}

/** Kilobytes of the heap without what the engine has compiled: that grows by 100 kB a round, as more functions are run often. */
async function heap() {
  /** @type {string[]} */
  const parts = [];
  /** @param {{ chunk: string }} part */
  const hear = ({ chunk }) => parts.push(chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', hear);
  await session.send('HeapProfiler.takeHeapSnapshot');
  session.off('HeapProfiler.addHeapSnapshotChunk', hear);
  const { snapshot, nodes } = JSON.parse(parts.join(''));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = ['type', 'self_size'].map((name) => fields.indexOf(name));
  const code = types[type].indexOf('code');
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) if (nodes[at + type] !== code) bytes += nodes[at + size];
  return Math.round(bytes / 1000);
}

/**
 * The number of objects of a class, also of those that are no longer used.
 *
 * @param {string} name
 * @returns {Promise<number>}
 */
async function countOf(name) {
  const objectGroup = 'counted';
  const { result } = await session.send('Runtime.evaluate', { expression: `${name}.prototype`, objectGroup });
  const { objects } = await session.send('Runtime.queryObjects', {
    prototypeObjectId: /** @type {string} */ (result.objectId),
    objectGroup,
  });
  const counted = await session.send('Runtime.callFunctionOn', {
    objectId: /** @type {string} */ (objects.objectId),
    functionDeclaration: 'function () { return this.length; }',
    returnByValue: true,
  });
  await session.send('Runtime.releaseObjectGroup', { objectGroup });
  return counted.result.value;
}

/** Megabytes of memory of the processes of pages. Only Linux tells. */
async function resident() {
  if (process.platform !== 'linux') return 0;
  const { processInfo } = await processes.send('SystemInfo.getProcessInfo');
  const kilobytes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      return Number(/** @type {RegExpExecArray} */ (/^VmRSS:\s+(\d+)/m.exec(status))[1]);
    });
  return Math.round(kilobytes.reduce((sum, it) => sum + it, 0) / 1000);
}

/** Runs in the page: the number of files in its storage. */
async function storedFiles() {
  /** @type {(folder: FileSystemDirectoryHandle) => Promise<number>} */
  const count = async (folder) => {
    let found = 0;
    for await (const entry of folder.values()) found += entry.kind === 'file' ? 1 : await count(entry);
    return found;
  };
  return count(await navigator.storage.getDirectory());
}
