import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cratesOfPage, isAllowed, licenseText, othersOfPage, packagesOf } from '../scripts/licenses.mjs';
import modules from '../xtask/modules.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');

it('has the texts of every crate that Cargo builds a wasm module from', () => {
  const text = licenseText([...cratesOfPage(), ...othersOfPage()], 'a test');
  // What cargo-tree says is independent of the graph that the script walks.
  const given = ['--locked', '--edges', 'normal', '--prefix', 'none', '--format', '{p}', '--no-default-features'];
  const features = modules.flatMap(({ package: name, features = [] }) => features.map((it) => `${name}/${it}`));
  const packages = modules.flatMap((module) => ['-p', module.package]);
  const cargo = ['tree', ...given, '--target', 'wasm32-unknown-unknown', ...packages, '--features', features.join(',')];
  const tree = spawnSync('cargo', cargo, { cwd: ROOT, encoding: 'utf8' });
  const crates = [...tree.stdout.matchAll(/^(\S+) v(\S+)(?: \(proc-macro\))?(?: \(\*\))?$/gm)];
  expect(crates.length, tree.stderr).toBeGreaterThan(40);
  const missing = crates
    .map(([, name, version]) => `${name} ${version}`)
    .filter((name) => !text.includes(`\n${name} (`));
  expect(missing).toEqual([]);
  // Each number in the list is that of a text.
  for (const [, number] of text.split('====')[0]!.matchAll(/[[ ](\d+)[,\]]/g)) expect(text).toContain(`\n[${number}] `);
});

it('knows the packages of modules, those of the bundler included', () => {
  const at = (path: string) => join(ROOT, 'node_modules', path);
  const ids = [
    at('preact/dist/preact.mjs'),
    at('@lezer/common/dist/index.js'),
    '\0vite/preload-helper.js',
    join(ROOT, 'web/app/main.tsx'),
  ];
  const found = packagesOf([...ids, ids[0]!, `\0${at('sql.js/dist/sql-wasm.js')}?commonjs-module`]);
  expect(found.map(({ name }) => name.split(' ')[0])).toEqual(['@lezer/common', 'preact', 'sql.js', 'vite']);
});

it('refuses licences that are not allowed, and those without a text', () => {
  const thing = { name: 'x 1', from: 'npm', license: 'MIT', authors: ['Anna <a@example.org>'], text: '' };
  expect(licenseText([thing], 'a test')).toContain('Copyright (c) Anna');
  expect(() => licenseText([{ ...thing, license: 'GPL-3.0-only' }], 'a test')).toThrow(
    'x 1 is licensed under “GPL-3.0-only”',
  );
  expect(() => licenseText([{ ...thing, license: '' }], 'a test')).toThrow('x 1');
  expect(() => licenseText([{ ...thing, license: 'Zlib' }], 'a test')).toThrow('without the text');
  const allowed = ['MIT', 'Unicode-3.0'];
  expect(isAllowed('GPL-2.0 OR MIT', allowed)).toBe(true);
  expect(isAllowed('BSD-3-Clause/MIT', allowed)).toBe(true);
  expect(isAllowed('(MIT OR Apache-2.0) AND Unicode-3.0', allowed)).toBe(true);
  expect(isAllowed('MIT AND GPL-2.0', allowed)).toBe(false);
});

it('allows each licence in one place, deny.toml', () => {
  expect(readFileSync(join(ROOT, 'deny.toml'), 'utf8')).toMatch(/^allow = \[\n(?: +"[\w. -]+",\n)+\]$/m);
});
