// `npm run audit`: asks the databases of advisories about every crate and package, and checks licences and sources as deny.toml says.
//
//   npm run audit -- [--offline]   licences and sources alone, without a network
//
// Not part of `npm test`: an advisory of today would fail what passed yesterday.

import { fail, find, options, run, say } from './lib.mjs';

/** The workspaces, each with a lock file of its own. */
const MANIFESTS = ['Cargo.toml', 'python/Cargo.toml', 'xtask/Cargo.toml', 'fuzz/Cargo.toml'];

const { offline } = options([], ['offline']);
const deny = find('cargo-deny');
if (!deny) fail('cargo-deny is missing: `cargo install --locked cargo-deny` compiles it.');
const failed = [];
for (const manifest of MANIFESTS) {
  say(manifest);
  const network = offline ? ['--offline'] : [];
  const checks = offline ? ['licenses', 'bans', 'sources'] : [];
  const args = ['--manifest-path', manifest, '--locked', '--config', 'deny.toml', ...network, 'check', ...checks];
  if ((await run(deny, args)) !== 0) failed.push(manifest);
}
if (!offline) {
  say('package-lock.json');
  if ((await run('npm', ['audit'])) !== 0) failed.push('package-lock.json');
}
if (failed.length > 0) fail(`See above: ${failed.join(', ')}.`);
