// `npm run release`: makes all that a release has, in release/: the page as an archive for static hosting, the page as one file, the native
// command with the page in it, the Python package if `npm run wheel` has made it, and the SHA-256 of
// each. `-- --fast` skips slow optimisations.

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

// With the page that was built above.
await must('cargo', ['build', '--release', '--locked', '-p', 'unspool-cli', '--features', 'page']);
const command = `unspool${windows ? '.exe' : ''}`;
copyFileSync(join(root, 'target', 'release', command), join(folder, command));

const wheels = join(root, 'target', 'wheels');
const built = existsSync(wheels) ? readdirSync(wheels).filter((name) => name.endsWith('.whl')) : [];
for (const wheel of built) copyFileSync(join(wheels, wheel), join(folder, wheel));
if (built.length === 0) say('without the Python package: `npm run wheel` makes it');

const names = readdirSync(folder).sort();
const sums = names.map((name) => `${createHash('sha256').update(readFileSync(join(folder, name))).digest('hex')}  ${name}`);
writeFileSync(join(folder, 'SHA256SUMS'), `${sums.join('\n')}\n`);
say(`release/ has ${names.map((name) => `${name} (${(statSync(join(folder, name)).size / 1e6).toFixed(1)} MB)`).join(', ')}`);
