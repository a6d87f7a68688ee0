// Ratchets: counts of what no new code should have. They may only fall, until there is nothing left to count.
//
//   node scripts/ratchets.mjs [--write]
//
// Each has a file in tests/ratchets with the count of each file of the repository. A change fails if the sum of all files rises; code may
// move from one file to another. It also fails if the counts are not those of the file, because what was gained could be lost again.
// `--write` writes the counts unless the sum rises, creates a file that is missing, and resolves the marks of a merge. A number that has
// to rise is edited by hand, and the commit says why.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { fail, output, root } from './lib.mjs';
import {
  assertions,
  checkedScripts,
  isTest,
  longFunctions,
  questions,
  uncheckedScripts,
  vagueNames,
} from './ratchets/counters.mjs';

/** @import { Place, Source } from './ratchets/counters.mjs' */
/**
 * `name` is that of its file, `noun` what it counts, `mend` what to do about a place.
 *
 * @typedef {object} Ratchet
 * @property {string} name
 * @property {string} noun
 * @property {string} mend
 * @property {(file: string) => boolean} covers
 * @property {(sources: readonly Source[]) => Place[] | Promise<Place[]>} count
 */
/** @typedef {Record<string, number>} Counts */

const FOLDER = 'tests/ratchets';
/** Places of a file that are listed. */
const MOST_PLACES = 8;
const WRITE = 'node scripts/ratchets.mjs --write';

/** @type {(file: string) => boolean} */
const isOfPage = (file) => /^web\/.*\.tsx?$/.test(file) && !file.endsWith('.d.ts');

/** @type {readonly Ratchet[]} */
export const RATCHETS = [
  {
    name: 'functions',
    noun: 'functions of more than 120 lines',
    mend: 'Move steps, parts of a component or groups of methods into functions of their own.',
    covers: (file) => isOfPage(file) || /^tests\/.*\.ts$/.test(file),
    count: (sources) => longFunctions(sources),
  },
  {
    name: 'names',
    noun: 'names that are function words or participles',
    mend: 'Name the thing: `position`, not `at`; `matches`, not `found`; `threads`, not `all`.',
    covers: (file) => isOfPage(file) && !isTest(file),
    count: vagueNames,
  },
  {
    name: 'comments',
    noun: 'doc comments that begin with What, How or Where',
    mend: 'Begin with the noun or the verb: “The kind of …”, “Returns …”, “Splits …”.',
    covers: (file) => /\.(?:tsx?|mjs|rs)$/.test(file),
    count: questions,
  },
  {
    name: 'assertions',
    noun: '`!`, `as never`, `as any` and `as unknown as` in unit tests',
    mend: 'Use a fixture with the type that is asked for, or a helper that throws if there is no value.',
    covers: (file) => isOfPage(file) && isTest(file),
    count: assertions,
  },
  {
    name: 'scripts',
    noun: 'lines of scripts whose types are not checked',
    mend: 'Let tsconfig.scripts.json include the script, and remove its @ts-nocheck.',
    covers: (file) => file.endsWith('.mjs'),
    count: async (sources) => uncheckedScripts(sources, await checkedScripts()),
  },
];

/**
 * The counts in a file of tests/ratchets. Between the marks of a merge the larger number of both sides holds, and `--write` lowers it.
 *
 * @param {string} text
 * @returns {Counts}
 */
export function parseCounts(text) {
  /** @type {Counts} */
  const counts = {};
  for (const [, file, count] of text.matchAll(/^\s*"([^"]+)": (\d+),?$/gm))
    counts[file] = Math.max(counts[file] ?? 0, Number(count));
  return counts;
}

/**
 * The text of a file of tests/ratchets: a line for each file, in order.
 *
 * @param {Counts} counts
 */
export function formatCounts(counts) {
  const rows = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`;
}

/**
 * The sum of all files.
 *
 * @param {Counts} counts
 */
export function sumOf(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * The counts of places.
 *
 * @param {readonly Place[]} places
 */
export function countsOf(places) {
  /** @type {Counts} */
  const counts = {};
  for (const { file, count = 1 } of places) counts[file] = (counts[file] ?? 0) + count;
  return counts;
}

/**
 * Compares the places of a ratchet with the text of its file, undefined if there is none yet. `isOk` if both have the same counts. If the
 * sum rises, `risen` has the files with a higher count.
 *
 * @param {readonly Place[]} places
 * @param {string | undefined} file
 * @returns {{ isOk: boolean, text: string, sum: number, limit: number, risen: string[] }}
 */
export function judge(places, file) {
  const counts = countsOf(places);
  const text = formatCounts(counts);
  const sum = sumOf(counts);
  if (file === undefined) return { isOk: false, text, sum, limit: sum, risen: [] };
  const limits = parseCounts(file);
  const risen = Object.keys(counts).filter((name) => counts[name] > (limits[name] ?? 0));
  const isWorse = sum > sumOf(limits);
  return { isOk: text === file, text, sum, limit: sumOf(limits), risen: isWorse ? risen : [] };
}

/**
 * Counts everything, and compares. `isWriting` writes numbers that fell. Returns what is wrong, a text for each ratchet, and the files
 * that were written.
 *
 * @param {boolean} isWriting
 * @returns {Promise<{ wrong: string[], written: string[] }>}
 */
export async function checkRatchets(isWriting) {
  const sources = readSources();
  /** @type {string[]} */
  const wrong = [];
  /** @type {string[]} */
  const names = [];
  const results = await Promise.all(
    RATCHETS.map(async (ratchet) => ({
      ratchet,
      places: await ratchet.count(sources.filter(({ file }) => ratchet.covers(file))),
    })),
  );
  for (const { ratchet, places } of results) {
    const name = `${FOLDER}/${ratchet.name}.json`;
    const path = join(root, name);
    const verdict = judge(places, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
    if (verdict.risen.length > 0) wrong.push(explain(ratchet, places, verdict));
    else if (!verdict.isOk && !isWriting)
      wrong.push(`${name} is out of date: ${difference(ratchet, verdict)}. Run \`${WRITE}\`.`);
    else if (!verdict.isOk) {
      mkdirSync(join(root, FOLDER), { recursive: true });
      writeFileSync(path, verdict.text);
      names.push(name);
    }
  }
  return { wrong, written: names };
}

/**
 * The difference between a count that did not rise and its file.
 *
 * @param {Ratchet} ratchet
 * @param {{ sum: number, limit: number }} verdict
 */
function difference({ noun }, { sum, limit }) {
  return sum < limit ? `there are ${sum} ${noun}, fewer than ${limit}` : 'some are in other files now';
}

/**
 * The text that says where a count rose.
 *
 * @param {Ratchet} ratchet
 * @param {readonly Place[]} places
 * @param {{ sum: number, limit: number, risen: readonly string[] }} verdict
 */
function explain({ noun, mend }, places, { sum, limit, risen }) {
  const text = [`There are ${sum} ${noun}, and at most ${limit} are allowed. ${mend}`];
  for (const file of risen) {
    const lines = changedLines(file);
    const ofFile = places.filter((place) => place.file === file);
    const recent = ofFile.filter(({ line }) => lines.has(line));
    const listing = recent.length > 0 ? recent : ofFile;
    text.push(...listing.slice(0, MOST_PLACES).map((place) => `  ${file}:${place.line}: ${place.text}`));
    if (listing.length > MOST_PLACES) text.push(`  ${file}: ${listing.length - MOST_PLACES} more`);
  }
  return text.join('\n');
}

/**
 * The lines of a file that are not committed yet. Empty if git does not know.
 *
 * @param {string} file
 * @returns {Set<number>}
 */
function changedLines(file) {
  const lines = new Set();
  const diff = output('git', ['diff', '-U0', 'HEAD', '--', file]) ?? '';
  for (const [, begin, count = '1'] of diff.matchAll(/^@@ .*\+(\d+)(?:,(\d+))? @@/gm))
    for (let offset = 0; offset < Number(count); offset++) lines.add(Number(begin) + offset);
  return lines;
}

/** The files of the repository that a ratchet covers. */
function readSources() {
  const list = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
  return list
    .trim()
    .split('\n')
    .filter((file) => RATCHETS.some(({ covers }) => covers(file)) && existsSync(join(root, file)))
    .map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }));
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const { wrong, written } = await checkRatchets(argv.includes('--write'));
  for (const name of written) console.log(`${name} is written.`);
  for (const text of wrong) console.error(`\n${text}`);
  if (wrong.length > 0) fail(`${wrong.length} of ${RATCHETS.length} ratchets failed.`);
}
