// Installs what `npm start` or `npm test` needs, or says in one sentence what to install.
//
//   node scripts/prepare.mjs start | test | fleet | webkit | wasm-pack
//
// Changes only this folder and the user's own files; installs system packages only on Debian as root. Quick when nothing
// is missing, because it runs before every start and test.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findFirefox, findWebKit } from './browsers/drivers.mjs';
import {
  ci,
  fail,
  find,
  findChromium,
  findHeadless,
  findWasmPack,
  must,
  output,
  root,
  run,
  say,
  wasmPack,
} from './lib.mjs';

/**
 * What to look for, and the packages of Debian that have it.
 *
 * @typedef {{ thing: string, there: () => unknown, debian: readonly string[], optional?: boolean }} Wanted
 */

/** CI must have what can be installed there. */
const isDebianCi = ci && existsSync('/etc/debian_version');
/** A C compiler to link with. */
const COMPILER = {
  thing: 'a C compiler',
  there: () => find('cc', 'gcc', 'clang', 'cl'),
  debian: ['gcc', 'libc6-dev'],
};
/** A screen for browsers with windows. */
const SCREEN = { thing: 'Xvfb', there: () => find('Xvfb'), debian: ['xvfb'] };
/** The browsers and tools. */
const FOR_TESTS = [
  { thing: 'Chromium (or CHROMIUM=its path)', there: findChromium, debian: ['chromium'] },
  // Takes two thirds of the time that Chromium takes for the same tests.
  { thing: 'Chromium without windows', there: findHeadless, debian: ['chromium-headless-shell'], optional: true },
  // Runs the tests of a wasm module in Chromium. It must be of Chromium's own version, as Debian's is.
  {
    thing:
      'ChromeDriver of the version of Chromium, on the PATH (https://googlechromelabs.github.io/chrome-for-testing)',
    there: () => find('chromedriver'),
    debian: ['chromium-driver'],
  },
  // The second browser.
  { thing: 'Firefox (or FIREFOX=its path)', there: findFirefox, debian: ['firefox-esr'], optional: !isDebianCi },
  { ...SCREEN, optional: !isDebianCi },
  {
    thing: 'Python 3 with venv',
    there: () => output('python3', ['-c', 'import venv, ensurepip']) !== undefined,
    debian: ['python3', 'python3-venv'],
    optional: !ci,
  },
  // Some tests compare with these tools, and print a line when they are skipped.
  { thing: 'zstd', there: () => find('zstd'), debian: ['zstd'], optional: true },
  { thing: 'apitrace', there: () => find('apitrace'), debian: ['apitrace'], optional: true },
  { thing: 'llvm-xray', there: () => find('llvm-xray'), debian: ['llvm'], optional: true },
];

const what = process.argv[2];
if (!['start', 'test', 'fleet', 'webkit', 'wasm-pack'].includes(what)) {
  fail('Usage: node scripts/prepare.mjs start | test | fleet | webkit | wasm-pack');
}

node();
rust();
if (what === 'wasm-pack') {
  await installWasmPack();
} else if (what === 'webkit') {
  await systemPackages([SCREEN, { thing: 'WebKitGTK', there: findWebKit, debian: ['webkit2gtk-driver'] }]);
} else if (what === 'fleet') {
  await systemPackages([
    COMPILER,
    {
      thing: 'Python 3 with venv',
      there: () => output('python3', ['-c', 'import venv, ensurepip']) !== undefined,
      debian: ['python3', 'python3-venv'],
    },
    // Without it the questions are asked in DuckDB alone.
    { thing: 'Java', there: () => find('java'), debian: ['default-jre-headless'], optional: true },
  ]);
} else {
  const test = what === 'test';
  await systemPackages(test ? [COMPILER, ...FOR_TESTS] : [COMPILER]);
  await rustTargets(test ? ['wasm32-unknown-unknown', 'thumbv7em-none-eabi'] : ['wasm32-unknown-unknown']);
  await nodeModules();
  // Elsewhere cargo alone runs the browser tests of crate/wasm/session.
  if (test && ci && !findWasmPack()) await installWasmPack();
}

function node() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(`Node.js 20.19 or newer is needed, this is ${process.versions.node}.`);
  }
}

function rust() {
  if (!find('cargo') || !find('rustc')) {
    fail('Rust is needed: install it with rustup (https://rustup.rs), then open a new shell.');
  }
}

/**
 * Installs programs that are missing, as root on Debian, or says which.
 *
 * @param {readonly Wanted[]} wanted
 */
async function systemPackages(wanted) {
  let missing = wanted.filter((w) => !w.there());
  if (missing.length === 0) return;
  const packages = missing.flatMap((w) => w.debian);
  const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (find('apt-get') && process.getuid?.() === 0) {
    say(`installing ${packages.join(', ')}`);
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    await run('sh', ['-c', command], { env });
    missing = wanted.filter((w) => !w.there());
  }
  for (const { thing } of missing.filter((w) => w.optional)) say(`${thing} is not installed: what needs it is skipped`);
  const needed = missing.filter((w) => !w.optional);
  if (needed.length > 0) {
    const how = find('apt-get') ? `: run \`${command}\` as root` : '';
    fail(`Please install ${needed.map((w) => w.thing).join(' and ')}${how}.`);
  }
}

/** @param {readonly string[]} targets */
async function rustTargets(targets) {
  // Ask rustc, not rustup: a Rust from elsewhere may have the target, too.
  const sysroot = output('rustc', ['--print', 'sysroot']);
  if (!sysroot) fail('`rustc --print sysroot` failed: run `rustup toolchain install stable` in this folder.');
  const missing = targets.filter((target) => !existsSync(join(sysroot, 'lib', 'rustlib', target, 'lib')));
  if (missing.length === 0) return;
  if (!find('rustup'))
    fail(`This Rust cannot compile for ${missing.join(' and ')}: use one from rustup (https://rustup.rs).`);
  say(`rustup target add ${missing.join(' ')}`);
  await must('rustup', ['target', 'add', ...missing]);
}

async function nodeModules() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return;
  say('npm ci');
  await must('npm', ['ci', '--no-audit', '--no-fund']);
}

/** Builds without optimisation: that takes half a minute, and wasm-pack itself has little to compute. */
async function installWasmPack() {
  say(`installing wasm-pack ${wasmPack.version} into ${wasmPack.folder}`);
  const install = ['install', 'wasm-pack', '--version', `=${wasmPack.version}`, '--root', wasmPack.folder];
  install.push('--debug', '--config', 'profile.dev.debug=0');
  // Its lock file may name a crate that was yanked since, or that a mirror does not have yet.
  if ((await run('cargo', [...install, '--locked'])) !== 0) await must('cargo', install);
}
