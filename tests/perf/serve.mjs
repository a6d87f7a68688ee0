// The static server of the browser tests, on a free port.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/lib.mjs';

/**
 * Serves a folder. Returns its URL and a function that stops it.
 *
 * @param {string} dir
 * @returns {Promise<{ url: string, stop: () => boolean }>}
 */
export function serve(dir) {
  const script = join(root, 'scripts', 'serve.mjs');
  const child = spawn(process.execPath, [script, '--dir', dir, '--prefix', '/bench/', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error(`${dir} cannot be served`)));
    child.stdout.once('data', (line) => resolve({ url: String(line).trim(), stop: () => child.kill() }));
  });
}
