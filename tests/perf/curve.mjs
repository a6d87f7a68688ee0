// What traces of 1 million to 1 billion slices cost in the built page, from opening to SQL.
//
//   node tests/perf/curve.mjs [--millions 1,10,100,1000] [--runs N] [FILE …]
//
// Without files, XRay logs of that many millions of slices are generated one after the other and deleted: 1 billion take 17 GB. The
// page's private file system is on disk, in a profile that is deleted, too. Prints a table, and writes target/bench/curve.json. Needs
// the built page (`npm run build`), the native command (`cargo build --release -p unspool-cli`), and Linux, for the memory of processes.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, findChromium, must, root, say } from '../../scripts/lib.mjs';
import { answering, choose, exactOf, moving, openingOf, startOnDisk } from './browser.mjs';
import { finding } from './finding.mjs';
import { percentile } from './frames.mjs';
import { views } from './gestures.mjs';
import { serve } from './serve.mjs';
import { asked, STATEMENTS } from './sql.mjs';
import { markdown, spread, told } from './table.mjs';

/** @import { Page } from '@playwright/test' */
/** @import { Search } from './finding.mjs' */
/** @import { Asked } from './sql.mjs' */
/**
 * One run. Times are in ms, memory in bytes. What failed or took too long is not there.
 *
 * @typedef {object} Run
 * @property {number} firstPicture
 * @property {number} complete
 * @property {number} slices
 * @property {number} storeBytes
 * @property {boolean} isPart
 * @property {number} loaded
 * @property {{ count: number, p50: number, p95: number, worst: number }} [views]
 * @property {{ p50: number, p95: number, right: number }} [frames]
 * @property {{ first: number, exact: number, slices: number }} [whole]
 * @property {{ first: number, exact: number, slices: number }} [percent]
 * @property {Asked} [sql]
 * @property {Search | null} [find]
 * @property {{ all: number, renderer: number }} most
 * @property {number[]} load
 */
/** @typedef {{ pid: string, parent: string, isRoot: boolean, resident: number, shared: () => number }} Process */
/** @typedef {'views' | 'frames' | 'whole' | 'percent' | 'sql' | 'find'} Step */

const OPEN_MS = 900_000;
/** Time between two looks at the memory of all processes. */
const LOOK_MS = 500;
/** A browser that begins a profile on disk has work for some seconds. */
const BEGINNING_MS = 5000;
const ROUNDS = 6;
/** The page refuses SQL over more rows than this, and over those that it has no memory for: of larger logs it is asked about a range. */
const MOST_ASKED = 10e6;
const RANGES = 9;
const GB = 1e9;

const { values: given, positionals: files } = parseArgs({
  options: { millions: { type: 'string', default: '1,10,100,1000' }, runs: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const chromium = /** @type {string} */ (findChromium());
if (!chromium) fail('Chromium is needed: run `node scripts/prepare.mjs test`.');
const folder = join(root, 'target', 'bench');
mkdirSync(folder, { recursive: true });
const server = await serve('dist');
/** @type {{ name: string, bytes: number, runs: Run[] }[]} */
const rows = [];
try {
  for (const path of files) await measured(path);
  if (files.length === 0) for (const millions of given.millions.split(',')) await generated(Number(millions));
} finally {
  server.stop();
}
report();

/**
 * Two records are a slice.
 *
 * @param {number} millions
 */
async function generated(millions) {
  const path = join(folder, `curve-${millions}M.xray`);
  try {
    const unspool = join(root, 'target', 'release', 'unspool');
    await must(unspool, ['generate', 'xray', '--events', String(millions * 2e6), '-o', path]);
    await measured(path);
  } finally {
    rmSync(path, { force: true });
  }
}

/** @param {string} path */
async function measured(path) {
  /** @type {Run[]} */
  const runs = [];
  for (let run = 0; run < Number(given.runs); run += 1) {
    const profile = mkdtempSync(join(folder, 'profile-'));
    try {
      runs.push(await inPage(path, profile));
    } finally {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    }
    say(`${basename(path)}: ${JSON.stringify(runs.at(-1))}`);
  }
  rows.push({ name: basename(path), bytes: statSync(path).size, runs });
  writeFileSync(join(folder, 'curve.json'), `${JSON.stringify(rows, null, 2)}\n`);
}

/**
 * One run in a new browser. What fails or takes too long is left out.
 *
 * @param {string} path
 * @param {string} profile
 * @returns {Promise<Run>}
 */
async function inPage(path, profile) {
  const started = await startOnDisk(chromium, server.url, profile);
  const { page, client, close } = started;
  const most = { all: 0, renderer: 0 };
  const look = () => {
    const processes = processesOf(profile);
    const renderer = Math.max(0, ...processes.map(({ resident }) => resident));
    most.all = Math.max(
      most.all,
      processes.reduce((sum, { shared }) => sum + shared, 0),
    );
    most.renderer = Math.max(most.renderer, renderer);
    return renderer;
  };
  const timer = setInterval(look, LOOK_MS);
  const load = [loadavg()[0]];
  try {
    await page.waitForTimeout(BEGINNING_MS);
    await choose(client, path);
    const isOver = () => ['ready', 'failed'].includes(/** @type {string} */ (document.body.dataset['state']));
    await page.waitForFunction(isOver, null, { timeout: OPEN_MS, polling: 250 });
    const opened = await page.evaluate(openingOf);
    if (opened.state === 'failed') throw new Error(`${path} could not be opened: ${opened.text}`);
    const { firstPicture, complete, slices, storeBytes } = opened;
    const part = await page.getByRole('button', { name: /% of the file/ }).count();
    /** @type {Omit<Run, 'most' | 'load'>} */
    const run = { firstPicture, complete, slices, storeBytes, isPart: part > 0, loaded: look() };
    say(`opened: ${JSON.stringify(run)}`);
    /** @type {<Name extends Step>(name: Name, of: () => Promise<Run[Name]>) => Promise<void>} */
    const step = async (name, of) => {
      /** @type {Partial<Record<Step, unknown>>} */ (run)[name] = await of().catch((error) => {
        say(`${name}: ${String(error).slice(0, 200)}`);
        return undefined;
      });
      say(`${name}: ${JSON.stringify(run[name])}`);
    };
    await step('views', async () => {
      const times = await views(page, client, ROUNDS);
      /** @param {number} share */
      const at = (share) => percentile(times, share);
      return { count: times.length, p50: at(0.5), p95: at(0.95), worst: times.at(-1) ?? Number.NaN };
    });
    await step('frames', async () => {
      const { work, settled } = await moving(started);
      const right = Math.max(...Object.values(settled).map((ms) => ms ?? Number.NaN));
      return { p50: percentile(work, 0.5), p95: percentile(work, 0.95), right };
    });
    await page.keyboard.press('0');
    await step('whole', () => answering(page));
    await step('percent', async () => {
      await drag(page, 0.01);
      return exactOf(page, slices / 2);
    });
    await page.keyboard.press('Escape');
    await step('sql', () => (slices > MOST_ASKED ? askedOfRange(page, (0.85 * MOST_ASKED) / slices) : asked(page)));
    await page.locator('.area').focus();
    await page.keyboard.press('Escape');
    // The title says which records to search: those are not of interest here.
    await step('find', async () => (await finding(page, '', slices)).names);
    load.push(loadavg()[0]);
    return { ...run, most, load };
  } finally {
    clearInterval(timer);
    await close();
  }
}

/**
 * Of a range of about a share of the timeline, or of a part of it as often as the page refuses that.
 *
 * @param {Page} page
 * @param {number} share
 */
async function askedOfRange(page, share) {
  for (let range = 0; ; range += 1) {
    await drag(page, share);
    try {
      return await asked(page);
    } catch (error) {
      say(String(error));
      if (range + 1 >= RANGES) throw error;
    }
    await page.locator('.area').focus();
    await page.keyboard.press('Escape');
    // What is wide enough to be dragged over is short then.
    await page.keyboard.press('w');
  }
}

/**
 * Selects a range of a share of the timeline.
 *
 * @param {Page} page
 * @param {number} share
 */
async function drag(page, share) {
  const area = page.locator('.area');
  const { x, y, width } = /** @type {{ x: number, y: number, width: number }} */ (await area.boundingBox());
  const from = x + 0.4 * width;
  await page.mouse.move(from, y + 60);
  await page.keyboard.down('Shift');
  await page.mouse.down();
  await page.mouse.move(from + width * share, y + 80, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
}

/**
 * The processes of the browser with a profile, of which the page's is the largest: their bytes in memory, and those with what is shared counted once.
 *
 * @param {string} profile
 */
function processesOf(profile) {
  /** @type {Map<string, Process>} */
  const all = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      /** @param {string} name */
      const read = (name) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
      /** @type {(text: string, field: string) => number} */
      const bytes = (text, field) => 1024 * Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
      const status = read('status');
      all.set(pid, {
        pid,
        parent: /** @type {RegExpExecArray} */ (/^PPid:\s+(\d+)/m.exec(status))[1],
        isRoot: read('cmdline').includes(`--user-data-dir=${profile}`),
        resident: bytes(status, 'VmRSS'),
        shared: () => bytes(read('smaps_rollup'), 'Pss'),
      });
    } catch {
      // It has ended.
    }
  }
  /** @type {(it: Process | undefined) => boolean} */
  const isOurs = (it) => it !== undefined && (it.isRoot || isOurs(all.get(it.parent)));
  return [...all.values()].filter(isOurs).flatMap((it) => {
    try {
      return [{ ...it, shared: it.shared() }];
    } catch {
      return [];
    }
  });
}

function report() {
  const head = [
    'input',
    'GB',
    'M slices',
    'first picture ms',
    'complete s',
    'renderer when loaded GB',
    'renderer at most GB',
  ];
  head.push('all processes at most GB', 'frame work p50 ms', 'p95 ms', 'right picture p50 ms', 'p95 ms', 'functions s');
  head.push(
    'functions of 1 % s',
    'find a name s',
    'SQL, first answer s',
    'of M slices',
    ...STATEMENTS.map((statement) => `\`${statement}\` s`),
    'load',
  );
  /** @param {number | undefined} ms */
  const seconds = (ms) => (ms ?? Number.NaN) / 1000;
  const lines = rows.map(({ name, bytes, runs }) => {
    /** @type {(value: (run: Run) => number | undefined, digits?: number) => string} */
    const of = (value, digits = 2) => told(spread(runs.map((run) => value(run) ?? Number.NaN)), digits);
    return [
      name,
      (bytes / GB).toFixed(2),
      of((run) => run.slices / 1e6, 1),
      of((run) => run.firstPicture, 0),
      of((run) => run.complete / 1000),
      of((run) => run.loaded / GB),
      of((run) => run.most.renderer / GB),
      of((run) => run.most.all / GB),
      of((run) => run.frames?.p50, 1),
      of((run) => run.frames?.p95, 1),
      of((run) => run.views?.p50, 0),
      of((run) => run.views?.p95, 0),
      of((run) => seconds(run.whole?.exact)),
      of((run) => seconds(run.percent?.exact)),
      of((run) => seconds(run.find?.page)),
      of((run) => seconds(run.sql?.first)),
      of((run) => (run.sql?.rows ?? Number.NaN) / 1e6, 1),
      ...STATEMENTS.map((_, i) => of((run) => seconds(run.sql?.each[i]))),
      of((run) => run.load[0], 1),
    ];
  });
  console.log(markdown([head, ...lines]));
}
