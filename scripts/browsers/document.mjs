// The table of docs/browsers.md: a row for each check, a column for each browser, written by the runs.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib.mjs';

export const DOCUMENT = join(root, 'docs', 'browsers.md');
/** @type {Record<string, string>} */
const NAMES = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKitGTK' };
/** In the cell of what works. */
export const WORKS = 'yes';

/**
 * The rows of the table, each a list of cells, with that of names and versions first.
 *
 * @param {string} text
 */
export function tableOf(text) {
  const lines = text.split('\n').filter((line) => line.startsWith('|') && !line.startsWith('|---'));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/**
 * Writes the column of a browser. Rows of checks that are not known any more go, and new ones are empty in the other columns.
 *
 * @param {string} name
 * @param {string} version
 * @param {readonly { about: string, sentence: string, error?: string | undefined }[]} results
 */
export function writeColumn(name, version, results) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [head, ...rows] = tableOf(text);
  const place = 1 + Object.keys(NAMES).indexOf(name);
  const now = [
    head.with(place, `${NAMES[name]} ${version}`),
    ...results.map(({ about, sentence, error }) => {
      const row = rows.find(([first]) => first === about) ?? [about, '', '', ''];
      return row.with(place, error ? `no: ${error}` : sentence === '' ? WORKS : `no: “${sentence}”`);
    }),
  ];
  const [first, ...others] = now.map((cells) => `| ${cells.join(' | ')} |`);
  const table = [first, '|---|---|---|---|', ...others].join('\n');
  writeFileSync(
    DOCUMENT,
    text.replace(/\|[\s\S]*\|/, () => table),
  );
}
