// Compares two builds of the native command: every command, in every form of its output, over the fixtures, the corpus of real
// traces if it is there, and damaged copies of the fixtures. Whatever they print, return and write has to be equal byte for byte.
//
//   node scripts/same.mjs OLD NEW [--only COMMAND] [--file TEXT] [--seeds N] [--keep]
//
// --only runs one command, --file only inputs whose path contains a text, --seeds so many damaged files (2000), and --keep leaves
// the damaged files and the last outputs where the first line says. Prints the command line and the first line that differs for each
// difference; ends with a count by command. Exit status 1 if anything differs, 2 for wrong usage.
//
// What is not a function of the input, and how it is taken out:
//   - names of temporary files: `.tmp` and six letters become `.tmpXXXXXX`;
//   - the seconds in the table of `convert` with several inputs;
//   - the number of the thread in the message of a panic;
//   - the random key of `--hash`: such commands get their random bytes from a library that returns the same ones. It is compiled with
//     rustc; without that they are left out, which is said.
// A command that fails on both sides by the limit of its time, a signal or a panic is listed, and its output is not compared.

import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { find, root } from './lib.mjs';
import { forLarge, forms, withoutTrace } from './same/commands.mjs';
import { damaged, random } from './same/damage.mjs';

/** @import { Facts, Form } from './same/commands.mjs' */
/** @typedef {{ form: Form, before?: () => unknown }} Job A command line, and what is done before it runs. */
/** @typedef {{ at: string, kept: string[] }} Worker A folder to run in, and one for each program. */
/** @typedef {{ same: number, different: number, bad: number }} Counts */
/** @typedef {{ only?: string, file?: string, seeds: string, keep: boolean }} Given */
/** @typedef {{ name: string, kind: string, slices: number }} Named A trace or a track in the answer of `unspool info`. */

/** Seconds of processor time, and bytes of addresses and of a file, that a command may use. */
const [SECONDS, MEMORY, FILE] = [20, 6 * 2 ** 30, 4 * 2 ** 30];
/** Seconds that pass until it is killed: it may wait for the other one. */
const PATIENCE = 8 * SECONDS;
/** Corpus files up to the first size get all commands, up to the second those that read the whole file in different ways. */
const [SMALL, LARGE] = [100_000, 12_000_000];
/** One in SHARE commands runs on a small corpus file, another one for each file: there are many files of each kind. */
const SHARE = 4;
/** Commands for a damaged file, besides `info --json`. */
const EACH = 4;
/** Fixtures above this size are not damaged: what is wrong should be among few bytes. */
const MOST_DAMAGED = 32_000;
/** Characters of a line that are printed. */
const SHOWN = 240;

/** @type {(sentence: string) => never} */
const usage = (sentence) => {
  console.error(
    `${sentence}\nUsage: node scripts/same.mjs OLD NEW [--only COMMAND] [--file TEXT] [--seeds N] [--keep]`,
  );
  process.exit(2);
};
const { values: given, positionals } = parsed();
const programs = positionals.map((path) => resolve(path));
if (programs.length !== 2) usage('Two programs are needed.');
for (const program of programs) {
  try {
    fs.accessSync(program, fs.constants.X_OK);
  } catch {
    usage(`${program} cannot be run.`);
  }
}
const seeds = Number(given.seeds);
if (!Number.isSafeInteger(seeds) || seeds < 0) usage('--seeds takes a number.');
if (!find('prlimit')) usage('prlimit is needed, which bounds time and memory. It is in util-linux.');

const home = fs.mkdtempSync(join(tmpdir(), 'unspool-same-'));
if (given.keep) console.log(home);
process.on('exit', () => given.keep || fs.rmSync(home, { recursive: true, force: true }));
// What came out so far is worth knowing.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => report(130));

/** Both by the same name: it is in their messages. */
const links = ['old', 'new'].map((side, i) => {
  fs.mkdirSync(join(home, side));
  fs.symlinkSync(programs[i], join(home, side, 'unspool'));
  return join(home, side, 'unspool');
});

const corpus = join(root, '..', 'shared', 'corpus');
/**
 * The folders of inputs, by the name that command lines have for them.
 *
 * @type {Record<string, string> & { fixtures: string, damaged: string, corpus?: string }}
 */
const folders = { fixtures: join(home, 'fixtures'), damaged: join(home, 'damaged') };
fs.cpSync(join(root, 'tests', 'fixtures'), folders.fixtures, { recursive: true });
fs.mkdirSync(folders.damaged);
if (fs.existsSync(corpus)) folders.corpus = fs.realpathSync(corpus);
else console.log('left out: the corpus of real traces is missing');

const fixedRandom = given.only && !['cut', 'convert'].includes(given.only) ? undefined : sameRandom();
const commands = commandsOf(programs[0]);
if (given.only && !commands.includes(given.only))
  usage(`There is no command ${given.only}; there are ${commands.join(', ')}.`);

/**
 * What came of the comparisons, by command.
 *
 * @type {Map<string, Counts>}
 */
const counts = new Map();
/**
 * What ended in the same bad way on both sides.
 *
 * @type {string[]}
 */
const bad = [];
const workers = Array.from({ length: 2 }, (_, i) => worker(i));
const began = performance.now();

const fixtures = traces('fixtures').flatMap(factsOf);
await phase('without a trace', () => withoutTrace(commands).map((form) => ({ form })));
await phase('fixtures', () => ofFixtures(fixtures));
await phase('damaged files', () => ofDamaged(fixtures));
if (folders.corpus) await phase('corpus', () => ofCorpus());
report();

/** @returns {{ values: Given, positionals: string[] }} */
function parsed() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        file: { type: 'string' },
        seeds: { type: 'string', default: '2000' },
        keep: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return usage(/** @type {Error} */ (error).message);
  }
}

/**
 * The commands that a program lists in its help.
 *
 * @param {string} program
 */
function commandsOf(program) {
  const help = spawnSync(program, ['--help'], { encoding: 'utf8' }).stdout ?? '';
  const list = help.slice(help.indexOf('Commands:')).split(/\n\S/)[0];
  const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)(?: |$)/gm)]
    .map((match) => match[1])
    .filter((name) => name !== 'help');
  if (names.length === 0) usage(`${program} lists no commands.`);
  return names;
}

/** A library whose random bytes are always the same; undefined if it cannot be made. */
function sameRandom() {
  const path = join(home, 'same_random.so');
  const source =
    '#[unsafe(no_mangle)] pub unsafe extern "C" fn getrandom(to: *mut u8, len: usize, _: u32) -> isize {' +
    ' unsafe { to.write_bytes(7, len) }; len as isize }';
  const made = spawnSync('rustc', ['--edition', '2024', '--crate-type', 'cdylib', '-o', path, '-'], { input: source });
  if (made.status === 0) return path;
  console.log('left out: commands with --hash, because rustc could not compile a library');
  return undefined;
}

/**
 * Paths of the traces in a folder of inputs, as command lines have them.
 *
 * @param {string} folder
 */
function traces(folder) {
  /** @param {string} path */
  const is = (path) =>
    !/\.(md|txt|json|jsonl|csv|sh|c|cc|cpp|h|py|rs|png|script|err|queries|dot|ll|yaml|calls|json\.gz)$/.test(path);
  /** @type {(at: string) => string[]} */
  const inside = (at) =>
    fs.readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
      const path = join(at, entry.name);
      return entry.isDirectory() ? inside(path) : [path];
    });
  const paths = inside(folders[folder])
    .filter(is)
    .map((path) => `${folder}/${relative(folders[folder], path)}`);
  return paths.sort();
}

/**
 * Path of an input in the file system.
 *
 * @param {string} path
 */
function real(path) {
  const [folder] = path.split('/', 1);
  return join(folders[folder], path.slice(folder.length + 1));
}

/**
 * What the old program says of a trace; of each of its traces if it is an archive.
 *
 * @param {string} path
 * @returns {Facts[]}
 */
function factsOf(path) {
  const size = fs.statSync(real(path)).size;
  const info = asked(['info', '--json', real(path)]);
  /** @type {{ path: string, in: string }[]} */
  const inArchive = info?.traces?.map((/** @type {Named} */ { name }) => ({ path: `${path}/${name}`, in: path })) ?? [];
  /** @type {Named[]} */
  const tracks = info?.tracks ?? [];
  /** @type {Facts} */
  const facts = {
    path,
    size,
    format: info?.format,
    from: BigInt(info?.extent?.from ?? 0),
    to: BigInt(info?.extent?.to ?? 100),
    tracks: tracks.filter(({ slices }) => slices > 0).map(({ name }) => name),
    variables: [...new Set(tracks.filter(({ kind }) => kind === 'counter').map(({ name }) => name))].filter((name) =>
      /^[a-z]\w*$/i.test(name),
    ),
    textures: [],
    registers: [],
    addresses: [],
    binaries: [],
    names: 'fixtures/trace_db/overrun.csv',
    other: path.startsWith('fixtures/rvn') ? 'fixtures/rvn/beyond_2_53.sqlite' : otherOf(info?.format),
  };
  if (facts.format === 'apitrace') {
    /** @type {{ kind: string, name: number }[]} */
    const textures =
      asked(['resources', '--json', real(path)])?.resources?.filter(
        (/** @type {{ kind: string }} */ { kind }) => kind === 'texture',
      ) ?? [];
    const names = [...new Set(textures.map(({ name }) => name))];
    facts.textures = path.startsWith('fixtures/') ? names : names.slice(0, 3);
  }
  if (facts.format === 'frames') {
    const head =
      spawnSync(programs[0], ['dump', '--as', 'jsonl', real(path)], { encoding: 'utf8', maxBuffer: 1 << 18 }).stdout ??
      '';
    /** @param {RegExp} what */
    const all = (what) => [...new Set([...head.matchAll(what)].map((match) => match[1]))];
    facts.registers = all(/"reg_operand": \{"name": "([^"\\]+)"/g).slice(0, 3);
    facts.addresses = all(/"mem_operand": \{"address": (\d+)/g).slice(0, 3);
  }
  // Programs that are named as the trace is.
  const stem = basename(path).split('.')[0];
  const beside = fs
    .readdirSync(dirname(real(path)))
    .filter((name) => /\.(elf|so|debug)$/.test(name) && name.split('.')[0] === stem);
  facts.binaries = beside.sort().map((name) => join(dirname(path), name));
  return [facts, ...inArchive.map((entry) => ({ ...facts, ...entry }))];
}

/**
 * What the old program answers as JSON.
 *
 * @param {readonly string[]} args
 * @returns {any}
 */
function asked(args) {
  const { stdout } = spawnSync('prlimit', [`--cpu=${SECONDS}`, programs[0], ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

/**
 * A small trace of the same format, for commands with two.
 *
 * @param {string} [format]
 */
function otherOf(format) {
  /** @type {Record<string, string>} */
  const names = {
    apitrace: 'apitrace/values.trace',
    frames: 'frames/calls.frames',
    rvn: 'rvn/blocks.sqlite',
    'trace-db': 'trace_db/narrow.trace',
  };
  return `fixtures/${names[format ?? ''] ?? 'xray/events.xray'}`;
}

/**
 * All commands; those that are refused, because they are for another format, once for each format.
 *
 * @param {readonly Facts[]} fixtures
 * @returns {Generator<Job, void>}
 */
function* ofFixtures(fixtures) {
  const seen = new Set();
  for (const facts of fixtures) {
    const isFirst = !seen.has(facts.format);
    seen.add(facts.format);
    for (const form of forms(facts)) if (isFirst || isFor(form, facts)) yield { form };
  }
}

/**
 * A few commands for each damaged file, other ones for each: a few hundred files for each command.
 *
 * @param {readonly Facts[]} fixtures
 * @returns {Generator<Job, void>}
 */
function* ofDamaged(fixtures) {
  const some = fixtures.filter((facts) => facts.size <= MOST_DAMAGED && facts.size > 0 && !facts.in);
  const files = some.map((facts) => ({ path: facts.path, bytes: fs.readFileSync(real(facts.path)) }));
  for (let seed = 0; seed < seeds; seed++) {
    const { of, bytes } = damaged(seed, files);
    const facts = /** @type {Facts} */ (some.find(({ path }) => path === of));
    const path = `damaged/${seed}${extname(of)}`;
    const all = forms({ ...facts, path }).filter((form) => isFor(form, facts));
    const next = random(seed);
    // From a random place on, in even steps: commands that differ much are far from each other.
    const first = next(all.length);
    const chosen = Array.from(
      { length: EACH },
      (_, i) => all[(first + Math.floor((i * all.length) / EACH)) % all.length],
    );
    const info = /** @type {Form} */ (all.find(({ command, args }) => command === 'info' && args.includes('--json')));
    for (const form of new Set([info, ...chosen])) {
      yield { form, before: () => fs.existsSync(real(path)) || fs.writeFileSync(real(path), bytes) };
    }
  }
}

/**
 * All commands for small files of the corpus, in turn; a few for large ones.
 *
 * @returns {Generator<Job, void>}
 */
function* ofCorpus() {
  let turn = 0;
  for (const facts of factsOfCorpus()) {
    const all = forms(facts).filter((form) => isFor(form, facts));
    if (facts.size <= SMALL) {
      turn++;
      for (const form of all.filter((_, i) => (i + turn) % SHARE === 0)) yield { form };
    } else if (facts.size <= LARGE) {
      for (const form of forLarge(all)) yield { form };
    }
  }
}

function* factsOfCorpus() {
  /** @param {string} path */
  const isWanted = (path) => (!given.file || path.includes(given.file)) && fs.statSync(real(path)).size <= LARGE;
  for (const path of traces('corpus').filter(isWanted)) yield* factsOf(path);
}

/**
 * @param {Form} form
 * @param {Facts} facts
 */
function isFor({ formats }, facts) {
  return !formats || (facts.format !== undefined && formats.includes(facts.format));
}

/**
 * A folder in which both programs run, with the inputs; and one for each to keep what came out.
 *
 * @param {number} number
 * @returns {Worker}
 */
function worker(number) {
  const at = join(home, `${number}`);
  fs.mkdirSync(join(at, 'run', 'tmp'), { recursive: true });
  for (const [name, folder] of Object.entries(folders)) fs.symlinkSync(folder, join(at, 'run', name));
  return { at: join(at, 'run'), kept: ['old', 'new'].map((side) => join(at, side)) };
}

/**
 * Runs comparisons, two processes at a time.
 *
 * @param {string} name
 * @param {() => Iterable<Job>} make
 */
async function phase(name, make) {
  const start = performance.now();
  let compared = 0;
  const jobs = make()[Symbol.iterator]();
  /** @param {Worker} worker */
  const work = async (worker) => {
    for (let job = jobs.next(); !job.done; job = jobs.next()) {
      const { form, before } = job.value;
      if (given.only && form.command !== given.only) continue;
      if (given.file && ![...form.args, form.stdin].some((arg) => arg?.includes(given.file ?? ''))) continue;
      if (form.isKeyed && !fixedRandom) continue;
      before?.();
      compared++;
      await compare(form, worker);
    }
  };
  await Promise.all(workers.map(work));
  console.log(`${name}: ${compared} command lines, ${((performance.now() - start) / 1000).toFixed(0)} s`);
}

/**
 * Runs a command line with both programs and counts how that came out.
 *
 * @param {Form} form
 * @param {Worker} worker
 */
async function compare(form, { at, kept: places }) {
  /** @type {string[]} */
  const ends = [];
  for (const [i, program] of links.entries()) {
    ends.push(await execute(program, form, at));
    fs.rmSync(places[i], { recursive: true, force: true });
    fs.mkdirSync(places[i]);
    for (const name of ['out', 'stdout', 'stderr']) fs.renameSync(join(at, name), join(places[i], name));
  }
  const [old, now] = ends;
  const line = `unspool ${[form.command, ...form.args].map(quoted).join(' ')}${form.stdin ? ` < ${form.stdin}` : ''}`;
  const count = counts.get(form.command) ?? { same: 0, different: 0, bad: 0 };
  counts.set(form.command, count);
  const difference = old !== now ? `ended by ${old}, and now by ${now}` : undefined;
  if (!difference && !old.startsWith('status')) {
    count.bad++;
    bad.push(`${old} on both sides: ${line}`);
    return;
  }
  const where = difference ?? differing(places);
  if (!where) {
    count.same++;
    return;
  }
  count.different++;
  const said = difference
    ? [...texts(places, 'stderr')].map((text) => text.split('\n').slice(0, 3).join('\n').slice(0, SHOWN))
    : [];
  console.log(`\ndiffers: ${line}\n  ${where}${difference ? `\n  - ${said[0]}\n  + ${said[1]}` : ''}`);
}

/** @param {string} arg */
function quoted(arg) {
  return /^[\w./:=+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
}

/**
 * Runs one program. What it prints goes to files beside what it writes. Resolves to how it ended.
 *
 * @param {string} program
 * @param {Form} form
 * @param {string} at
 * @returns {Promise<string>}
 */
function execute(program, { command, args, stdin, isKeyed }, at) {
  fs.mkdirSync(join(at, 'out'));
  const input = stdin ? fs.openSync(join(at, stdin), 'r') : 'ignore';
  const outputs = ['stdout', 'stderr'].map((name) => fs.openSync(join(at, name), 'w'));
  const limits = [`--cpu=${SECONDS}`, `--as=${MEMORY}`, `--fsize=${FILE}`, '--core=0'];
  const env = { ...process.env, TMPDIR: join(at, 'tmp'), ...(isKeyed && { LD_PRELOAD: fixedRandom }) };
  const child = spawn('prlimit', [...limits, program, command, ...args], { cwd: at, stdio: [input, ...outputs], env });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE * 1000);
  return new Promise((done) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      for (const file of [input, ...outputs]) if (typeof file === 'number') fs.closeSync(file);
      const left = fs.readdirSync(join(at, 'tmp'));
      for (const name of left) fs.rmSync(join(at, 'tmp', name), { recursive: true });
      const isTime = signal === 'SIGXCPU' || signal === 'SIGKILL';
      const how = isTime ? 'the time limit' : (signal ?? (code === 101 ? 'panic' : `status ${code}`));
      done(left.length > 0 && !signal ? `${how}, with temporary files left` : how);
    });
    child.on('error', (error) => {
      throw error;
    });
  });
}

/**
 * The first difference between what two programs printed and wrote; undefined if there is none.
 *
 * @param {readonly string[]} places
 */
function differing(places) {
  const names = places.map((at) => ['stdout', 'stderr', ...written(join(at, 'out')).map((name) => `out/${name}`)]);
  const only = [
    names[0].filter((name) => !names[1].includes(name)),
    names[1].filter((name) => !names[0].includes(name)),
  ];
  if (only[0].length > 0) return `${only[0][0]} is no longer written`;
  if (only[1].length > 0) return `${only[1][0]} is new`;
  for (const name of names[0]) {
    const at = firstDifference(places.map((place) => join(place, name)));
    if (at === undefined) continue;
    if (name !== 'stderr') return described(name, at, places);
    const [old, now] = texts(places, name).map((text) => cleaned(text).split('\n'));
    const line = old.findIndex((text, i) => text !== now[i]);
    if (line >= 0 || old.length !== now.length) {
      const i = line < 0 ? old.length : line;
      return `standard error, line ${i + 1}\n  - ${(old[i] ?? '').slice(0, SHOWN)}\n  + ${(now[i] ?? '').slice(0, SHOWN)}`;
    }
  }
  return undefined;
}

/**
 * @param {readonly string[]} places
 * @param {string} name
 */
function texts(places, name) {
  return places.map((at) => fs.readFileSync(join(at, name), 'utf8'));
}

/**
 * What a command says without what is not a function of its input.
 *
 * @param {string} text
 */
function cleaned(text) {
  return text
    .replace(/\.tmp[A-Za-z0-9]{6}/g, '.tmpXXXXXX')
    .replace(/^((?:converted|in part) +\d+ +\d+ +)\d+\.\d/gm, '$1-')
    .replace(/^(outcome +rows +bytes) +seconds/gm, '$1 seconds')
    .replace(/^thread '([^']*)' \(\d+\)/gm, "thread '$1'");
}

/** @param {string} folder */
function written(folder) {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

/**
 * The offset of the first byte in which two files differ, or of the end of the shorter one; undefined if they are equal.
 *
 * @param {readonly string[]} paths
 */
function firstDifference(paths) {
  const files = paths.map((path) => fs.openSync(path, 'r'));
  const buffers = files.map(() => Buffer.allocUnsafe(1 << 20));
  try {
    for (let at = 0; ; ) {
      const [a, b] = files.map((file, i) =>
        buffers[i].subarray(0, fs.readSync(file, buffers[i], 0, buffers[i].length, at)),
      );
      if (!a.equals(b)) {
        const i = a.findIndex((byte, i) => byte !== b[i]);
        return at + (i < 0 ? a.length : i);
      }
      if (a.length === 0) return undefined;
      at += a.length;
    }
  } finally {
    for (const file of files) fs.closeSync(file);
  }
}

/**
 * The line of each file that has the byte at `at`, as far as it is shown.
 *
 * @param {string} name
 * @param {number} at
 * @param {readonly string[]} places
 */
function described(name, at, places) {
  const lines = places.map((place) => {
    const file = fs.openSync(join(place, name), 'r');
    const from = Math.max(0, at - SHOWN / 2);
    const buffer = Buffer.alloc(2 * SHOWN);
    const bytes = buffer.subarray(0, fs.readSync(file, buffer, 0, buffer.length, from));
    fs.closeSync(file);
    const begin = bytes.subarray(0, at - from).lastIndexOf(10) + 1;
    const end = bytes.indexOf(10, Math.min(at - from, bytes.length));
    return JSON.stringify(
      bytes
        .subarray(begin, end < 0 ? undefined : end)
        .toString('latin1')
        .slice(0, SHOWN),
    );
  });
  return `${name === 'stdout' ? 'standard output' : name}, byte ${at}\n  - ${lines[0]}\n  + ${lines[1]}`;
}

/**
 * Prints the counts and ends.
 *
 * @param {number} [status]
 */
function report(status) {
  console.log(`\n${'command'.padEnd(14)} ${'same'.padStart(7)} ${'differ'.padStart(7)} ${'failed'.padStart(7)}`);
  const sum = { same: 0, different: 0, bad: 0 };
  for (const [command, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const key of /** @type {(keyof Counts)[]} */ (Object.keys(sum))) sum[key] += count[key];
    console.log(row(command, count));
  }
  console.log(row('all', sum));
  if (bad.length > 0)
    console.log(`\nFailed on both sides, and not compared:\n${bad.map((line) => `  ${line}`).join('\n')}`);
  console.log(`\n${((performance.now() - began) / 1000).toFixed(0)} s on ${cpus().length} processors`);
  process.exit(status ?? (sum.different > 0 ? 1 : 0));
}

/**
 * @param {string} name
 * @param {Counts} counts
 */
function row(name, { same, different, bad }) {
  return `${name.padEnd(14)} ${String(same).padStart(7)} ${String(different).padStart(7)} ${String(bad).padStart(7)}`;
}
