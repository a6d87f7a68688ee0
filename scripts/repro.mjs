// `npm run repro`: builds the page and the page in one file twice, in different folders, at different times, with another home of Cargo and
// in another time zone, and compares the bytes. Takes two builds from nothing.
//
//   npm run repro -- [--once]   compares one such build with dist and dist-file as they are

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWasm, fail, filesOf, options, root, run, say } from './lib.mjs';

/** What is compared. */
const BUILT = ['dist', 'dist-file'];
/** Names of different lengths, and zones with different days. */
const PLACES = [
  { name: 'first', TZ: 'Pacific/Kiritimati' },
  { name: 'a-second-and-longer-name', TZ: 'Pacific/Pago_Pago' },
];

const { once } = options([], ['once']);
/** @param {...string} args */
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
if (git('status', '--porcelain', '--untracked-files=no') !== '')
  fail('Commit first: what is built twice is the last commit.');

// A build says which commit it is of: those that are made meanwhile do not count.
const commit = git('rev-parse', 'HEAD');
const base = mkdtempSync(join(tmpdir(), 'unspool-repro-'));
let same = false;
try {
  /** @type {string[]} */
  const builds = [];
  for (const place of once ? PLACES.slice(1) : PLACES) builds.push(await build(place));
  same = compare(once ? root : builds[0], builds[builds.length - 1]);
} finally {
  // What differs is left to be looked at.
  if (same) rmSync(base, { recursive: true });
}
if (!same) fail(`The builds in ${base} differ.`);

/**
 * Builds the last commit in a folder of its own, and returns that.
 *
 * @param {{ name: string, TZ: string }} place
 */
async function build({ name, TZ }) {
  const folder = join(base, name);
  say(`building in ${folder}`);
  git('clone', '--quiet', root, folder);
  git('-C', folder, 'checkout', '--quiet', '--detach', commit);
  cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), {
    recursive: true,
    dereference: false,
    verbatimSymlinks: true,
  });
  const env = {
    TZ,
    CARGO_HOME: cargoHome(folder),
    CARGO_TARGET_DIR: join(folder, 'target'),
    npm_config_local_prefix: folder,
  };
  /** @type {(...args: string[]) => [string, string[]]} */
  const vite = (...args) => [
    process.execPath,
    ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn', ...args],
  ];
  // The steps of `npm run build` and of a release, whose limits of size say nothing about bytes.
  for (const [program, args] of [buildWasm('wasm-release'), vite(), vite('--mode', 'one-file')]) {
    if ((await run(program, args, { env, cwd: folder })) !== 0) fail(`${args.join(' ')} failed in ${folder}.`);
  }
  return folder;
}

/**
 * A home of Cargo elsewhere, with the crates of the usual one.
 *
 * @param {string} folder
 */
function cargoHome(folder) {
  const [usual, home] = [process.env['CARGO_HOME'] ?? join(homedir(), '.cargo'), join(folder, 'cargo')];
  mkdirSync(home);
  for (const name of readdirSync(usual)) if (!name.startsWith('.')) symlinkSync(join(usual, name), join(home, name));
  return home;
}

/**
 * Says which files differ, and from which byte on. Returns whether none does.
 *
 * @param {string} a
 * @param {string} b
 */
function compare(a, b) {
  let count = 0;
  const wrong = [];
  for (const part of BUILT) {
    const names = new Set([a, b].flatMap((folder) => filesOf(join(folder, part))));
    count += names.size;
    for (const name of [...names].sort()) {
      const [one, other] = [a, b].map((folder) => join(folder, part, name));
      const missing = [one, other].find((file) => !existsSync(file));
      if (missing) wrong.push(`${missing} does not exist`);
      else {
        const [x, y] = [readFileSync(one), readFileSync(other)];
        if (!x.equals(y)) wrong.push(`${part}/${name} differs from byte ${x.findIndex((byte, i) => byte !== y[i])} on`);
      }
    }
  }
  if (wrong.length > 0) console.error(wrong.join('\n'));
  else say(`${count} files are the same, byte for byte`);
  return wrong.length === 0;
}
