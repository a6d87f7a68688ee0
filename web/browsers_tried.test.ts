/* docs/browsers.md has what the runs of scripts/browsers.mjs write. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CHECKS } from '../scripts/browsers/checks.mjs';
import { tableOf, WORKS } from '../scripts/browsers/document.mjs';

it('lists what is tried, with the browsers, their versions, and what each says where it does not work', () => {
  const [head, ...rows] = tableOf(readFileSync('docs/browsers.md', 'utf8').split(/^\*no\*/m)[0]!);
  expect(head).toEqual([
    'what is tried',
    expect.stringMatching(/^Chromium \d/),
    expect.stringMatching(/^Firefox \d/),
    expect.stringMatching(/^WebKitGTK \d/),
  ]);
  expect(rows.map(([about]) => about)).toEqual(CHECKS.map(({ about }) => about));
  for (const [about, chromium, firefox, webkit] of rows) {
    expect([chromium, firefox], about).toEqual([WORKS, WORKS]);
    // A failure has no sentence of the page.
    expect(webkit, about).toMatch(/^(yes|no: “[^”]+\.”)$/);
  }
});
