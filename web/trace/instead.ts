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
 * `isName` says whether a part of a name of the trace is as given, in any case.
 */
export function insteadOf(
  expression: string,
  isWrong: boolean,
  isName: (part: string) => boolean,
  spelling: Spelling = { words: [], keys: [] },
): readonly Completion[] {
  const text = expression.trim();
  const found: Completion[] = spelledNearly(text, isName, spelling).map((near) => ({
    text: near,
    meaning: 'A near spelling',
  }));
  const [, key, value = ''] = /^([a-z.]+)[:=](\S+|".*")$/i.exec(text) ?? [];
  const plain = value.replaceAll(/^"|"$/g, '').replaceAll('*', '');
  if (key?.toLowerCase() === 'name' && plain !== '' && isName(plain)) {
    found.push({ text: `name:*${plain.replaceAll(/[\s"]/g, '*')}*`, meaning: 'A part of the name' });
  }
  if (/[A-Z]/.test(text) && isName(text)) {
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
function spelledNearly(text: string, isName: (part: string) => boolean, { words, keys }: Spelling): readonly string[] {
  const replaced: string[] = [];
  let compared = 0;
  const nearest = text.replaceAll(/"[^"]*"?|[\p{L}_][\p{L}\p{N}_]*/gu, (word, at: number) => {
    if (word.startsWith('"') || compared >= MOST_COMPARED) return word;
    const isKey = /[:=<>.]/.test(text[at + word.length] ?? '');
    const isKnown = isKey ? keys.includes(word.toLowerCase()) : /^(or|and|not)$/i.test(word) || isName(word);
    if (isKnown) return word;
    compared += 1;
    const [first, second] = nearestTo(word, isKey ? keys : words, 2);
    if (first !== undefined && second !== undefined && replaced.length === 0) {
      replaced.push(text.slice(0, at) + second + text.slice(at + word.length));
    }
    return first ?? word;
  });
  return [nearest, ...replaced];
}
