// What the page is compared with: the same decoder and store compiled for this machine, a plain read of the bytes, and
// other programs that open such files.

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { find, output, root } from '../../scripts/lib.mjs';

const SPEEDSCOPE = '1.25.0';
const BLOCK = 1024 * 1024;

/** Time in ms of a program that does all its work and prints little; undefined when it fails. */
export function timed(program, args) {
  return new Promise((done) => {
    const began = performance.now();
    const child = spawn(program, args, { stdio: 'ignore' });
    child.on('error', () => done(undefined));
    child.on('exit', (code) => done(code === 0 ? performance.now() - began : undefined));
  });
}

/** Time in ms to read a file and do nothing with it. */
export function nativeRead(path) {
  const began = performance.now();
  const file = openSync(path, 'r');
  const block = Buffer.alloc(BLOCK);
  while (readSync(file, block) > 0);
  closeSync(file);
  return performance.now() - began;
}

/**
 * Runs the bench of the decoders compiled for this machine over some files, each `samples` times. Answers what it
 * prints and the medians in it.
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

/** Of what divan prints, which it prints as a table alone. A time stands beside the input, rates in the lines below. */
function mediansOf(text) {
  const names = [];
  const medians = [];
  for (const line of text.split('\n')) {
    const median = line.split('│').at(-4)?.trim();
    const named = /[├╰]─ (\S+)/.exec(line);
    if (named) {
      const depth = named.index / 3;
      names.splice(depth, names.length, named[1]);
      if (!median || depth !== 2) continue;
      const [format, what, input] = names;
      medians.push({ format, what, input, ms: amount(median, 's') * 1000 });
    } else if (medians.length > 0 && median) {
      if (median.endsWith('B/s')) medians.at(-1).bytesPerSecond = amount(median, 'B/s');
      if (median.endsWith('item/s')) medians.at(-1).itemsPerSecond = amount(median, 'item/s');
    }
  }
  return medians;
}

/** `254.6 ms` of unit `s` as a number of these. */
function amount(text, unit) {
  const [number, prefixed] = text.split(' ');
  const scale = { p: 1e-12, n: 1e-9, µ: 1e-6, m: 1e-3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  return Number(number) * (scale[prefixed.slice(0, -unit.length)] ?? 1);
}

/** Programs that read a whole trace of a format, natively: `args` of a path. */
const READERS = [
  {
    program: 'llvm-xray',
    ending: '.xray',
    what: 'llvm-xray convert',
    args: (path) => ['convert', '-f', 'raw', path, '-o', '/dev/null'],
  },
  { program: 'apitrace', ending: '.trace', what: 'apitrace info', args: (path) => ['info', path] },
];

/** The reader of another project that takes this file, if it is installed. */
export function peerFor(path, name) {
  const reader = READERS.find(
    ({ ending, program }) => path.endsWith(ending) && (program !== 'apitrace' || /^apitrace/.test(name)),
  );
  if (!reader) return undefined;
  return { ...reader, path: find(reader.program) };
}

/** The folder of speedscope's page, brought by npm when it can be; else a sentence. */
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

/** XRay as the JSON that speedscope opens, by llvm-xray; undefined when that is not here. */
export function asTraceEvents(xray, json) {
  if (existsSync(json)) return json;
  const program = find('llvm-xray');
  if (!program) return undefined;
  output(program, ['convert', '-f', 'trace_event', xray, '-o', json]);
  return existsSync(json) ? json : undefined;
}
