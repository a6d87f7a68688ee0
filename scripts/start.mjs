// `npm start`: serves the page with Vite, builds the wasm meanwhile, and rebuilds it when a Rust file changes.
//
// Arguments after `--` go to Vite: `npm start -- --port 4000 --host`. `npm start -- --release` serves the page as it is published.

import { mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWasm, installed, modulesBuilding, must, root, run, say, wasmModules } from './lib.mjs';

/** Builds fast and runs slower. */
const PROFILE = 'wasm-dev';

const given = process.argv.slice(2).filter((arg) => arg !== '--release');
if (process.argv.includes('--release')) {
  await must(process.execPath, [join(root, 'scripts', 'build.mjs')]);
  await must(installed('vite'), ['preview', ...given]);
  process.exit(0);
}

/** @type {NodeJS.Timeout | undefined} */
let timer;
let building = false;
let again = false;
// `cargo xtask wasm` removes the mark of each module that it has built. Until then, scripts/wait_for_wasm.mjs has the page wait.
mkdirSync(modulesBuilding, { recursive: true });
for (const { name } of wasmModules) writeFileSync(join(modulesBuilding, name), '');
const server = must(installed('vite'), given);
void rebuild(first);
watch(join(root, 'crate'), { recursive: true }, (_, name) => {
  if (!/\.(rs|toml)$/.test(name ?? '')) return;
  // Debounced: editors write a file in several steps.
  clearTimeout(timer);
  timer = setTimeout(rebuild, 200);
});
await server;
rmSync(modulesBuilding, { recursive: true, force: true });
process.exit(0);

/** Compiles what the page needs first, at the same time as the tool that makes a module of it. */
async function first() {
  const [{ package: name }] = wasmModules;
  await Promise.all([
    run('cargo', ['build', '-p', name, '--profile', PROFILE, '--target', 'wasm32-unknown-unknown']),
    run('cargo', ['build', '--quiet', '--manifest-path', 'xtask/Cargo.toml', '--package', 'xtask']),
  ]);
}

/** Runs one build at a time, after `before`. Vite notices new files and reloads the page; after an error the old files stay. */
async function rebuild(before = () => say('Rust changed')) {
  again = building;
  if (building) return;
  building = true;
  do {
    again = false;
    await before();
    const status = await run(...buildWasm(PROFILE));
    if (status === 0) say('All wasm modules are built');
    else for (const { name } of wasmModules) markFailed(name);
  } while (again);
  building = false;
}

/**
 * Ends the wait for a module that was not built.
 *
 * @param {string} name
 */
function markFailed(name) {
  try {
    writeFileSync(join(modulesBuilding, name), 'failed', { flag: 'r+' });
  } catch {
    // It was built.
  }
}
