// Brings what `npm start` or `npm test` needs and is missing, or says in one sentence what to install.
//
//   node scripts/prepare.mjs start | test | wasm-pack
//
// Only what belongs to this folder or to the user is touched; system packages are installed on Debian as root alone.
// Quick when nothing is missing: it runs before every start and test.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ci, fail, find, findChromium, findWasmPack, must, output, root, run, say, wasmPack } from './lib.mjs';

const what = process.argv[2];
if (!['start', 'test', 'wasm-pack'].includes(what)) fail('Usage: node scripts/prepare.mjs start | test | wasm-pack');

node();
rust();
if (what === 'wasm-pack') {
  await bringWasmPack();
} else {
  const test = what === 'test';
  await systemPackages(test);
  await rustTargets(test ? ['wasm32-unknown-unknown', 'thumbv7em-none-eabi'] : ['wasm32-unknown-unknown']);
  await nodeModules();
  // On a desk the browser tests of crate/browser are optional; scripts/test.mjs says how to get them.
  if (test && ci && !findWasmPack()) await bringWasmPack();
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

/** A C compiler to link with, and what the tests run in. */
async function systemPackages(test) {
  const wanted = [
    { thing: 'a C compiler', there: () => find('cc', 'gcc', 'clang', 'cl'), debian: ['gcc', 'libc6-dev'] },
  ];
  if (test) {
    wanted.push(
      { thing: 'Chromium (or CHROMIUM=its path)', there: findChromium, debian: ['chromium'] },
      { thing: 'ChromeDriver', there: () => find('chromedriver'), debian: ['chromium-driver'], optional: !ci },
      { thing: 'Python 3', there: () => find('python3'), debian: ['python3'], optional: !ci },
      // Some tests compare with these and say so when they are skipped.
      { thing: 'zstd', there: () => find('zstd'), debian: ['zstd'], optional: true },
      { thing: 'apitrace', there: () => find('apitrace'), debian: ['apitrace'], optional: true },
      { thing: 'llvm-xray', there: () => find('llvm-xray'), debian: ['llvm'], optional: true },
    );
  }
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
  for (const { thing } of missing.filter((w) => w.optional)) say(`${thing} is not here: what needs it is left out`);
  const needed = missing.filter((w) => !w.optional);
  if (needed.length > 0) {
    const how = find('apt-get') ? `: run \`${command}\` as root` : '';
    fail(`Please install ${needed.map((w) => w.thing).join(' and ')}${how}.`);
  }
}

async function rustTargets(targets) {
  // Asked of rustc, not of rustup: a Rust from elsewhere may have the target too.
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

/** Without optimisation: compiling it takes half a minute, and it does nothing that takes long. */
async function bringWasmPack() {
  say(`installing wasm-pack ${wasmPack.version} into ${wasmPack.folder}`);
  const install = ['install', 'wasm-pack', '--version', `=${wasmPack.version}`, '--root', wasmPack.folder];
  install.push('--debug', '--config', 'profile.dev.debug=0');
  // Its lock file may name a crate that was withdrawn since, or that a registry has not got yet.
  if ((await run('cargo', [...install, '--locked'])) !== 0) await must('cargo', install);
}
