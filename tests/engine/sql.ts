/*
 * sql.js for tests. It starts once for each evaluation of its script, which in a browser is once for each worker; workers of tests share a
 * thread, so its script is evaluated for each start.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const path = require.resolve('sql.js/dist/sql-wasm-browser.js');
const script = readFileSync(path, 'utf8');

/** Starts sql.js, as its own default export does. */
export default function init(config: unknown): Promise<unknown> {
  const module: { exports: unknown } = { exports: {} };
  new Function('module', 'exports', 'require', script)(module, module.exports, require);
  return (module.exports as (config: unknown) => Promise<unknown>)(config);
}
