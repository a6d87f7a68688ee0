import { recallValue, remember } from '../../base/storage.ts';

/** Something that can be chosen from a list by words. */
export interface Rankable {
  readonly id: string;
  readonly title: string;
}

/**
 * The entries whose titles have all words of a query, in any case, the best first: those in which the words begin words, and
 * before these the ones that begin like the query. Among equals the ones used most recently come first, then the order
 * of the entries decides. `recent` are ids, the latest first. At most `most` are returned. `wholly`: only those in which each word
 * begins a word.
 */
export function ranked<T extends Rankable>(
  entries: readonly T[],
  query: string,
  recent: readonly string[],
  most = Number.POSITIVE_INFINITY,
  wholly = false,
): readonly T[] {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  const places = new Map(recent.map((id, place) => [id, place]));
  const found: { readonly entry: T; readonly score: number; readonly place: number }[] = [];
  for (const entry of entries) {
    const score = scoreOf(entry.title.toLowerCase(), wanted, words);
    if (score > (wholly ? 1 : 0)) found.push({ entry, score, place: places.get(entry.id) ?? Number.POSITIVE_INFINITY });
  }
  // Sorting keeps the order of equals. The difference of two infinities is not a number.
  found.sort((a, b) => b.score - a.score || (a.place === b.place ? 0 : a.place - b.place));
  return found.slice(0, most).map(({ entry }) => entry);
}

/** 0 without a match, 1 with each word somewhere, 2 with each at the beginning of a word, 3 for titles that begin like the query. */
function scoreOf(title: string, wanted: string, words: readonly string[]): number {
  let score = 2;
  for (const word of words) {
    const at = title.indexOf(word);
    if (at < 0) return 0;
    if (!beginsWord(title, word)) score = 1;
  }
  return wanted !== '' && title.startsWith(wanted) ? 3 : score;
}

function beginsWord(title: string, word: string): boolean {
  for (let at = title.indexOf(word); at >= 0; at = title.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(title[at - 1]!)) return true;
  }
  return false;
}

const KEY = 'unspool:recent-commands';
/** Ids that are remembered. */
const REMEMBERED = 12;

/** The ids of what was chosen last in this browser, the latest first. */
export function recentChoices(): readonly string[] {
  const stored = recallValue(KEY);
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [];
}

/** Remembers a choice in this browser. */
export function rememberChoice(id: string): void {
  const next = [id, ...recentChoices().filter((other) => other !== id)].slice(0, REMEMBERED);
  remember(KEY, JSON.stringify(next));
}
