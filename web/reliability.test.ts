/* docs/reliability.md: each fault has a test, and what the page says is in the source. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tableOf } from '../scripts/browsers/document.mjs';

const [, ...ROWS] = tableOf(readFileSync('docs/reliability.md', 'utf8'));
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Patterns of the names of the tests in a file of browser tests. */
function namesOf(spec: string): RegExp[] {
  const text = readFileSync(`tests/e2e/${spec}`, 'utf8');
  return [...text.matchAll(/^\s*test\(\s*(['`])(.+?)\1/gm)].map(([, , name]) => {
    const parts = name!.split(/\$\{[^}]*\}/).map(escaped);
    return new RegExp(`^${parts.join('.+')}$`);
  });
}

it('names a test for each fault, which exists', () => {
  for (const [fault, , , tests] of ROWS) {
    const named = [...tests!.matchAll(/`(\w+\.spec\.ts)`: ([^;]+)/g)];
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
