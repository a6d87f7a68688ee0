// The inputs of the benchmark: traces from `unspool generate`, or enlarged recordings. A new format is a line in
// `GENERATED`.

import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail, must, root } from '../../scripts/lib.mjs';

/** @typedef {{ name: string, format: string, events: number, ending: string, more?: string[] }} Generated */
/** @typedef {{ name: string, path: string, bytes: number }} Input */

/**
 * The generator is deterministic, so an existing file is reused.
 *
 * @type {readonly Generated[]}
 */
const GENERATED = [
  { name: 'xray', format: 'xray', events: 8_000_000, ending: 'xray' },
  { name: 'xray-deep', format: 'xray', events: 4_000_000, ending: 'xray', more: ['--depth', '5000'] },
  { name: 'xray-threads', format: 'xray', events: 4_000_000, ending: 'xray', more: ['--threads', '2000'] },
  { name: 'apitrace', format: 'apitrace', events: 4_000_000, ending: 'trace' },
  { name: 'frames', format: 'frames', events: 1_000_000, ending: 'frames' },
  { name: 'trace-db', format: 'trace-db', events: 2_000_000, ending: 'trace' },
  { name: 'rvn', format: 'rvn', events: 2_000_000, ending: 'sqlite' },
];

/** Names of inputs in make_large.py. */
const CORPUS = [
  'xray-20MB.xray',
  'xray-536MB.xray',
  'apitrace-bulk.trace',
  'apitrace-glmark2.trace',
  'frames-300MB.frames',
  'frames-1GB.frames',
  'tracedb-300MB.trace',
  'rvn-1GB.sqlite',
];

const CACHE = join(root, 'target', 'bench');
const MAKER = join(root, '..', 'shared', 'check', 'make_large.py');

/**
 * Makes the missing inputs. `quick` reduces the events to a tenth.
 *
 * @param {string} unspool
 * @param {{ corpus?: boolean, quick?: boolean, only?: string }} given
 */
export async function prepareInputs(unspool, { corpus, quick, only }) {
  const all = corpus ? CORPUS.map((name) => ({ name })) : GENERATED;
  const wanted = all.filter(({ name }) => !only || name === only);
  if (wanted.length === 0) fail(`--only takes one of ${all.map(({ name }) => name).join(', ')}.`);
  /** @type {Input[]} */
  const made = [];
  for (const input of wanted) {
    const path = 'format' in input ? await generated(unspool, input, quick) : await recorded(input);
    made.push({ name: input.name, path, bytes: statSync(path).size });
  }
  return made;
}

/**
 * The path of a generated trace in the cache.
 *
 * @param {string} unspool
 * @param {Generated} input
 * @param {boolean} [quick]
 */
export async function generated(unspool, { name, format, events, ending, more = [] }, quick) {
  const folder = join(CACHE, 'generated');
  const count = quick ? Math.round(events / 10) : events;
  const path = join(folder, `${name}-${count}.${ending}`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  // The rename comes last, so that an interrupted run leaves no partial input.
  const part = `${path}.part`;
  await must(unspool, ['generate', format, '--events', String(count), ...more, '-o', part]);
  renameSync(part, path);
  return path;
}

/**
 * The path of an enlarged recording in the cache.
 *
 * @param {{ name: string }} input
 */
export async function recorded({ name }) {
  const folder = join(CACHE, 'corpus');
  const path = join(folder, name);
  if (existsSync(path)) return path;
  if (!existsSync(MAKER)) fail(`--corpus needs ${MAKER} and the corpus beside it.`);
  mkdirSync(folder, { recursive: true });
  const part = join(CACHE, 'part');
  await must('python3', [MAKER, part, name]);
  renameSync(join(part, name), path);
  return path;
}
