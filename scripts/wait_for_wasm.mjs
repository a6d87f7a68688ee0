// A plugin of Vite's development server: the page is there while wasm modules are still being built. What imports one of those waits,
// and a line at the bottom of the page says for what.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { modulesBuilding, wasmFolder } from './lib.mjs';

/** Milliseconds between two looks at what is built. */
const LOOK_MS = 100;
const MODULE = /\/wasm\/(unspool_\w+)\.js$/;

/** What the page runs in the development server. */
const LINE = `
const line = document.createElement('div');
line.style = 'position:fixed;inset:auto 0 0;padding:4px 12px;background:#333;color:#fff;font:13px sans-serif;z-index:99';
import.meta.hot?.on('unspool:building', ({ names }) => {
  line.textContent = 'Compiling ' + names.join(', ') + '…';
  if (names.length > 0) document.body.append(line);
  else line.remove();
});
`;

/** @typedef {{ send(event: string, data: { names: string[] }): void, on(event: string, heard: () => void): void }} Sockets */

/** The plugin. `folder` has a file for each module that is not built yet, with the word `failed` in it if it cannot be built. */
export function waitForWasm(folder = modulesBuilding) {
  /** @type {Set<string>} */
  const waiting = new Set();
  let tell = () => {};
  /** @satisfies {import('vite').Plugin} */
  const plugin = {
    name: 'wait-for-wasm',
    apply: 'serve',
    enforce: 'pre',
    /** @param {{ ws: Sockets }} server */
    configureServer({ ws }) {
      tell = () => ws.send('unspool:building', { names: [...waiting] });
      // A page that is loaded while another one waits.
      ws.on('connection', () => tell());
    },
    /**
     * @param {string} source
     * @param {string} [importer]
     */
    resolveId(source, importer) {
      const name = importer && MODULE.exec(`/${source}`)?.[1];
      // Vite looks for files, and there is none yet.
      return name ? join(wasmFolder, `${name}.js`) : null;
    },
    /** @param {string} id */
    async load(id) {
      const name = MODULE.exec(id)?.[1];
      const mark = name && join(folder, name);
      if (!mark || !existsSync(mark)) return null;
      waiting.add(name);
      tell();
      try {
        while (existsSync(mark)) {
          if (readFileSync(mark, 'utf8') === 'failed') throw new Error(`${name} did not build: the terminal says why.`);
          await delay(LOOK_MS);
        }
      } finally {
        waiting.delete(name);
        tell();
      }
      return null;
    },
    // Before Vite's own, which makes a module of the script, so that it can listen.
    transformIndexHtml: {
      order: 'pre',
      handler: () => [{ tag: 'script', attrs: { type: 'module' }, children: LINE, injectTo: 'body' }],
    },
  };
  return plugin;
}
