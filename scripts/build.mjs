// `npm run build`: the page as any static host can serve it, in dist/. `-- --fast` spares the slow optimisations.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildWasm, fail, installed, must, options, root, say } from './lib.mjs';

/** Bytes that travel, compressed: before a file is opened, and all in all for a file of one format. */
const PAGE = 350_000;
const FORMAT = 500_000;
/** What each needs; sql.js and the disassembler come when they are wanted. */
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
say(`compressed: ${kb(page)} before a file is opened, ${kb(format)} with what reads it`);
if (page > PAGE || (!fast && format > FORMAT)) {
  fail(`That is more than ${kb(PAGE)} and ${kb(FORMAT)}: load what is seldom wanted when it is wanted.`);
}
