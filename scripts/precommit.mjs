// `npm run precommit`: the checks that take seconds, side by side, for .githooks/pre-commit. `npm test` has them, too.
//
// Looks at the files as they are, staged or not. If some are not committed, a check that has to do with none of them is left out, and so
// are the lints of all other files; a clean working tree is checked as a whole. Prints what failed, with the command that mends it.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { argv, execPath, exit, stdout } from 'node:process';
import { pathToFileURL } from 'node:url';
import { ci, installed, modulesBuilding, output, root, say, wasmFolder, wasmModules, windows } from './lib.mjs';
import { checkRatchets } from './ratchets.mjs';

/**
 * `run` resolves to what is wrong, empty if nothing is, and `mend` is the command that mends it, unless the text has that. `room` matches
 * the files that it depends on. `run` may look at the `files` alone that are not committed.
 *
 * @typedef {{ name: string, mend?: string, room: RegExp, run: (files?: readonly string[]) => Promise<string> }} Check
 */

/** Lines that a check prints at most. */
const MOST_LINES = 60;
/** The workspaces of Rust. With `--all`, that of fuzz has the crates of the first one, too. */
const WORKSPACES = [
  { name: 'format', args: ['--all'] },
  { name: 'format of xtask', args: ['--manifest-path', 'xtask/Cargo.toml', '--all'] },
  { name: 'format of fuzz', args: ['--manifest-path', 'fuzz/Cargo.toml'] },
  { name: 'format of python', args: ['--manifest-path', 'python/Cargo.toml'] },
];
/** Files that Biome looks at; it knows itself which of them it leaves out. */
const LINTED = /\.(tsx?|m[jt]s|css|html|json)$/;
/** Files that are passed to a program at most: command lines have an end. */
const MOST_FILES = 100;

/**
 * Checks without types: format, words, width and ratchets.
 *
 * @type {readonly Check[]}
 */
export const TEXTS = [
  ...WORKSPACES.map(({ name, args }) => ({
    name,
    mend: ['cargo fmt', ...args].join(' '),
    room: /\.rs$|(^|\/)(Cargo|rustfmt|rust-toolchain)\.toml$/,
    run: () => errorsOf('cargo', ['fmt', ...args, '--check']),
  })),
  {
    name: 'words',
    mend: 'node scripts/words.mjs, once each place says what is proposed',
    room: /\.(rs|tsx?|mjs|md)$/,
    run: () => errorsOf(execPath, ['scripts/words.mjs']),
  },
  {
    name: 'width',
    mend: 'node scripts/wrap.mjs',
    room: /\.(rs|md)$|\/wrap\.mjs$/,
    run: () => errorsOf(execPath, ['scripts/wrap.mjs', '--check']),
  },
  { name: 'ratchets', room: /\.(rs|tsx?|m[jt]s|json)$/, run: () => ratchets() },
];

/**
 * Every quick check.
 *
 * @type {readonly Check[]}
 */
const ALL = [
  ...TEXTS,
  {
    name: 'lints',
    mend: 'npx biome check --write .',
    room: LINTED,
    run: lints,
  },
  ...['tsconfig.json', 'tsconfig.scripts.json'].filter(isThere).map((project) => ({
    name: `types of ${project}`,
    mend: `npx tsc --noEmit -p ${project}, once the types are right`,
    room: /\.(tsx?|m[jt]s|json)$/,
    run: () => types(project),
  })),
];

/**
 * Runs checks side by side, of some files or of all, and prints what failed. Returns the names of those.
 *
 * @param {readonly Check[]} checks
 * @param {readonly string[]} [files]
 * @returns {Promise<string[]>}
 */
export async function runChecks(checks, files) {
  const outcomes = await Promise.all(
    checks.map(async (check) => ({ ...check, wrong: (await check.run(files)).trim() })),
  );
  const failures = outcomes.filter(({ wrong }) => wrong !== '');
  for (const { name, mend, wrong } of failures) {
    const lines = wrong.split('\n');
    console.error(`\n✗ ${name}${mend ? `. To mend it: ${mend}` : ''}\n`);
    console.error(lines.slice(0, MOST_LINES).join('\n'));
    if (lines.length > MOST_LINES) console.error(`… ${lines.length - MOST_LINES} more lines`);
  }
  return failures.map(({ name }) => name);
}

/**
 * Checks format and lints of files, or of all. A new configuration is one for all.
 *
 * @param {readonly string[]} [files]
 */
function lints(files = []) {
  const own = files.filter((file) => LINTED.test(file) && isThere(file));
  const isWhole = own.length === 0 || own.length > MOST_FILES || own.includes('biome.json');
  const colors = `--colors=${stdout.isTTY ? 'force' : 'off'}`;
  return errorsOf(installed('biome'), ['ci', '--no-errors-on-unmatched', colors, ...(isWhole ? ['.'] : own)]);
}

/** Compares the ratchets. Outside CI it writes numbers that fell, and fails because the commit lacks them. */
async function ratchets() {
  const { wrong, written } = await checkRatchets(!ci);
  if (written.length > 0)
    wrong.push(`Fewer than before. Add the new numbers to the commit: git add ${written.join(' ')}`);
  return wrong.join('\n\n');
}

/**
 * Checks types, if the wasm modules are there: the page imports theirs. Keeps what it knows of files that do not change.
 *
 * @param {string} project
 */
async function types(project) {
  if (wasmIsMissing()) return '';
  const memory = join('.cache', 'tsc', `${project}.tsbuildinfo`);
  return errorsOf(installed('tsc'), ['--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', memory]);
}

/** Whether a wasm module is not built, or is being built. */
function wasmIsMissing() {
  if (existsSync(modulesBuilding) && readdirSync(modulesBuilding).length > 0) return true;
  return wasmModules.some(({ name }) => !existsSync(join(wasmFolder, `${name}.d.ts`)));
}

/**
 * The output of a program that fails; empty if it does not.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<string>}
 */
function errorsOf(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // The programs that npm installs are batch files on Windows.
      shell: windows && program.endsWith('.cmd'),
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
    child.on('error', (error) => resolve(String(error)));
    child.on('close', (code) => resolve(code === 0 ? '' : text.trim() || `${program} failed with status ${code}`));
  });
}

/** @param {string} name */
function isThere(name) {
  return existsSync(join(root, name));
}

/** The files that are not committed as they are; undefined if there are none, or if git does not know. */
function uncommitted() {
  const names = output('git', ['diff', '--name-only', '-z', 'HEAD'])?.split('\0').filter(Boolean) ?? [];
  return names.length > 0 ? names : undefined;
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const began = performance.now();
  const files = uncommitted();
  const due = ALL.filter(({ room }) => !files || files.some((file) => room.test(file)));
  const failures = await runChecks(due, files);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const others = ALL.filter((check) => !due.includes(check)).map(({ name }) => name);
  if (wasmIsMissing()) say('skipped: types, until `cargo xtask wasm` has built the wasm modules.');
  const why = others.length > 0 ? ` Left out, because nothing of theirs has changed: ${others.join(', ')}.` : '';
  if (failures.length === 0) say(`Passed in ${seconds} s.${why}`);
  else console.error(`\n✗ Failed in ${seconds} s: ${failures.join(', ')}.`);
  exit(failures.length === 0 ? 0 : 1);
}
