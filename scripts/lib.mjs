// Shared by the scripts: finding and running programs, messages, arguments.

import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where and with what a program runs.
 *
 * @typedef {{ env?: NodeJS.ProcessEnv, cwd?: string }} Surroundings
 */
/** @typedef {{ name: string, package: string, features?: readonly string[] }} WasmModule */

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const ci = Boolean(process.env['CI']) && process.env['CI'] !== 'false';
export const windows = process.platform === 'win32';

/** `cargo install` puts wasm-pack here, one folder per version, shared by all clones. */
const WASM_PACK = '0.15.1';
/** Where tools that npm does not install are kept. */
export const cache =
  process.env['UNSPOOL_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'unspool');
export const wasmPack = { version: WASM_PACK, folder: join(cache, `wasm-pack-${WASM_PACK}`) };

/** @param {string} text */
export const say = (text) => console.log(`\n» ${text}`);

/**
 * Exits with one sentence: what is wrong and what to do about it.
 *
 * @param {string} sentence
 * @returns {never}
 */
export function fail(sentence) {
  console.error(`\n✗ ${sentence}`);
  process.exit(1);
}

/**
 * Runs a program in the root folder, or another one, with inherited output. Resolves to its exit status, 127 if it cannot be started.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Surroundings} [surroundings]
 * @returns {Promise<number>}
 */
export function run(program, args, { env = {}, cwd = root } = {}) {
  return new Promise((done) => {
    const child = spawn(program, args, {
      cwd,
      stdio: 'inherit',
      env: { ...process.env, ...env },
      // npm and the programs it installs are batch files on Windows.
      shell: windows && /^npm$|\.cmd$/.test(program),
    });
    /** @param {NodeJS.Signals} signal */
    const end = (signal) => child.kill(signal);
    process.once('SIGTERM', end);
    child.on('close', () => process.off('SIGTERM', end));
    child.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      console.error(error.code === 'ENOENT' ? `${program} is not on the PATH` : String(error));
      done(127);
    });
    child.on('exit', (code, signal) => {
      if (signal) console.error(`${program} was killed by ${signal}`);
      done(code ?? 1);
    });
  });
}

/**
 * Like `run`, but exits with the program's status if that is not 0.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Surroundings} [options]
 */
export async function must(program, args, options) {
  const status = await run(program, args, options);
  if (status !== 0) process.exit(status);
}

/**
 * What a program prints; undefined if it is not installed or fails.
 *
 * @param {string} program
 * @param {readonly string[]} args
 */
export function output(program, args) {
  const child = spawnSync(program, args, { cwd: root, encoding: 'utf8', shell: windows });
  return child.status === 0 ? child.stdout.trim() : undefined;
}

/**
 * The path of the first program that exists. Names are looked up on the PATH.
 *
 * @param {...(string | undefined)} candidates
 */
export function find(...candidates) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const endings = windows ? ['.exe', '.cmd'] : [''];
  for (const name of candidates) {
    if (!name) continue;
    const paths = /[/\\]/.test(name) ? [name] : folders.flatMap((f) => endings.map((e) => join(f, name + e)));
    const found = paths.find(executable);
    if (found) return found;
  }
  return undefined;
}

export const findChromium = () =>
  find(
    process.env['CHROMIUM'],
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  );

/**
 * The environment in which cargo compiles the crates of a workspace by Clippy, whose warnings are errors, as `cargo clippy` does it, but to
 * machine code: one pass over each crate in place of two, and crates of others are compiled once.
 *
 * @returns {NodeJS.ProcessEnv}
 */
export const clippy = () => ({
  RUSTC_WORKSPACE_WRAPPER:
    find('clippy-driver') ?? fail('Clippy is needed: `rustup component add clippy` installs it.'),
  // In the form in which `cargo clippy` passes its arguments on.
  CLIPPY_ARGS: ['-D', 'warnings', ''].join('__CLIPPY_HACKERY__'),
});

/** The Chromium that has no windows, if there is one. */
export const findHeadless = () => find(process.env['CHROMIUM_HEADLESS'], 'chromium-headless-shell');

export const findWasmPack = () =>
  find(join(wasmPack.folder, 'bin', windows ? 'wasm-pack.exe' : 'wasm-pack'), 'wasm-pack');

/**
 * The Python of an environment with these packages, such as `duckdb==2.0.0`. Makes it if it is not there or has others.
 *
 * @param {string} folder
 * @param {readonly string[]} packages
 */
export async function environment(folder, packages) {
  const python = windows ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
  const check =
    'import sys; from importlib.metadata import version; sys.exit(any(version(p) != v for p, v in (a.split("==") for a in sys.argv[1:])))';
  if (existsSync(python) && spawnSync(python, ['-c', check, ...packages]).status === 0) return python;
  say(`installing ${packages.join(' ')} into ${folder}`);
  await must(windows ? 'python' : 'python3', ['-m', 'venv', '--clear', folder]);
  await must(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  return python;
}

/**
 * The paths of all files in a folder, with slashes, in order.
 *
 * @param {string} folder
 */
export function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

/**
 * The path of a program that npm installed here. Running it directly saves a process over npx, and its messages.
 *
 * @param {string} name
 */
export const installed = (name) => join(root, 'node_modules', '.bin', windows ? `${name}.cmd` : name);

/**
 * The wasm modules in the order in which they are built, perhaps with `features` in place of the default ones.
 *
 * @type {readonly WasmModule[]}
 */
export const wasmModules = JSON.parse(readFileSync(join(root, 'xtask', 'modules.json'), 'utf8'));
export const wasmFolder = join(root, 'web', 'worker', 'wasm');
/** Has a file for each module that `npm start` has not built yet; see scripts/wait_for_wasm.mjs. */
export const modulesBuilding = join(wasmFolder, '.building');

/**
 * The command that builds the wasm modules, or only one of them, into web/worker/wasm.
 *
 * @param {string} profile
 * @param {string} [only]
 * @returns {[string, string[]]}
 */
export const buildWasm = (profile, only) => [
  'cargo',
  ['xtask', 'wasm', '--profile', profile, ...(only ? ['--only', only] : [])],
];

/**
 * The script's arguments by name: those in `known` take a value, `flags` take none.
 *
 * @template {string} Known
 * @template {string} [Flag=never]
 * @param {readonly Known[]} known
 * @param {readonly Flag[]} flags
 * @returns {{ [name in Known]?: string } & { [name in Flag]?: boolean }}
 */
export function options(known, flags = []) {
  /** @type {any} */
  const given = {};
  const rest = process.argv.slice(2);
  while (rest.length > 0) {
    const name = /** @type {string} */ (rest.shift()).replace(/^--/, '');
    if (flags.includes(/** @type {Flag} */ (name))) given[name] = true;
    else if (known.includes(/** @type {Known} */ (name)) && rest.length > 0) given[name] = rest.shift();
    else
      fail(
        `Unknown or incomplete argument --${name}; known are ${[...known, ...flags].map((o) => `--${o}`).join(' ')}.`,
      );
  }
  return given;
}

/** @param {string} path */
function executable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
