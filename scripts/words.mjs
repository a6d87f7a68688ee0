// Finds words that a native reader of English stumbles over, in comments, documents and messages.
//
//   node scripts/words.mjs
//
// Names in code, quotations, and strings of tests are not looked at. Prints each place with what to write instead.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { fail, root, say } from './lib.mjs';

/** @typedef {[word: RegExp, instead: string]} Word */
/** @typedef {{ line: number, text: string, instead: string }} Fault */

/**
 * What is wrong everywhere, messages included, with what to write instead.
 *
 * @type {readonly Word[]}
 */
const ANYWHERE = [
  [/\banew\b/i, 'again, from scratch, start over'],
  [/\b(somebody|nobody|whoever)\b/i, 'a named subject: the user, the caller, no step; or the passive'],
  [/\bas many times\b/i, 'N times, for a named N'],
  [/\bthe person\b/i, 'the user'],
  [/\bnone to be had\b/i, 'there is none'],
  [/\bfollow upon each other\b/i, 'back-to-back'],
];
/**
 * What is wrong in comments and documents.
 *
 * @type {readonly Word[]}
 */
const PROSE = [
  [/(?<!\bthere )\b(is|are) none\b(?! (left|yet|so far))/i, 'is not one; or name what it is not'],
  [
    /(?<!\bthere )\b(is|are) no (?!longer|more|less|fewer|such|other|one|better|worse|doubt|room|need)[a-z]/i,
    'is not a, are not',
  ],
  [/\b(in|of|with|after|before|every|above|least|most|without) so many\b/i, 'the number by its name: `limit` bits'],
  [
    /\b(nothing|system|kernel|trace|job|worker) tells\b(?! (\w+ )?apart)|\btells nothing\b/i,
    'says, reports, sends; or is known',
  ],
  [/\b(is|are|was|has|have|been) told\b(?! (apart|from))/i, 'is reported, is sent; or is known'],
];
const TEST = /(^|\/)(tests|e2e|examples|benches|fuzz)\/|\.(test|fixture|spec)\.|tests?\.rs$/;

/**
 * A text without code and quotations.
 *
 * @param {string} text
 */
function bare(text) {
  return text.replaceAll(/`[^`]*`|“[^”]*”|"[^"]*"/g, '…');
}

/**
 * The faults of a file: the number of the line, what stands there, and what to write instead.
 *
 * `name` decides what is looked at: everything but code in Markdown, otherwise comments and, outside tests, strings of
 * several words.
 *
 * @param {string} name
 * @param {string} source
 * @returns {Fault[]}
 */
export function faults(name, source) {
  /** @type {Fault[]} */
  const found = [];
  /** @type {(words: readonly Word[], text: string, at: number) => void} */
  const look = (words, text, at) => {
    for (const [word, instead] of words) {
      const match = word.exec(text);
      if (match) found.push({ line: at + 1, text: match[0], instead });
    }
  };
  const isText = name.endsWith('.md');
  let isCode = false;
  let isBlock = false;
  let hasMessages = !isText && !TEST.test(name);
  for (const [at, line] of source.split('\n').entries()) {
    if (/^#\[cfg\(test\)\]/.test(line)) hasMessages = false;
    const comment = isText || isBlock ? line : /(?:^|\s)(?:\/\/[/!]?|\/\*+)(?=\s|$)(.*)/.exec(line)?.[1];
    if (!isText) isBlock = isBlock ? !line.includes('*/') : /(^|\s)\/\*(?!.*\*\/)/.test(line);
    if (comment !== undefined) {
      if (/^\s*(```|~~~)/.test(comment)) isCode = !isCode;
      else if (!isCode && !/^ {4}/.test(isText ? line : '')) look([...ANYWHERE, ...PROSE], bare(comment), at);
    } else isCode = false;
    if (!hasMessages || comment !== undefined) continue;
    // Strings of several words; in TSX, texts between tags.
    const strings = line.match(/(["'`])(?:\\.|(?!\1).)* (?:\\.|(?!\1).)*\1/g) ?? [];
    const texts = name.endsWith('.tsx') && /^\s*[A-Z][\w ,.]+$/.test(line) ? [line] : [];
    for (const text of [...strings, ...texts]) look(ANYWHERE, text, at);
  }
  return found;
}

/** Prints the faults of all files of the repository, and returns their number. */
export function checkWords() {
  const list = execFileSync('git', ['ls-files', '*.rs', '*.ts', '*.tsx', '*.mjs', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  let count = 0;
  for (const name of list.trim().split('\n')) {
    if (/(^|\/)words\.(test\.ts|mjs)$/.test(name)) continue;
    for (const { line, text, instead } of faults(name, readFileSync(join(root, name), 'utf8'))) {
      say(`${name}:${line}: “${text}”: write ${instead}`);
      count++;
    }
  }
  return count;
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const count = checkWords();
  if (count > 0) fail(`${count} places with words to replace.`);
}
