// The comparisons: the same decoder and store as native code, a plain read of the bytes, and other programs.

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { find, output, root } from '../../scripts/lib.mjs';

/** @typedef {{ what: string, input: string, ms: number, bytesPerSecond?: number, itemsPerSecond?: number }} Median */
/** @typedef {{ program: string, ending: string, what: string, args: (path: string) => string[] }} Reader */

const SPEEDSCOPE = '1.25.0';
const BLOCK = 1024 * 1024;

/**
 * Time in ms of a program that does all its work and prints little; undefined if it fails.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<number | undefined>}
 */
export function timed(program, args) {
  return new Promise((done) => {
    const began = performance.now();
    const child = spawn(program, args, { stdio: 'ignore' });
    child.on('error', () => done(undefined));
    child.on('exit', (code) => done(code === 0 ? performance.now() - began : undefined));
  });
}

/**
 * Time in ms to read a file without processing it.
 *
 * @param {string} path
 */
export function nativeRead(path) {
  const began = performance.now();
  const file = openSync(path, 'r');
  const block = Buffer.alloc(BLOCK);
  while (readSync(file, block) > 0);
  closeSync(file);
  return performance.now() - began;
}

/**
 * Runs the native benchmark of the decoders over some files, each `samples` times. Returns its output and the medians.
 *
 * @param {readonly string[]} paths
 * @param {number} samples
 * @returns {{ text: string, medians: Median[] }}
 */
export function nativeRates(paths, samples) {
  const bench = ['bench', '--package', 'unspool-engine', '--bench', 'decoders', '--locked', '--quiet'];
  const ran = spawnSync('cargo', [...bench, '--', '--color', 'never', '--sample-count', String(samples)], {
    cwd: root,
    env: { ...process.env, UNSPOOL_BENCH_INPUTS: paths.join(delimiter) },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (ran.status !== 0) return { text: 'skipped: the decoders by themselves, whose bench failed', medians: [] };
  return { text: ran.stdout.trimEnd(), medians: mediansOf(ran.stdout) };
}

/**
 * Parses the table that divan prints. Times are on the line of the input, rates on the lines below.
 *
 * @param {string} text
 */
function mediansOf(text) {
  /** @type {string[]} */
  const names = [];
  /** @type {Median[]} */
  const medians = [];
  for (const line of text.split('\n')) {
    const median = line.split('│').at(-4)?.trim();
    const named = /[├╰]─ (\S+)/.exec(line);
    if (named) {
      const depth = named.index / 3;
      names.splice(depth, names.length, named[1]);
      if (!median || depth !== 1) continue;
      const [what, input] = names;
      medians.push({ what, input, ms: amount(median, 's') * 1000 });
    } else if (medians.length > 0 && median) {
      const last = medians[medians.length - 1];
      if (median.endsWith('B/s')) last.bytesPerSecond = amount(median, 'B/s');
      if (median.endsWith('item/s')) last.itemsPerSecond = amount(median, 'item/s');
    }
  }
  return medians;
}

/**
 * A number with a unit, such as `254.6 ms`, in the unit of these factors.
 *
 * @param {string} text
 * @param {string} unit
 */
function amount(text, unit) {
  const [number, prefixed] = text.split(' ');
  /** @type {Record<string, number>} */
  const scale = { p: 1e-12, n: 1e-9, µ: 1e-6, m: 1e-3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  return Number(number) * (scale[prefixed.slice(0, -unit.length)] ?? 1);
}

/**
 * Native programs that read a whole trace of a format: `args` of a path.
 *
 * @type {readonly Reader[]}
 */
const READERS = [
  {
    program: 'llvm-xray',
    ending: '.xray',
    what: 'llvm-xray convert',
    args: (path) => ['convert', '-f', 'raw', path, '-o', '/dev/null'],
  },
  { program: 'apitrace', ending: '.trace', what: 'apitrace info', args: (path) => ['info', path] },
];

/**
 * The installed program of another project that reads this file, if any.
 *
 * @param {string} path
 * @param {string} name
 */
export function peerFor(path, name) {
  const reader = READERS.find(
    ({ ending, program }) => path.endsWith(ending) && (program !== 'apitrace' || /^apitrace/.test(name)),
  );
  if (!reader) return undefined;
  return { ...reader, path: find(reader.program) };
}

/**
 * The folder of speedscope's page, installed by npm; a sentence if that fails.
 *
 * @returns {{ page: string, missing?: undefined } | { page?: undefined, missing: string }}
 */
export function speedscope() {
  const folder = join(root, 'target', 'bench', `speedscope-${SPEEDSCOPE}`);
  const page = join(folder, 'node_modules', 'speedscope', 'dist', 'release');
  if (existsSync(page)) return { page };
  mkdirSync(folder, { recursive: true });
  const brought = spawnSync(
    'npm',
    ['install', '--prefix', folder, '--no-audit', '--no-fund', `speedscope@${SPEEDSCOPE}`],
    {
      stdio: 'ignore',
    },
  );
  return brought.status === 0 && existsSync(page) ? { page } : { missing: 'npm could not bring it' };
}

/**
 * An XRay log as JSON for speedscope, converted by llvm-xray; undefined without llvm-xray.
 *
 * @param {string} xray
 * @param {string} json
 */
export function asTraceEvents(xray, json) {
  if (existsSync(json)) return json;
  const program = find('llvm-xray');
  if (!program) return undefined;
  output(program, ['convert', '-f', 'trace_event', xray, '-o', json]);
  return existsSync(json) ? json : undefined;
}
