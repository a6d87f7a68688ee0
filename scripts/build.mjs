// `npm run build`: the page as any static host can serve it, in dist/. `-- --fast` spares the slow optimisations.

import { buildWasm, installed, must, options } from './lib.mjs';

const { fast } = options([], ['fast']);
await must(...buildWasm(fast ? 'wasm-dev' : 'wasm-release'));
await must(installed('vite'), ['build']);
