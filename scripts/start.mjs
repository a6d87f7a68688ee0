// `npm start`: builds the wasm, serves the page with Vite, and rebuilds when a Rust file changes.
//
// Arguments after `--` go to Vite: `npm start -- --port 4000 --host`.

import { watch } from 'node:fs';
import { join } from 'node:path';
import { buildWasm, installed, must, root, run, say } from './lib.mjs';

const build = buildWasm('wasm-dev');
await must(...build);

let timer;
let building = false;
let again = false;
watch(join(root, 'crate'), { recursive: true }, (_, name) => {
  if (!/\.(rs|toml)$/.test(name ?? '')) return;
  // Debounced: editors write a file in several steps.
  clearTimeout(timer);
  timer = setTimeout(rebuild, 200);
});

await must(installed('vite'), process.argv.slice(2));
process.exit(0);

/** Runs one build at a time. Vite notices new files and reloads the page; after an error the old files stay. */
async function rebuild() {
  again = building;
  if (building) return;
  building = true;
  do {
    again = false;
    say('Rust changed');
    await run(...build);
  } while (again);
  building = false;
}
