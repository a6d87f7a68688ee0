// Compares what two builds make of OpenGL: states, frames, findings, resources, texels and the commands of the replay.
//
//   node scripts/net.mjs store|check [--file TEXT]
//
// `store` keeps in target/net what this checkout makes of the traces of the fixtures and of the corpus of real traces, `check`
// compares with that. --file takes only traces whose path contains a text. Prints the first line that differs of each trace; exit
// status 1 if one differs. `net_graphics FILE --at CALL` prints a state in full. Pictures are what WebGL2 makes of the commands, so equal
// commands are equal pictures.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fail, find, root, say } from './lib.mjs';

const [what, ...rest] = process.argv.slice(2);
const only = rest.includes('--file') ? rest[rest.indexOf('--file') + 1] : '';
if (!['store', 'check'].includes(what)) fail('Usage: node scripts/net.mjs store|check [--file TEXT]');
const kept = join(root, 'target', 'net');
const corpus = join(root, '..', 'shared', 'corpus');
mkdirSync(kept, { recursive: true });
/** What prints them, and the seconds that it may take for a trace. */
const PROGRAMS = ['net_graphics', 'net_replay'];
const SECONDS = 300;

const build = [
  'build',
  '--release',
  '-p',
  'unspool-graphics',
  '-p',
  'unspool-replay',
  ...PROGRAMS.flatMap((name) => ['--example', name]),
];
execFileSync('cargo', [...build, '-q'], { cwd: root, stdio: 'inherit' });

const traces = [join(root, 'tests', 'fixtures'), corpus]
  .filter(existsSync)
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.trace') && !/trace[-_]db|hostile/.test(path) && path.includes(only));
const compressed = join(corpus, 'apitrace', 'large', 'glmark2.trace.zst');
if (existsSync(compressed) && find('zstd') && compressed.includes(only)) {
  const path = join(kept, 'glmark2.trace');
  if (!existsSync(path)) execFileSync('zstd', ['-dq', compressed, '-o', path]);
  traces.push(path);
}

let [same, different] = [0, 0];
for (const path of traces.sort()) {
  for (const program of PROGRAMS) compare(path, program, answerOf(path, program));
}
say(what === 'store' ? `${same} stored` : `${same} are the same, ${different} differ`);
process.exit(different === 0 ? 0 : 1);

/**
 * What a program prints of a trace.
 *
 * @param {string} path
 * @param {string} program
 */
function answerOf(path, program) {
  const options = /** @type {const} */ ({ encoding: 'utf8', timeout: 1000 * SECONDS, maxBuffer: 2 ** 30 });
  const { stdout, status, signal } = spawnSync(join(root, 'target', 'release', 'examples', program), [path], options);
  return `${stdout}ended ${signal ?? status}\n`;
}

/**
 * Stores an answer, or compares it with the stored one.
 *
 * @param {string} path
 * @param {string} program
 * @param {string} answer
 */
function compare(path, program, answer) {
  const name = `${relative(dirname(root), path).replace(/[^\w.-]+/g, '_')}.${program}.txt`;
  const file = join(kept, name);
  if (what === 'store') {
    writeFileSync(file, answer);
    same++;
    return;
  }
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (before === answer) {
    same++;
    return;
  }
  different++;
  const [old, now] = [before.split('\n'), answer.split('\n')];
  const at = old.findIndex((line, i) => line !== now[i]);
  const count = old.filter((line, i) => line !== now[i]).length;
  say(`${name}: ${count} lines, the first is ${at + 1}\n- ${old[at]?.slice(0, 400)}\n+ ${now[at]?.slice(0, 400)}`);
}
