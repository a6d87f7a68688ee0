// How large the built page may be. The build checks all of it, `npm test` what is the same in a page for tests: scripts and styles.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fail, installed, must, root, say } from './lib.mjs';

/**
 * Most compressed bytes: of the page before a file is opened, with the view of a trace, and in total for a file of one
 * format. In the view, names of functions have a text that is shown beside the one that identifies them, by 0.2 kB. In the worker that opens it, ranges of an address are read by 3 kB, and slices that leave memory are packed, written and kept by 10 kB.
 * 1 kB says which records were lost, and which tracks of values are statements, buffers and auxiliary values. With 4 kB, time without
 * records is a slice, calls without an exit make figures uncertain, records that a child wrote again count once, and frames have the calls
 * that return in them. 6 kB tell in which order memory was recorded, and where signals come between a call and its callee; 3 kB count
 * draws of deferred contexts where they are executed; 3 kB replace names of functions by short ones. In the view, 0.2 kB count what traces
 * keep in one budget, and show characters without a shape; 2 kB in the worker count names, call paths and tables of decoders, and 2 kB
 * count open calls, signatures and places, and look at no open call for an exit that has none.
 */
const FIRST = 73_000;
const PAGE = 121_200;
const FORMAT = 571_000;
/**
 * Most compressed bytes of any of our wasm modules but the session's, which counts with the page, and those of {@link LARGER}. The largest
 * replays OpenGL, with the types of all of GLSL, a handler or a reason for each function of OpenGL, buffer textures, and clip volumes and
 * outputs of vertex shaders.
 */
const MODULE = 350_000;
/**
 * Modules with limits of their own. The state of OpenGL, its survey, findings and the cut of frames follow the same calls in one worker:
 * as two modules they had 362 and 285 kB, a third of them twice.
 *
 * @type {Readonly<Record<string, number>>}
 */
const LARGER = { unspool_graphics: 480_000 };
/** Most bytes of the page as one file, with all modules. */
const ONE_FILE = 4_500_000;
const SESSION = 'unspool_browser';
/** The files of each. The page loads what its HTML names. sql.js and the other modules are loaded on demand. */
const OF_FIRST = /assets\/([^"]+\.(?:js|css))"/g;
const OF_VIEW = /^(timeline|rolldown-runtime)-.*\.(js|css)$/;
const OF_FORMAT = /^(worker-.*\.js|unspool_browser.*\.wasm)$/;
const OF_MODULE = /^(unspool_.*)_bg.*\.wasm$/;

/**
 * Says how large `dist/` is, and fails beyond the limits. `fast`: the modules are not optimised, so that theirs are not looked at.
 *
 * @param {boolean} [fast]
 */
export function checkSizes(fast) {
  const assets = join(root, 'dist', 'assets');
  const names = readdirSync(assets);
  /** @param {string} name */
  const compressed = (name) => gzipSync(readFileSync(join(assets, name)), { level: 9 }).length;
  /** @param {readonly string[]} files */
  const size = (files) => files.reduce((sum, name) => sum + compressed(name), 0);
  const html = readFileSync(join(root, 'dist', 'index.html'), 'utf8');
  const first = size([...html.matchAll(OF_FIRST)].map(([, name]) => name));
  const page = first + size(names.filter((name) => OF_VIEW.test(name)));
  const format = page + size(names.filter((name) => OF_FORMAT.test(name)));
  /** @param {number} bytes */
  const kb = (bytes) => `${Math.round(bytes / 1000)} kB`;
  say(
    `compressed: ${kb(first)} before a file is opened, ${kb(page)} with the view of a trace, ${kb(format)} with the decoders`,
  );
  if (first > FIRST || page > PAGE || (!fast && format > FORMAT)) {
    fail(`The limits are ${kb(FIRST)}, ${kb(PAGE)} and ${kb(FORMAT)}: load rarely used code on demand.`);
  }
  const modules = names.flatMap((name) => {
    const module = OF_MODULE.exec(name)?.[1];
    return module ? [{ module, bytes: compressed(name) }] : [];
  });
  say(`compressed modules: ${modules.map(({ module, bytes }) => `${module} ${kb(bytes)}`).join(', ')}`);
  /** @param {string} module */
  const limit = (module) => LARGER[module] ?? MODULE;
  const large = modules.filter(({ module, bytes }) => module !== SESSION && bytes > limit(module));
  if (!fast && large.length > 0) {
    const told = large.map(({ module }) => `${module} (${kb(limit(module))})`).join(' and ');
    fail(`Modules are larger than their limits: load rarely used code of ${told} on demand.`);
  }
}

/**
 * Builds the page as one file, and returns its path. Fails beyond the limit, unless the modules are not optimised (`fast`).
 *
 * @param {boolean} [fast]
 */
export async function buildOneFile(fast) {
  await must(installed('vite'), ['build', '--mode', 'one-file', '--logLevel', 'warn']);
  const file = join(root, 'dist-file', 'unspool.html');
  const { size } = statSync(file);
  say(`unspool.html: ${(size / 1e6).toFixed(2)} MB`);
  if (!fast && size > ONE_FILE) fail(`The limit of unspool.html is ${ONE_FILE / 1e6} MB.`);
  return file;
}
