import { PORTION, type Portions } from '../base/portions.ts';
import type { Completion } from './completion.ts';
import { nearestTo } from './near.ts';
import { quoted } from './terms.ts';

/** Most expressions that are proposed, and words of one that are compared with others. */
const MOST = 4;
const MOST_COMPARED = 4;

/** What words may have been meant to be. */
export interface Spelling {
  /** Words of names. */
  readonly words: readonly string[];
  /** Keys of the language. */
  readonly keys: readonly string[];
}

/**
 * Expressions that may find what an expression was meant to find, which found nothing or is wrong, the most likely first.
 * `names` are those of the trace.
 */
export function* insteadOf(
  expression: string,
  isWrong: boolean,
  names: readonly string[],
  spelling: Spelling = { words: [], keys: [] },
): Portions<readonly Completion[]> {
  const text = expression.trim();
  const nearly = yield* spelledNearly(text, names, spelling);
  const found: Completion[] = nearly.map((near) => ({ text: near, meaning: 'A near spelling' }));
  const [, key, value = ''] = /^([a-z.]+)[:=](\S+|".*")$/i.exec(text) ?? [];
  const plain = value.replaceAll(/^"|"$/g, '').replaceAll('*', '');
  if (key?.toLowerCase() === 'name' && plain !== '' && (yield* isPartOf(names, plain))) {
    found.push({ text: `name:*${plain.replaceAll(/[\s"]/g, '*')}*`, meaning: 'A part of the name' });
  }
  if (/[A-Z]/.test(text) && (yield* isPartOf(names, text))) {
    found.push({ text: text.toLowerCase(), meaning: 'Upper and lower case alike' });
  }
  if (key !== undefined && plain !== '') found.push({ text: quoted(plain), meaning: 'Wherever it is on the screen' });
  if (isWrong) found.push({ text: quoted(text), meaning: 'The text itself' });
  const words = text.split(/\s+/);
  if (!isWrong && words.length > 1 && words.length <= 5 && words.every((word) => /^[\p{L}\p{N}_#.]+$/u.test(word))) {
    found.push({ text: words.join(' or '), meaning: 'Any of these words' });
  }
  return found
    .filter((one, i) => one.text !== text && found.findIndex((it) => it.text === one.text) === i)
    .slice(0, MOST);
}

/** The expression with words as they are spelled elsewhere: the nearest of each, and the second of the first one. */
function* spelledNearly(
  text: string,
  names: readonly string[],
  { words, keys }: Spelling,
): Portions<readonly string[]> {
  const replaced: string[] = [];
  let [nearest, end, compared] = ['', 0, 0];
  for (const { 0: word, index } of text.matchAll(/"[^"]*"?|[\p{L}_][\p{L}\p{N}_]*/gu)) {
    if (word.startsWith('"') || compared >= MOST_COMPARED) continue;
    const [head, rest] = [text.slice(0, index), text.slice(index + word.length)];
    const isKey = /^[:=<>.]/.test(rest);
    const isKnown = isKey
      ? keys.includes(word.toLowerCase())
      : /^(or|and|not)$/i.test(word) || (yield* isPartOf(names, word));
    if (isKnown) continue;
    compared += 1;
    const [first, second] = yield* nearestTo(word, isKey ? keys : words, 2);
    if (first === undefined) continue;
    if (second !== undefined && replaced.length === 0) replaced.push(head + second + rest);
    nearest += head.slice(end) + first;
    end = index + word.length;
  }
  return [nearest + text.slice(end), ...replaced];
}

/** Whether a text is a part of a name, in any case. */
function* isPartOf(names: readonly string[], text: string): Portions<boolean> {
  const part = text.toLowerCase();
  for (let id = 0; id < names.length; id += 1) {
    if (id > 0 && id % PORTION === 0) yield;
    if (names[id]!.toLowerCase().includes(part)) return true;
  }
  return false;
}
