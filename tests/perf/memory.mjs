// `node tests/perf/memory.mjs [GIGABYTES]`: the peak memory of native commands that read a large XRay log, 10 GB unless
// told, beside the memory that was free. Needs Linux, and disk for the log and for slices that are moved to a file.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must, root, say } from '../../scripts/lib.mjs';

/** Bytes that `unspool generate` writes for a record of an XRay log. */
const RECORD = 8.2;

const gigabytes = Number(process.argv[2] ?? 10);
const unspool = join(root, 'target', 'release', 'unspool');
await must('cargo', ['build', '--release', '--package', 'unspool-cli', '--locked']);
const directory = mkdtempSync(join(tmpdir(), 'unspool-memory-'));
try {
  const log = join(directory, 'large.xray');
  const records = String(Math.round((gigabytes * 1e9) / RECORD));
  await must(unspool, ['generate', 'xray', '--events', records, '-o', log]);
  say(`${(statSync(log).size / 1e9).toFixed(1)} GB of log`);
  for (const command of ['info', 'stats']) {
    const free = kilobytes('/proc/meminfo', 'MemAvailable') ?? Number.NaN;
    const began = performance.now();
    const peak = await peakOf([command, log]);
    const took = ((performance.now() - began) / 1000).toFixed(0);
    const share = ((100 * peak) / free).toFixed(0);
    say(
      `${command}: ${(peak / 1e6).toFixed(2)} GB, ${share} % of the ${(free / 1e6).toFixed(1)} GB that were free, in ${took} s`,
    );
  }
} finally {
  rmSync(directory, { recursive: true });
}

/**
 * The most memory in kB that a command has taken.
 *
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
function peakOf(args) {
  return new Promise((done, failed) => {
    const child = spawn(unspool, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    let peak = 0;
    // The system counts the peak, so looking twice a second misses what the last half second adds.
    const timer = setInterval(() => {
      peak = kilobytes(`/proc/${child.pid}/status`, 'VmHWM') ?? peak;
    }, 500);
    child.on('exit', (code) => {
      clearInterval(timer);
      if (code === 0) done(peak);
      else failed(new Error(`${args[0]} failed with status ${code}`));
    });
  });
}

/**
 * A line of a file of the system. Undefined without one, as after the end of a process.
 *
 * @param {string} path
 * @param {string} field
 */
function kilobytes(path, field) {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(path, 'utf8'));
  return found ? Number(found[1]) : undefined;
}
