// `npm run fuzz`: fuzzes the targets in fuzz/, one after the other.
//
//   npm run fuzz -- [--seconds N] [TARGET…]
//
// Each target begins with the fixtures of its format and with what earlier runs found. Requires the nightly toolchain and
// `cargo install cargo-fuzz`.

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, must, root, run } from './lib.mjs';

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '600' } },
  allowPositionals: true,
});
const seeds = join(root, 'fuzz', 'seeds');
const corpus = join(root, 'fuzz', 'corpus');
const list = ['run', '-q', '-p', 'unspool-fuzz-properties', '--example', 'seeds', seeds];
const listed = spawnSync('cargo', list, { cwd: root, encoding: 'utf8' });
if (listed.status !== 0) fail(`The seeds could not be written: ${listed.stderr}`);
const names = listed.stdout.trim().split('\n');
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) fail(`There is no target ${unknown.join(', ')}. There are ${names.join(', ')}.`);

await must('cargo', ['+nightly', 'fuzz', 'build']);
const failed = [];
for (const name of positionals.length > 0 ? positionals : names) {
  const own = join(corpus, name);
  mkdirSync(own, { recursive: true });
  const limits = [`-max_total_time=${values.seconds}`, '-rss_limit_mb=2500', '-timeout=25', '-max_len=20000'];
  // The reader of a replay lives for ever, on purpose. libFuzzer's own option leaves out the look at the end.
  const env = { ASAN_OPTIONS: 'detect_leaks=0' };
  const status = await run('cargo', ['+nightly', 'fuzz', 'run', name, own, join(seeds, name), '--', ...limits], {
    env,
  });
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) fail(`${failed.join(', ')}: the files that fail are in fuzz/artifacts.`);
