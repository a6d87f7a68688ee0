import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitForWasm } from '../scripts/wait_for_wasm.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unspool-building-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const ID = '/somewhere/web/worker/wasm/unspool_cut.js';

it('waits for a module that is being built, and says so', async () => {
  const said: string[][] = [];
  const plugin = waitForWasm(folder);
  plugin.configureServer({ ws: { send: (_, { names }) => said.push(names), on: () => undefined } });
  writeFileSync(join(folder, 'unspool_cut'), '');
  const loading = plugin.load(ID);
  expect(said).toEqual([['unspool_cut']]);
  rmSync(join(folder, 'unspool_cut'));
  expect(await loading).toBeNull();
  expect(said).toEqual([['unspool_cut'], []]);
});

it('ends the wait for a module that does not build', async () => {
  writeFileSync(join(folder, 'unspool_cut'), 'failed');
  await expect(waitForWasm(folder).load(ID)).rejects.toThrow('did not build');
});

it('leaves all other files alone, and modules that are built', async () => {
  const plugin = waitForWasm(folder);
  expect(await plugin.load(ID)).toBeNull();
  expect(await plugin.load('/somewhere/web/ui/main.tsx')).toBeNull();
  expect(plugin.resolveId('./wasm/unspool_cut.js', '/somewhere/web/worker/cut.ts')).toMatch(/wasm.unspool_cut\.js$/);
  expect(plugin.resolveId('./main.tsx', '/somewhere/web/ui/app.tsx')).toBeNull();
});
