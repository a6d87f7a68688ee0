// `npm run build`: builds the page for static hosting into dist/. `-- --fast` skips slow optimisations.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildWasm, fail, installed, must, options, root, say } from './lib.mjs';

/** Most compressed bytes: of the page before a file is opened, and in total for a file of one format. */
const PAGE = 350_000;
const FORMAT = 500_000;
/** The files of each. sql.js and the disassembler are loaded on demand. */
const OF_PAGE = /^index-.*\.(js|css)$/;
const OF_FORMAT = /^(worker-.*\.js|unspool_browser.*\.wasm)$/;

const { fast } = options([], ['fast']);
await must(...buildWasm(fast ? 'wasm-dev' : 'wasm-release'));
await must(installed('vite'), ['build']);

const assets = join(root, 'dist', 'assets');
const size = (of) =>
  readdirSync(assets)
    .filter((name) => of.test(name))
    .reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name)), { level: 9 }).length, 0);
const page = size(OF_PAGE);
const format = page + size(OF_FORMAT);
const kb = (bytes) => `${Math.round(bytes / 1000)} kB`;
say(`compressed: ${kb(page)} before a file is opened, ${kb(format)} with the decoders`);
if (page > PAGE || (!fast && format > FORMAT)) {
  fail(`The limits are ${kb(PAGE)} and ${kb(FORMAT)}: load rarely used code on demand.`);
}
