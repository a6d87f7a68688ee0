/* docs/reliability.md: each fault has a test, and what the page says is in the source. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { tableOf } from '../scripts/browsers/document.mjs';

const [, ...ROWS] = tableOf(readFileSync('docs/reliability.md', 'utf8'));
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The files of unit tests, beside the code. */
const UNIT = readdirSync('web', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));

/** Patterns of the names of the tests in a file of browser tests or of unit tests. */
function namesOf(file: string): RegExp[] {
  const paths = file.endsWith('.spec.ts')
    ? [`tests/e2e/${file}`]
    : UNIT.filter((name) => basename(name) === file).map((name) => `web/${name}`);
  const text = paths.map((path) => readFileSync(path, 'utf8')).join('\n');
  return [...text.matchAll(/^\s*(?:test|it)\(\s*(['`])(.+?)\1/gm)].map(([, , name]) => {
    const parts = name!.split(/\$\{[^}]*\}/).map(escaped);
    return new RegExp(`^${parts.join('.+')}$`);
  });
}

it('names a test for each fault, which exists', () => {
  for (const [fault, , , tests] of ROWS) {
    const named = [...tests!.matchAll(/`(\w+\.(?:spec|test)\.ts)`: ([^;]+)/g)];
    expect(named.length, fault).toBeGreaterThan(0);
    for (const [, spec, name] of named) {
      expect(
        namesOf(spec!).some((pattern) => pattern.test(name!.trim())),
        `${spec}: ${name}`,
      ).toBe(true);
    }
  }
});

it('quotes what the page says', () => {
  const files = readdirSync('web', { recursive: true, encoding: 'utf8' });
  const source = files
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
    .map((name) => readFileSync(`web/${name}`, 'utf8').replace(/\s+/g, ' '))
    .join(' ');
  for (const [fault, , said] of ROWS) {
    for (const [, sentence] of said!.matchAll(/“([^”]+)”/g)) {
      for (const part of sentence!.split('…')) expect(source, fault).toContain(part.trim());
    }
  }
});
