// `npm run release`: makes all that a release has, in release/: the page as an archive for static hosting, the page as one file, the native
// command if `cargo build --release -p unspool-cli` has built it, and the SHA-256 of each. `-- --fast` skips slow optimisations.

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { find, fail, must, options, root, say, windows } from './lib.mjs';
import { buildOneFile } from './sizes.mjs';

const { fast } = options([], ['fast']);
const folder = join(root, 'release');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);

await must(process.execPath, [join(root, 'scripts', 'build.mjs'), ...(fast ? ['--fast'] : [])]);
const file = await buildOneFile(fast);
copyFileSync(file, join(folder, 'unspool.html'));

if (!find('tar')) fail('tar is needed for the archive of the page.');
await must('tar', ['-czf', join(folder, `unspool-${manifest.version}-page.tar.gz`), '-C', join(root, 'dist'), '.']);

const command = `unspool${windows ? '.exe' : ''}`;
const native = join(root, 'target', 'release', command);
if (existsSync(native)) copyFileSync(native, join(folder, command));
else say('without the native command: `cargo build --release -p unspool-cli` builds it');

const names = readdirSync(folder).sort();
const sums = names.map((name) => `${createHash('sha256').update(readFileSync(join(folder, name))).digest('hex')}  ${name}`);
writeFileSync(join(folder, 'SHA256SUMS'), `${sums.join('\n')}\n`);
say(`release/ has ${names.map((name) => `${name} (${(statSync(join(folder, name)).size / 1e6).toFixed(1)} MB)`).join(', ')}`);
