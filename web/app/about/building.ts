import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { filesOf } from '../../../scripts/lib.mjs';
import { cratesOfPage, licenseText, othersOfPage, packagesOf } from '../../../scripts/licenses.mjs';
import { HASHES, LICENCES } from './hashes.ts';

const ABOUT = 'virtual:about';
/** The service worker has the hash of the list of hashes. */
const WITHOUT_HASH = /^(?:sw\.js|hashes\.txt)$/;

/** The modules that went into the page and its workers, which are bundles of their own. */
const bundled = new Set<string>();

/** A plugin of Vite that says what the page is: version and commit. */
export function about(version: string): Plugin {
  return {
    name: 'about',
    resolveId: (id) => (id === ABOUT ? id : null),
    load: (id) =>
      id === ABOUT ? `export const VERSION = ${JSON.stringify(version)}, COMMIT = ${JSON.stringify(commit())};` : null,
  };
}

/** A plugin that notes what goes into a bundle. For the page and for its workers, before {@link licences}. */
export function noteBundled(): Plugin {
  return {
    name: 'note-bundled',
    apply: 'build',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') for (const id of file.moduleIds) bundled.add(id);
      }
    },
  };
}

/** A plugin that writes the licences of all that is in the page. */
export function licences(): Plugin {
  return {
    name: 'licences',
    apply: 'build',
    generateBundle() {
      const things = [...cratesOfPage(), ...packagesOf(bundled), ...othersOfPage()];
      this.emitFile({ type: 'asset', fileName: LICENCES, source: licenseText(things, 'what this page contains') });
    },
  };
}

/** A plugin that writes the hashes of the files of the page. */
export function hashes(): Plugin {
  let folder = '';
  return {
    name: 'hashes',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    writeBundle: { order: 'post', sequential: true, handler: () => writeHashes(folder) },
  };
}

/** Writes the hashes of the files in a folder, in the form of `sha256sum`. */
export function writeHashes(folder: string): void {
  const lines = filesOf(folder)
    .filter((name) => !WITHOUT_HASH.test(name))
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(folder, HASHES), lines.join(''));
}

function commit(): string {
  const git = (...args: readonly string[]) => {
    const { status, stdout } = spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  };
  const head = git('rev-parse', 'HEAD');
  if (head === null) return 'unknown';
  return git('status', '--porcelain', '--untracked-files=no') === '' ? head : `${head} with changes`;
}
