import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const WEB = import.meta.dirname;
/** Which rooms a room may import from, besides itself. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ['base'],
  render: ['base', 'model'],
  ui: ['base', 'model', 'render'],
  worker: ['base'],
};
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

it('imports only leftwards in base <- model <- render <- ui, and the worker only from base', () => {
  const wrong: string[] = [];
  for (const [room, allowed] of Object.entries(MAY)) {
    for (const file of sources(join(WEB, room))) {
      for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
        const target = relative(WEB, resolve(dirname(file), path!)).split('/')[0]!;
        if (target !== room && !allowed.includes(target)) wrong.push(`${relative(WEB, file)} imports ${path}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

it('keeps files at a length that can be read', () => {
  const long = Object.keys(MAY)
    .flatMap((room) => sources(join(WEB, room)))
    .filter((file) => readFileSync(file, 'utf8').split('\n').length > 500);
  expect(long).toEqual([]);
});

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|d)\.ts$/.test(name) && !name.startsWith('wasm/'))
    .map((name) => join(folder, name));
}
