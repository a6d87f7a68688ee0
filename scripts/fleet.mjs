// `npm run fleet`: the questions of docs/fleet.md over 200 generated traces, in DuckDB and PySpark.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root, say } from './lib.mjs';

/** Traces of each format: extension and number. */
const TRACES = [
  ['xray', 'xray', 80],
  ['apitrace', 'trace', 40],
  ['frames', 'frames', 40],
  ['trace-db', 'points.trace', 40],
];
const EVENTS = 5000;

const folder = join(root, 'target', 'fleet');
const [traces, set, env] = ['traces', 'set', 'env'].map((name) => join(folder, name));
const unspool = join(root, 'target', 'release', process.platform === 'win32' ? 'unspool.exe' : 'unspool');
const python = join(env, 'bin', 'python');
const run = (command, ...given) => execFileSync(command, given, { stdio: 'inherit', cwd: root });
const read = (command, ...given) => execFileSync(command, given, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });

run('cargo', 'build', '--release', '--quiet', '--package', 'unspool-cli', '--features', 'parquet');
mkdirSync(traces, { recursive: true });
for (const [format, extension, count] of TRACES) {
  for (let seed = 1; seed <= count; seed += 1) {
    const file = join(traces, `${format}-${String(seed).padStart(3, '0')}.${extension}`);
    if (!existsSync(file)) {
      run(unspool, 'generate', format, '--events', String(EVENTS), '--seed', String(seed), '--output', file);
    }
  }
}
const files = readdirSync(traces).map((name) => join(traces, name));
const began = performance.now();
execFileSync(unspool, ['convert', ...files, '--to', 'parquet', '-o', set], { stdio: 'ignore' });
say(`${files.length} traces converted in ${((performance.now() - began) / 1000).toFixed(1)} s`);

if (!existsSync(python)) {
  run('python3', '-m', 'venv', env);
  run(python, '-m', 'pip', 'install', '--quiet', 'duckdb', 'pyspark');
}
const told = read(python, join(root, 'scripts', 'fleet.py'), set, join(root, 'docs', 'fleet.md'));
const lines = told.trimEnd().split('\n');
const found = JSON.parse(lines.pop());
say(lines.join('\n'));

const expected = {};
for (const file of files.filter((name) => name.endsWith('.xray'))) {
  for (const { name, count } of JSON.parse(read(unspool, 'stats', file, '--json')).functions) {
    expected[name] = (expected[name] ?? 0) + count;
  }
}
for (const [name, calls] of Object.entries(found)) {
  if (expected[name] !== calls) fail(`${name}: ${calls} calls in the data set, ${expected[name]} by unspool stats`);
}
say(`The calls of ${Object.keys(found).length} functions agree with unspool stats.`);
