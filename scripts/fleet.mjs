// `npm run fleet`: the questions of docs/fleet.md over 200 generated traces, in DuckDB and PySpark.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { environment, fail, must, root, say, windows } from './lib.mjs';

/**
 * Traces of each format: extension and number.
 *
 * @type {[format: string, extension: string, count: number][]}
 */
const TRACES = [
  ['xray', 'xray', 80],
  ['apitrace', 'trace', 40],
  ['frames', 'frames', 40],
  ['trace-db', 'points.trace', 40],
];
const EVENTS = 5000;
const PACKAGES = ['duckdb==2.0.0', 'pyspark==4.3.0'];

const folder = join(root, 'target', 'fleet');
const [traces, set] = ['traces', 'set'].map((name) => join(folder, name));
const unspool = join(root, 'target', 'release', windows ? 'unspool.exe' : 'unspool');
/** @type {(command: string, ...given: string[]) => string} */
const read = (command, ...given) => execFileSync(command, given, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });

await must('cargo', ['build', '--release', '--quiet', '--locked', '--package', 'unspool-cli', '--features', 'parquet']);
const python = await environment(join(folder, 'env'), PACKAGES);
const files = generated();
convert();
const answers = asked();
compare();

/** The traces, with their formats. Those of an earlier run are kept. */
function generated() {
  mkdirSync(traces, { recursive: true });
  return TRACES.flatMap(([format, extension, count]) =>
    Array.from({ length: count }, (_, index) => {
      const name = `${format}-${String(index + 1).padStart(3, '0')}.${extension}`;
      const path = join(traces, name);
      const events = ['--events', String(EVENTS), '--seed', String(index + 1)];
      if (!existsSync(path)) read(unspool, 'generate', format, ...events, '--output', path);
      return { format, name, path };
    }),
  );
}

function convert() {
  rmSync(set, { recursive: true, force: true });
  const began = performance.now();
  const inputs = files.map(({ path }) => path);
  const done = spawnSync(unspool, ['convert', ...inputs, '--to', 'parquet', '-o', set], { encoding: 'utf8' });
  const last = done.stderr.trimEnd().split('\n').at(-1);
  if (done.status !== 0) fail(done.stderr);
  say(`${last}, in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

/**
 * The answers of the engines: rows by question, each with its columns.
 *
 * @returns {any[][]}
 */
function asked() {
  const given = [join(root, 'scripts', 'fleet.py'), set, join(root, 'docs', 'fleet.md')];
  const done = spawnSync(python, given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.status !== 0) fail(`${done.stdout}\n${done.stderr}`);
  const lines = done.stdout.trimEnd().split('\n');
  const found = JSON.parse(/** @type {string} */ (lines.pop()));
  say(lines.join('\n').trim());
  return found;
}

/** Compares with what Unspool says of the traces one by one: `unspool stats`, and `unspool sql` of counters, which have no statistics. */
function compare() {
  const [functions, slow, draws, negative, addresses, longest] = answers;
  /** @type {Record<string, { calls: number, seconds: number }>} */
  const own = {};
  /** @type {Record<string, { calls: number, p99: number }>} */
  const at = {};
  /** @type {Record<string, number>} */
  const calls = {};
  for (const { format, name, path } of files) {
    if (format !== 'xray' && format !== 'frames') continue;
    const { clock } = JSON.parse(read(unspool, 'info', '--json', path));
    for (const it of JSON.parse(read(unspool, 'stats', '--json', path)).functions) {
      if (format === 'frames') {
        if (it.address !== null) calls[it.address] = (calls[it.address] ?? 0) + it.count;
        continue;
      }
      own[it.name] ??= { calls: 0, seconds: 0 };
      const sums = own[it.name];
      sums.calls += it.count;
      sums.seconds += it.self / Number(clock.frequency);
      if (it.name === '#3') at[name] = { calls: it.count, p99: it.p99 };
    }
  }
  for (const { name, calls: count, seconds } of functions) {
    equal(name, [count, seconds], [own[name]?.calls, own[name]?.seconds]);
  }
  const heaviest = Object.values(own).sort((a, b) => b.seconds - a.seconds);
  equal(
    'the heaviest functions',
    functions.map(({ seconds }) => seconds),
    heaviest.slice(0, functions.length).map(({ seconds }) => seconds),
  );
  for (const { trace, calls: count, p99 } of slow) equal(trace, [count, p99], [at[trace]?.calls, at[trace]?.p99]);
  for (const { address, calls: count } of addresses) equal(`0x${address.toString(16)}`, [count], [calls[address]]);
  say(
    `${functions.length} functions, ${slow.length} percentiles and ${addresses.length} addresses agree with unspool stats.`,
  );
  const frames = rows(
    'apitrace',
    "select value from named_counters where name = 'draw calls per frame' and value > 40",
  );
  frames.sort((a, b) => b.value - a.value);
  equal(
    'the frames with most draws',
    draws.map(({ draws: value }) => value),
    frames.slice(0, draws.length).map(({ value }) => value),
  );
  const variables = rows(
    'trace-db',
    "select name, min(value) as value, count(*) as negative from named_counters where name in ('i', 'sum') and value < 0 group by name",
  );
  for (const { trace, name, lowest, negative: count } of negative) {
    const found = variables.find((it) => it.trace === trace && it.name === name);
    equal(`${trace}: ${name}`, [lowest, count], [found?.value, found?.negative]);
  }
  const lengths = rows('xray', 'select max(dur) as dur from slices');
  equal(
    'the longest calls',
    longest.map(({ ticks }) => ticks),
    lengths
      .map(({ dur }) => dur)
      .sort((a, b) => b - a)
      .slice(0, longest.length),
  );
  say(`${draws.length} frames, ${negative.length} variables and ${longest.length} calls agree with unspool sql.`);
}

/**
 * The rows of a query over each trace of a format.
 *
 * @param {string} format
 * @param {string} query
 * @returns {any[]}
 */
function rows(format, query) {
  const of = files.filter((file) => file.format === format);
  return of.flatMap(({ name, path }) => {
    const lines = read(unspool, 'sql', '--json', path, query).split('\n').filter(Boolean);
    return lines.map((line) => ({ trace: name, ...JSON.parse(line) }));
  });
}

/**
 * Fails unless these numbers are the same, but for rounding.
 *
 * @param {string} what
 * @param {readonly number[]} found
 * @param {readonly (number | undefined)[]} expected
 */
function equal(what, found, expected) {
  const agree =
    found.length === expected.length &&
    found.every((value, i) => Math.abs(value - /** @type {number} */ (expected[i])) <= 1e-9 * Math.max(1, value));
  if (!agree) fail(`${what}: ${found} in the data set, ${expected} by Unspool`);
}
