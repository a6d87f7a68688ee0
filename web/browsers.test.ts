import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { browserslist } from '../package.json';
import { NEEDED } from './app/browsers.ts';

const WEB = import.meta.dirname;
/** What came after the oldest browsers. `lib` of tsconfig.json rules out later versions of the language, but not these. */
const LATER: readonly (readonly [RegExp, string])[] = [
  [/\.(?:toSorted|toReversed|toSpliced|with)\(/, 'Firefox 115'],
  [/\bURL\.(?:canParse|parse)\b/, 'Chrome 120'],
  [/\bAbortSignal\.any\b/, 'Chrome 116'],
  [/\bIntl\.Segmenter\b/, 'Firefox 125'],
  [/\bcheckVisibility\(/, 'Safari 17.4'],
  [/\b(?:showPopover|hidePopover|togglePopover)\b/, 'Firefox 125'],
  [/\blight-dark\(/, 'Chrome 123'],
  [/@starting-style\b/, 'Chrome 117'],
];

it('names the browsers of package.json, which the build is made for, in README and page', () => {
  const [chrome, firefox, safari] = browserslist.map((browser) =>
    browser.replace(' >= ', ' ').replace(/^./, (first) => first.toUpperCase()),
  );
  const readme = readFileSync(join(WEB, '../README.md'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(readme).toContain(`Unspool needs ${chrome}, ${firefox} or ${safari};`);
  expect(NEEDED).toBe(`Unspool needs ${chrome}, ${firefox}, ${safari} or later.`);
});

it('uses nothing that came after these browsers', () => {
  const found: string[] = [];
  for (const entry of readdirSync(WEB, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!/\.(?:tsx?|css)$/.test(file) || /\.test\.|\/wasm\//.test(file)) continue;
    const source = readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');
    for (const [name, since] of LATER) if (name.test(source)) found.push(`${file}: ${name} is of ${since}`);
  }
  expect(found).toEqual([]);
});
