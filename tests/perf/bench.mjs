// `npm run bench`: how fast the built page opens large traces and moves around in them, and what that costs.
//
//   npm run bench -- [--only NAME] [--runs N] [--corpus] [--quick] [--renderer webgl2|canvas2d]
//
// Prints a table, and one of the decoders by themselves, and writes target/bench/result.json. Nothing here passes or
// fails: see docs/performance.md.

import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fail, findChromium, must, options, output, root, say } from '../../scripts/lib.mjs';
import { measure, plainRead, speedscopeOpens } from './browser.mjs';
import { convertTimes, GOALS } from './convert.mjs';
import { percentile } from './frames.mjs';
import { generated, prepareInputs } from './inputs.mjs';
import { asTraceEvents, nativeRates, nativeRead, peerFor, speedscope, timed } from './native.mjs';
import { serve } from './serve.mjs';
import { STATEMENTS, sqlRates } from './sql.mjs';
import { stepRates } from './steps.mjs';
import { markdown, spread, told } from './table.mjs';

/** @import { Finding, Listing, Measured, Moved } from './browser.mjs' */
/** @import { Input } from './inputs.mjs' */
/** @import { Spread } from './table.mjs' */
/** @typedef {Measured & { moved: Moved, records: Listing, found: Finding }} Opened */
/**
 * A run, with the comparisons. Times are in ms.
 *
 * @typedef {Opened & { pageRead: number, native: number | undefined, nativeRead: number, peer: number | undefined, load: number }} Run
 */
/** @typedef {{ events: number, speedscope: Spread | null, unspool: Spread | null, missing?: undefined }} Beside */
/** @typedef {{ name: string, bytes: number, peer: { what: string, missing: boolean } | undefined, runs: Run[] }} Result */

const MB = 1e6;
/** Few enough events for viewers with an object per event. */
const SMALL = { name: 'xray-small', format: 'xray', events: 400_000, ending: 'xray' };

const given = options(['only', 'runs', 'renderer'], ['corpus', 'quick']);
const runs = Number(given.runs ?? (given.quick ? 1 : 3));
if (!Number.isInteger(runs) || runs < 1) fail('--runs takes a number from 1 on.');
const chromium = /** @type {string} */ (findChromium());
if (!chromium) fail('Chromium is needed: run `node scripts/prepare.mjs test`.');

await must(process.execPath, ['scripts/build.mjs']);
await must('cargo', ['build', '--release', '--package', 'unspool-cli', '--features', 'parquet', '--locked']);
const unspool = join(root, 'target', 'release', process.platform === 'win32' ? 'unspool.exe' : 'unspool');
const inputs = await prepareInputs(unspool, given);

const machine = {
  date: new Date().toISOString(),
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memory: totalmem(),
  system: `${platform()} ${release()} ${arch()}`,
  load: loadavg().map((load) => Number(load.toFixed(2))),
  browser: output(chromium, ['--version']) ?? 'unknown',
  node: process.version,
  commit: output('git', ['rev-parse', '--short', 'HEAD']) ?? 'unknown',
};
const server = await serve('dist');
/** @type {Result[]} */
const results = [];
/** @type {Awaited<ReturnType<typeof sqlRates>>[]} */
const sql = [];
/** @type {Awaited<ReturnType<typeof convertTimes>>[]} */
const converted = [];
try {
  for (const input of inputs) results.push(await measured(input));
  for (let run = 1; !given.only && run <= runs; run += 1) {
    say(`SQL and conversions, run ${run} of ${runs}`);
    sql.push(await sqlRates(chromium, server.url, unspool, given.quick));
    converted.push(await convertTimes(unspool, given.quick));
  }
} finally {
  server.stop();
}
const beside = given.only ? null : await besideSpeedscope();

const folder = join(root, 'target', 'bench');
mkdirSync(folder, { recursive: true });
// The results of the page are written before the slower comparisons.
keep({});
report();
console.log('\nThe decoders by themselves, compiled for this machine, by divan:\n');
const rates = nativeRates(
  inputs.map(({ path }) => path),
  given.quick ? 1 : 5,
);
keep({ native: rates.medians });
console.log(rates.text);
if (given.corpus && !given.only) {
  const steps = await stepRates();
  keep({ native: rates.medians, steps });
  for (const { name, text } of steps) console.log(`\nThe access index of ${name}:\n\n${text}`);
}
console.log(`\nAll runs: target/bench/result.json`);

/** @param {object} more */
function keep(more) {
  const all = { machine, runs, results, sql, converted, beside, ...more };
  writeFileSync(join(folder, 'result.json'), `${JSON.stringify(all, null, 2)}\n`);
}

/**
 * All runs of an input, each in a new browser, alternating with the comparisons.
 *
 * @param {Input} input
 * @returns {Promise<Result>}
 */
async function measured({ name, path, bytes }) {
  /** @type {Run[]} */
  const each = [];
  const peer = peerFor(path, name);
  for (let run = 1; run <= runs; run += 1) {
    say(`${name}, run ${run} of ${runs}`);
    const how = { renderer: given.renderer, move: true };
    const opened = /** @type {Opened} */ (await measure(chromium, server.url, path, how));
    each.push({
      ...opened,
      pageRead: await plainRead(chromium, server.url, path),
      native: await timed(unspool, ['info', path]),
      nativeRead: nativeRead(path),
      peer: peer?.path ? await timed(peer.path, peer.args(path)) : undefined,
      load: loadavg()[0],
    });
  }
  return { name, bytes, peer: peer && { what: peer.what, missing: !peer.path }, runs: each };
}

/**
 * speedscope and this page on the same calls, each in its own format.
 *
 * @returns {Promise<Beside | { missing: string }>}
 */
async function besideSpeedscope() {
  const folderOf = speedscope();
  if (folderOf.page === undefined) return { missing: folderOf.missing };
  const xray = await generated(unspool, SMALL, false);
  const json = asTraceEvents(xray, `${xray}.json`);
  if (!json) return { missing: 'llvm-xray, which makes its input, is not here' };
  const theirs = await serve(folderOf.page);
  const ours = await serve('dist');
  /** @type {{ speedscope: number[], unspool: number[] }} */
  const times = { speedscope: [], unspool: [] };
  try {
    for (let run = 1; run <= runs; run += 1) {
      say(`speedscope, run ${run} of ${runs}`);
      times.speedscope.push(await speedscopeOpens(chromium, theirs.url, json));
      times.unspool.push((await measure(chromium, ours.url, xray, { move: false })).complete);
    }
  } finally {
    theirs.stop();
    ours.stop();
  }
  return { events: SMALL.events, speedscope: spread(times.speedscope), unspool: spread(times.unspool) };
}

function report() {
  const head = [
    'input',
    'MB',
    'events',
    'first picture ms',
    'complete ms',
    'M events/s',
    'MB/s',
    'peak memory MB',
    'bytes a slice',
    'frame work p50 ms',
    'p95 ms',
    'right picture ms',
    'statistics ms',
    'exact ms',
    'screen of records p95 ms',
    'all records ms',
    'find a name ms',
    'first hit ms',
    'find in records ms',
    'values of one variable, M points/s',
    'of two variables, M points/s',
    '× native',
    '× reading in page',
    'native read ms',
    'another reader ms',
  ];
  const rows = results.map(({ name, bytes, peer, runs: each }) => {
    /** @param {(run: Run) => number | undefined} value */
    const of = (value) => spread(each.map(value));
    /** @param {Run} run */
    const rightPicture = ({ moved }) => Math.max(...Object.values(moved.settled).map((ms) => ms ?? Number.NaN));
    return [
      name,
      told(spread([bytes / MB]), 1),
      told(spread([each[0].events])),
      told(of((run) => run.firstPicture)),
      told(of((run) => run.complete)),
      told(
        of((run) => run.events / run.complete / 1000),
        2,
      ),
      told(of((run) => bytes / MB / (run.complete / 1000))),
      told(of((run) => run.peak / MB)),
      told(
        // In a trace of mostly instants or samples, memory per slice has no meaning.
        of((run) => (4 * run.slices > run.events ? run.storeBytes / run.slices : Number.NaN)),
        1,
      ),
      told(
        of((run) => percentile(run.moved.work, 0.5)),
        1,
      ),
      told(
        of((run) => percentile(run.moved.work, 0.95)),
        1,
      ),
      told(of(rightPicture)),
      told(of(({ statistics }) => statistics?.first)),
      told(of(({ statistics }) => statistics?.exact)),
      told(
        of(({ records }) => percentile(records.jumps, 0.95)),
        1,
      ),
      told(of(({ records }) => records.pass ?? Number.NaN)),
      told(of(({ found }) => found.names?.page ?? Number.NaN)),
      told(of(({ found }) => found.records?.first ?? Number.NaN)),
      told(of(({ found }) => found.records?.all ?? Number.NaN)),
      told(
        of(({ events, found }) => events / (found.values.one ?? Number.NaN) / 1000),
        1,
      ),
      told(
        of(({ events, found }) => events / (found.values.two ?? Number.NaN) / 1000),
        1,
      ),
      told(
        of((run) => run.complete / (run.native ?? Number.NaN)),
        2,
      ),
      told(
        of((run) => run.complete / run.pageRead),
        1,
      ),
      told(of((run) => run.nativeRead)),
      peer && !peer.missing ? `${told(of((run) => run.peer))} ${peer.what}` : '–',
    ];
  });
  const { processor, cores, load, browser, system, node, commit, date } = machine;
  say(`${processor}, ${cores} cores, load ${load[0]} before and ${loadavg()[0].toFixed(2)} after, ${system}`);
  console.log(`${browser}, drawn by ${results[0]?.runs[0]?.renderer}, Node ${node}, commit ${commit}, ${date}`);
  console.log(`${runs} runs: median (least–greatest)\n`);
  console.log(markdown([head, ...rows]));
  const missing = new Set(results.filter(({ peer }) => peer?.missing).map(({ peer }) => peer?.what));
  for (const what of missing) console.log(`\nskipped: ${what} is not installed`);
  if (sql.length > 0) reportSql();
  if (converted.length > 0) reportConversions();
  if (beside?.missing !== undefined) console.log(`\nskipped: speedscope, ${beside.missing}`);
  else if (beside) {
    const { events, speedscope: theirs, unspool: ours } = beside;
    console.log(
      `\n${events.toLocaleString('en')} XRay records: speedscope ${told(theirs)} ms, Unspool ${told(ours)} ms`,
    );
  }
}

/** The rates of `unspool convert`, and that of llvm-xray. */
function reportConversions() {
  /** @param {(run: (typeof converted)[number]) => number | undefined} value */
  const rate = (value) => told(spread(converted.map((run) => run.slices / (value(run) ?? Number.NaN) / 1000)), 2);
  const rows = GOALS.map(([format, goal], i) => [format, rate((run) => run.each[i]), String(goal)]);
  rows.push(['llvm-xray convert -f trace_event', rate((run) => run.peer), '']);
  console.log(
    `\nConversions of ${told(spread(converted.map((run) => run.slices)))} slices, reading included, M slices/s\n`,
  );
  console.log(markdown([['to', 'M slices/s', 'goal'], ...rows]));
}

/** The times of statements, in the page and in SQLite itself. */
function reportSql() {
  const native = sql.flatMap((run) => run.native ?? []);
  /** @param {(run: (typeof sql)[number]) => number} value */
  const of = (value) => told(spread(sql.map(value)));
  /** @param {(run: (typeof native)[number]) => number} value */
  const ofNative = (value) => told(spread(native.map(value)));
  const rows = STATEMENTS.map((statement, i) => [
    statement,
    of((run) => run.each[i]),
    ofNative((run) => run.ours[i]),
    ofNative((run) => run.own[i]),
  ]);
  console.log(`\nSQL over ${told(spread(native.map((run) => run.rows)))} slices, ms\n`);
  console.log(markdown([['statement', 'in the page', 'SQLite over our pages', 'SQLite over its own table'], ...rows]));
  console.log(`\nThe first statement when nothing is loaded: ${of((run) => run.first)} ms in the page`);
}
