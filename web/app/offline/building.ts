import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Plugin, transformWithOxc } from 'vite';
import { filesOf } from '../../../scripts/lib.mjs';

/** The file of the service worker, beside the page: it serves what is in its own folder. */
export const SERVICE_WORKER = 'sw.js';
/** What the page does without: the worker itself, and the example of embedding. */
const LEFT_OUT = /^(?:sw\.js|embedding\/.*)$/;
const SOURCE = 'service_worker.ts';

/** A plugin of Vite that adds the service worker, with the digests of all files, to the built page. */
export function serviceWorker(): Plugin {
  let folder = '';
  return {
    name: 'service-worker',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    // Once all files are as they will be served.
    writeBundle: { order: 'post', sequential: true, handler: () => writeServiceWorker(folder) },
  };
}

/** Writes the service worker of the page in a folder. The same files make the same worker. */
export async function writeServiceWorker(folder: string): Promise<void> {
  const names = filesOf(folder).filter((name) => !LEFT_OUT.test(name));
  const digests = names.map((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('base64');
    // Some hosts send the address with the name of the file elsewhere.
    return [name === 'index.html' ? './' : name, `sha256-${digest}`];
  });
  const { code } = await transformWithOxc(readFileSync(join(import.meta.dirname, SOURCE), 'utf8'), SOURCE);
  const files = JSON.stringify(Object.fromEntries(digests), null, 1);
  writeFileSync(join(folder, SERVICE_WORKER), `const FILES = ${files};\n${code}`);
}
