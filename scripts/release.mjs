// `npm run release`: makes all that a release has, in release/: the page as an archive for static hosting, as one file and as an npm
// package that serves it, the native command with the page in it and the licences of its crates, the Python package if `npm run wheel`
// has made it, and the SHA-256 of each. `-- --fast` skips slow optimisations.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { filesOf, find, must, options, root, say, windows } from './lib.mjs';
import { cratesOfCommand, licenseText } from './licenses.mjs';
import { buildOneFile } from './sizes.mjs';
import { zip } from './zip.mjs';

const { fast } = options([], ['fast']);
const folder = join(root, 'release');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);

await must(process.execPath, [join(root, 'scripts', 'build.mjs'), ...(fast ? ['--fast'] : [])]);
const file = await buildOneFile(fast);
copyFileSync(file, join(folder, 'unspool.html'));

const dist = join(root, 'dist');
const files = filesOf(dist).map((name) => /** @type {const} */ ([name, readFileSync(join(dist, name))]));
writeFileSync(join(folder, `unspool-${manifest.version}-page.zip`), zip(files));
// Its own hash, which About shows, is then among the checksums.
copyFileSync(join(dist, 'hashes.txt'), join(folder, 'hashes.txt'));
await packPage();

// With the page that was built above.
await must('cargo', ['build', '--release', '--locked', '-p', 'unspool-cli', '--features', 'page']);
const command = `unspool${windows ? '.exe' : ''}`;
copyFileSync(join(root, 'target', 'release', command), join(folder, command));
// Lines for backtraces are four fifths of it.
const strip = !windows && find('strip');
if (strip) await must(strip, ['-S', join(folder, command)]);
writeFileSync(
  join(folder, 'unspool-licenses.txt'),
  licenseText(cratesOfCommand(), 'what the command unspool contains besides the page'),
);

const wheels = join(root, 'target', 'wheels');
const built = existsSync(wheels)
  ? readdirSync(wheels).filter((name) => name.includes(manifest.version) && name.endsWith('.whl'))
  : [];
for (const wheel of built) copyFileSync(join(wheels, wheel), join(folder, wheel));
if (built.length === 0) say('without the Python package: `npm run wheel` makes it');

const names = readdirSync(folder).sort();
const sums = names.map(
  (name) =>
    `${createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')}  ${name}`,
);
writeFileSync(join(folder, 'SHA256SUMS'), `${sums.join('\n')}\n`);
say(
  `release/ has ${names.map((name) => `${name} (${(statSync(join(folder, name)).size / 1e6).toFixed(1)} MB)`).join(', ')}`,
);

/** Makes the npm package: the page, and `unspool-page`, which serves it on this computer. */
async function packPage() {
  const staged = mkdtempSync(join(tmpdir(), 'unspool-package-'));
  try {
    cpSync(dist, join(staged, 'dist'), { recursive: true });
    mkdirSync(join(staged, 'scripts'));
    for (const name of ['LICENSE', 'README.md', 'scripts/serve.mjs'])
      copyFileSync(join(root, name), join(staged, name));
    const { version, description, type, license, engines } = manifest;
    const bin = { 'unspool-page': 'scripts/serve.mjs' };
    const about = { name: 'unspool', version, description, type, license: `${license}`, engines, bin };
    writeFileSync(join(staged, 'package.json'), JSON.stringify(about, null, 2));
    await must('npm', ['pack', staged, '--pack-destination', folder, '--silent', '--ignore-scripts']);
  } finally {
    rmSync(staged, { recursive: true });
  }
}
