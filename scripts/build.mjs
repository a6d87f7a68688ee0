// `npm run build`: builds the page for static hosting into dist/. `-- --fast` skips slow optimisations,
// `-- --only MODULE` builds that wasm module and leaves the others as they are.

import { buildWasm, installed, must, options } from './lib.mjs';
import { checkSizes } from './sizes.mjs';

const { fast, only } = options(['only'], ['fast']);
await must(...buildWasm(fast ? 'wasm-dev' : 'wasm-release', only));
await must(installed('vite'), ['build']);
checkSizes(fast);
