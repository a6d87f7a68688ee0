// What is measured: traces that `unspool generate` makes, or recorded ones made large. A new format is one line in
// each.

import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail, must, root } from '../../scripts/lib.mjs';

/** The same seed gives the same bytes, so a file that is there is as good as a new one. */
const GENERATED = [
  { name: 'xray', format: 'xray', events: 8_000_000, ending: 'xray' },
  { name: 'xray-deep', format: 'xray', events: 4_000_000, ending: 'xray', more: ['--depth', '5000'] },
  { name: 'xray-threads', format: 'xray', events: 4_000_000, ending: 'xray', more: ['--threads', '2000'] },
  { name: 'apitrace', format: 'apitrace', events: 4_000_000, ending: 'trace' },
  { name: 'frames', format: 'frames', events: 1_000_000, ending: 'frames' },
  { name: 'trace-db', format: 'trace-db', events: 2_000_000, ending: 'trace' },
  { name: 'rvn', format: 'rvn', events: 2_000_000, ending: 'sqlite' },
];

/** Names that make_large.py knows. */
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

/** Makes what is missing and answers `{name, path, bytes}` for each input; `quick` takes a tenth of the events. */
export async function prepareInputs(unspool, { corpus, quick, only }) {
  const all = corpus ? CORPUS.map((name) => ({ name })) : GENERATED;
  const wanted = all.filter(({ name }) => !only || name === only);
  if (wanted.length === 0) fail(`--only takes one of ${all.map(({ name }) => name).join(', ')}.`);
  const made = [];
  for (const input of wanted) {
    const path = corpus ? await recorded(input) : await generated(unspool, input, quick);
    made.push({ name: input.name, path, bytes: statSync(path).size });
  }
  return made;
}

/** A generated trace of any size, in the cache. */
export async function generated(unspool, { name, format, events, ending, more = [] }, quick) {
  const folder = join(CACHE, 'generated');
  const count = quick ? Math.round(events / 10) : events;
  const path = join(folder, `${name}-${count}.${ending}`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  // Renamed when it is whole: what was interrupted is not taken for an input.
  const part = `${path}.part`;
  await must(unspool, ['generate', format, '--events', String(count), ...more, '-o', part]);
  renameSync(part, path);
  return path;
}

async function recorded({ name }) {
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
