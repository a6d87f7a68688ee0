// `node tests/perf/records.mjs A B [--tokens A B] [--runs N] [--page]`: what it costs to compare the records of two traces natively: a pass
// over all records of both, the whole comparison, by calls and exactly, its memory, and the time until the first difference is said. With
// `--tokens`, two files of numbers of four bytes are aligned by themselves, too. With `--page`, the same in the built page (`npm run build`)
// and nothing natively. Processor time is that of all threads of a process. Needs Linux.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findChromium, must, output, root, say } from '../../scripts/lib.mjs';
import { choose, forgetPeak, memoryOf, rendererOf, startPage } from './browser.mjs';
import { serve } from './serve.mjs';

/** @typedef {{ ms: number, kilobytes: number, work: number }} Taken What a command has taken. */
/** @typedef {{ first: number, aligned: number, compared: number, records: number, other: number, all: number }} Found In the page. */

const OPEN_MS = 300_000;

const args = process.argv.slice(2);
/** @type {(name: string, count: number) => string[]} */
const option = (name, count) => {
  const at = args.indexOf(name);
  return at < 0 ? [] : args.splice(at, count + 1).slice(1);
};
const tokens = option('--tokens', 2);
const runs = Number(option('--runs', 1)[0] ?? 5);
const isPage = args.includes('--page');
const [a, b] = args.filter((arg) => arg !== '--page');
if (!b) throw new Error('Give two traces.');
if (isPage) {
  await inPage();
  process.exit();
}

const target = join(process.env['CARGO_TARGET_DIR'] ?? join(root, 'target'), 'release');
const unspool = join(target, 'unspool');
await must('cargo', ['build', '--release', '--package', 'unspool-cli', '--features', 'parquet', '--locked']);
await must('cargo', ['build', '--release', '--package', 'unspool-engine', '--example', 'survey', '--locked']);
await must('cargo', ['build', '--release', '--package', 'unspool-compare', '--example', 'align', '--locked']);

say(`load ${loadavg()[0]?.toFixed(1)}`);
if (tokens.length === 2) say(`aligned: ${output(join(target, 'examples', 'align'), [...tokens, String(runs)])}`);
/** @type {Taken[]} */
const passes = [];
/** @type {Record<'exactly' | 'by calls', Taken[]>} */
const compared = { exactly: [], 'by calls': [] };
/** @type {Taken[]} */
const first = [];
// One after the other in each run, so that the load is the same for all.
for (let run = 0; run < runs; run += 1) {
  passes.push(await timed(join(target, 'examples', 'survey'), [a, b]));
  compared.exactly.push(await timed(unspool, ['compare', a, b, '--records', '--exact', '--json']));
  compared['by calls'].push(await timed(unspool, ['compare', a, b, '--records', '--json']));
  first.push(await timed(unspool, ['compare', a, b, '--records'], true));
}
say(`all records of both read: ${spread(passes, 'ms')}, ${spread(passes, 'work')} of a processor`);
for (const [how, times] of Object.entries(compared)) {
  say(`compared ${how}: ${spread(times, 'ms')}, ${spread(times, 'work')}, at most ${spread(times, 'kilobytes', true)}`);
}
say(`first difference said: ${spread(first, 'ms')}`);

/**
 * The middle of what runs have taken, and its range: times in ms, or sizes in kB.
 *
 * @template {string} Key
 * @param {readonly Record<Key, number>[]} of
 * @param {Key} key
 */
function spread(of, key, isSize = false) {
  const sorted = of.map((it) => it[key]).sort((x, y) => x - y);
  const [low, middle, high] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted[sorted.length - 1]];
  /** @param {number} value */
  const text = (value) => (value / 1000).toFixed(isSize ? 0 : 2);
  return `${text(middle)} ${isSize ? 'MB' : 's'} (${text(low)} to ${text(high)})`;
}

/** Processor time in ms of the commands that have ended, by Linux' account of this process' children. */
function workOfChildren() {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  // `cutime` and `cstime`, in hundredths of a second.
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** Opens both in the page, compares their records, and reads how long that took there. */
async function inPage() {
  const chromium = findChromium();
  if (!chromium) throw new Error('Chromium is needed: run `node scripts/prepare.mjs test`.');
  const server = await serve('dist');
  /** @type {Found[]} */
  const found = [];
  say(`load ${loadavg()[0]?.toFixed(1)}`);
  try {
    for (let run = 0; run < runs; run += 1) {
      const { browser, page, client, close } = await startPage(chromium, server.url);
      try {
        const pid = await rendererOf(browser, page);
        await choose(client, [a, b]);
        const isRead = () => performance.getEntriesByName('unspool:complete').length >= 2;
        await page.waitForFunction(isRead, null, { timeout: OPEN_MS, polling: 50 });
        // Both readers give back what only loading needs, and others go on: those of an apitrace read all that its calls mean.
        await quiet(pid);
        const before = memoryOf(pid).now;
        forgetPeak(pid);
        await page.getByRole('tab', { name: 'Differences' }).click();
        // The tab begins with functions, and, of apitraces, with resources and findings.
        await quiet(pid);
        const other = memoryOf(pid);
        forgetPeak(pid);
        await page.locator('.differences').getByRole('radio', { name: 'Records' }).click();
        const isCompared = () => performance.getEntriesByName('unspool:records-compared').length > 0;
        await page.waitForFunction(isCompared, null, { timeout: OPEN_MS, polling: 50 });
        /** @param {string} what */
        const took = (what) => performance.getEntriesByName(`unspool:records-${what}`)[0]?.duration ?? Number.NaN;
        const [first, aligned, compared] = [
          await page.evaluate(took, 'first'),
          await page.evaluate(took, 'aligned'),
          await page.evaluate(took, 'compared'),
        ];
        const { peak } = memoryOf(pid);
        const all = Math.max(peak, other.peak) - before;
        const sizes = { records: (peak - other.now) / 1000, other: (other.peak - before) / 1000, all: all / 1000 };
        found.push({ first, aligned, compared, ...sizes });
      } finally {
        await close();
      }
    }
  } finally {
    server.stop();
  }
  for (const [key, says] of /** @type {const} */ ([
    ['first', 'first difference shown'],
    ['aligned', 'aligned'],
    ['compared', 'compared'],
  ])) {
    say(`${says}: ${spread(found, key)}`);
  }
  say(`memory beyond both traces, for records: ${spread(found, 'records', true)}`);
  say(
    `memory beyond both traces, for functions, and resources and findings of apitraces: ${spread(found, 'other', true)}`,
  );
  say(`memory beyond both traces, in all: ${spread(found, 'all', true)}`);
}

/**
 * Resolves once a process has had next to nothing to do for a second.
 *
 * @param {number} pid
 */
async function quiet(pid) {
  const work = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  for (let before = Number.NaN; ; ) {
    const now = work();
    // In hundredths of a second.
    if (now - before < 5) return;
    before = now;
    await sleep(1000);
  }
}

/**
 * The most memory in kB that a process has taken; 0 once it has ended.
 *
 * @param {number | undefined} pid
 */
function peakOf(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/**
 * Runs a command to its end, or to its first output. The time that takes, and its peak memory.
 *
 * @param {string} command
 * @param {readonly string[]} its
 * @returns {Promise<Taken>}
 */
function timed(command, its, isFirst = false) {
  return new Promise((done, failed) => {
    const began = performance.now();
    const before = workOfChildren();
    const child = spawn(command, its, { stdio: ['ignore', 'pipe', 'ignore'] });
    let [ms, kilobytes] = [0, 0];
    const timer = setInterval(() => {
      kilobytes = Math.max(kilobytes, peakOf(child.pid));
    }, 20);
    child.stdout.on('data', () => {
      if (!isFirst || ms > 0) return;
      ms = performance.now() - began;
      child.kill();
    });
    child.on('error', failed);
    child.on('exit', () => {
      clearInterval(timer);
      done({ ms: ms || performance.now() - began, kilobytes, work: workOfChildren() - before });
    });
  });
}
