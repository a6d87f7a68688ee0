// The access index of BAP frames: building it, its size, and questions at random places, natively. The page builds it in the same module.

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib.mjs';
import { recorded } from './inputs.mjs';

const CACHE = join(root, 'target', 'bench', 'corpus');
/** A recording of every operand of every instruction, and how often its frames are repeated: 5.5 million steps in 700 MB. */
const LOADS = join(root, '..', 'shared', 'corpus', 'frames', 'real-loads-stores.frames');
const TIMES = 311;

/** The lines of the measurement of each input. An input that cannot be made has a sentence instead. */
export async function stepRates() {
  /** @type {[name: string, make: () => Promise<string>][]} */
  const inputs = [
    ['frames-1GB.frames', () => recorded({ name: 'frames-1GB.frames' })],
    ['loads-stores-700MB.frames', async () => repeated(join(CACHE, 'loads-stores-700MB.frames'))],
  ];
  const results = [];
  for (const [name, make] of inputs) {
    if (!existsSync(LOADS)) {
      results.push({ name, text: 'skipped: the corpus is not beside the repository' });
      continue;
    }
    const run = [
      'run',
      '--release',
      '--quiet',
      '--locked',
      '--package',
      'unspool-access-index',
      '--example',
      'measure',
      '--',
    ];
    const ran = spawnSync('cargo', [...run, await make()], { cwd: root, encoding: 'utf8' });
    results.push({ name, text: ran.status === 0 ? ran.stdout.trimEnd() : `failed: ${ran.stderr}` });
  }
  return results;
}

/**
 * Makes a trace of the frames of {@link LOADS} over and over, without counts, as one that was written through a pipe.
 *
 * @param {string} path
 */
function repeated(path) {
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const file = readFileSync(LOADS);
  // After the header: the length of the meta frame, the meta frame, the frames, and at the offset in byte 40 the table of contents.
  const first = 56 + Number(file.readBigUInt64LE(48));
  const frames = file.subarray(first, Number(file.readBigUInt64LE(40)));
  const head = Buffer.from(file.subarray(0, first));
  head.fill(0, 32, 48);
  const part = `${path}.part`;
  const to = openSync(part, 'w');
  writeSync(to, head);
  for (let i = 0; i < TIMES; i += 1) writeSync(to, frames);
  closeSync(to);
  renameSync(part, path);
  return path;
}
