// `node tests/perf/records.mjs A B [--tokens A B] [--runs N]`: what it costs to compare the records of two traces natively: a pass over all
// records of both, the whole comparison, by calls and exactly, its memory, and the time until the first difference is said. With `--tokens`,
// two files of numbers of four bytes are aligned by themselves, too. Needs Linux.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { must, output, root, say } from '../../scripts/lib.mjs';

const args = process.argv.slice(2);
const option = (name, count) => {
  const at = args.indexOf(name);
  return at < 0 ? [] : args.splice(at, count + 1).slice(1);
};
const tokens = option('--tokens', 2);
const runs = Number(option('--runs', 1)[0] ?? 5);
const [a, b] = args;
if (!b) throw new Error('Give two traces.');

const target = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'release');
const unspool = join(target, 'unspool');
await must('cargo', ['build', '--release', '--package', 'unspool-cli', '--features', 'parquet', '--locked']);
await must('cargo', ['build', '--release', '--package', 'unspool-engine', '--example', 'survey', '--locked']);
await must('cargo', ['build', '--release', '--package', 'unspool-compare', '--example', 'align', '--locked']);

say(`load ${loadavg()[0]?.toFixed(1)}`);
if (tokens.length === 2) say(`aligned: ${output(join(target, 'examples', 'align'), [...tokens, String(runs)])}`);
const passes = [];
const compared = { exactly: [], 'by calls': [] };
const first = [];
// One after the other in each run, so that the load is the same for all.
for (let run = 0; run < runs; run += 1) {
  passes.push(await timed(join(target, 'examples', 'survey'), [a, b]));
  compared.exactly.push(await timed(unspool, ['compare', a, b, '--records', '--exact', '--json']));
  compared['by calls'].push(await timed(unspool, ['compare', a, b, '--records', '--json']));
  first.push(await timed(unspool, ['compare', a, b, '--records'], true));
}
say(`all records of both read: ${spread(passes, 'ms')}`);
for (const [how, times] of Object.entries(compared)) {
  say(`compared ${how}: ${spread(times, 'ms')}, at most ${spread(times, 'kilobytes')}`);
}
say(`first difference said: ${spread(first, 'ms')}`);

/** The middle of what runs have taken, and its range. */
function spread(of, key) {
  const sorted = of.map((it) => it[key]).sort((x, y) => x - y);
  const [low, middle, high] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const text = (value) => (key === 'ms' ? (value / 1000).toFixed(2) : (value / 1000).toFixed(0));
  return `${text(middle)} ${key === 'ms' ? 's' : 'MB'} (${text(low)} to ${text(high)})`;
}

/** The most memory in kB that a process has taken; 0 once it has ended. */
function peakOf(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Runs a command to its end, or to its first output. The time that takes, and its peak memory. */
function timed(command, its, isFirst = false) {
  return new Promise((done, failed) => {
    const began = performance.now();
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
      done({ ms: ms || performance.now() - began, kilobytes });
    });
  });
}
