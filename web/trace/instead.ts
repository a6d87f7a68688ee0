import type { Completion } from './completion.ts';
import { quoted } from './terms.ts';

/** Most expressions that are proposed. */
const MOST = 3;

/**
 * Expressions that may find what an expression was meant to find, which found nothing or is wrong, the most likely first.
 * `isName` says whether a part of a name of the trace is as given, in any case.
 */
export function insteadOf(
  expression: string,
  isWrong: boolean,
  isName: (part: string) => boolean,
): readonly Completion[] {
  const text = expression.trim();
  const found: Completion[] = [];
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
