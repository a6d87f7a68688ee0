// The Python package.
//
//   npm run test:python          builds it for tests, and runs its tests, its documentation and its notebook
//   npm run wheel                makes the wheel in target/wheels, and checks its size
//
// Both have an environment of their own in target/python; nothing else of the machine changes.

import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { ci, clippy, environment, fail, find, output, root, run, say, windows } from './lib.mjs';

/** Makes wheels. */
const MATURIN = 'maturin==1.16.0';
/** What takes the package's streams, and runs its notebook. */
const LIBRARIES = [
  'duckdb==2.0.1',
  'ipykernel==7.4.0',
  'matplotlib==3.11.2',
  'mypy==2.4.1',
  'nbclient==0.11.0',
  'pandas==3.1.1',
  'polars==2.1.0',
  'pyarrow==26.0.1',
];
/** Largest size of the wheel in bytes. */
const LARGEST = 6_000_000;

const folder = join(root, 'target', 'python');
/** Not where the other crates are compiled: what two workspaces make of one crate has one name, and each takes that of the other for its own. */
const compiled = ['--target-dir', join(folder, 'compiled'), '--locked'];
const manifest = ['--manifest-path', 'python/Cargo.toml'];

/** Why the package cannot be tested here. Undefined if it can. */
function missing() {
  if (!find('cargo')) return 'cargo is missing';
  const version = output(windows ? 'python' : 'python3', [
    '-c',
    'import venv, ensurepip, sys; print(sys.version_info >= (3, 11))',
  ]);
  if (version === undefined) return 'python3 or its venv is missing';
  return version.trim() === 'True' ? undefined : 'the libraries that the tests use need Python 3.11';
}

/**
 * Builds the package and runs its tests. Returns the exit status.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export async function testPython(env = {}) {
  const why = missing();
  if (why) {
    if (ci) fail(`The Python package cannot be tested: ${why}.`);
    say(`skipped: the Python package, because ${why}`);
    return 0;
  }
  const formatted = await run('cargo', ['fmt', ...manifest, '--check'], { env });
  if (formatted !== 0) return formatted;
  const python = await environment(join(folder, 'env'), [MATURIN, ...LIBRARIES]);
  const wheel = await build(python, join(folder, 'wheel'), ['--profile', 'dev', ...compiled], { ...env, ...clippy() });
  const command = join(root, 'target', 'debug', windows ? 'unspool.exe' : 'unspool');
  const more = {
    ...env,
    ...(existsSync(command) && { UNSPOOL_COMMAND: command }),
    PYTHONWARNINGS: 'error::ResourceWarning',
  };
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--force-reinstall',
    wheel,
  ];
  for (const args of [pip, ['-m', 'mypy', '--strict', '-p', 'unspool'], ['python/tests/test_package.py']]) {
    const status = await run(python, args, { env: more });
    if (status !== 0) return status;
  }
  return 0;
}

/** Makes the wheel that is published. */
async function release() {
  const why = missing();
  if (why) fail(`The wheel cannot be made: ${why}.`);
  const python = await environment(join(folder, 'maturin'), [MATURIN]);
  const wheel = await build(python, join(root, 'target', 'wheels'), ['--release', ...compiled], {});
  const { size } = statSync(wheel);
  say(`${wheel}: ${(size / 1e6).toFixed(1)} MB of ${LARGEST / 1e6}`);
  if (size > LARGEST) fail(`The wheel has ${size} bytes, more than ${LARGEST}.`);
}

/**
 * Makes a wheel in an empty folder. Returns its path.
 *
 * @param {string} python
 * @param {string} into
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function build(python, into, args, env) {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  if ((await run(python, ['-m', 'maturin', 'build', '--quiet', ...manifest, ...args, '--out', into], { env })) !== 0) {
    fail('The Python package could not be built.');
  }
  const [wheel] = readdirSync(into).filter((name) => name.endsWith('.whl'));
  return join(into, wheel);
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const [, , what] = argv;
  if (what === 'wheel') await release();
  else if (what === 'test') process.exitCode = await testPython();
  else fail('Usage: node scripts/python.mjs test | wheel');
}
