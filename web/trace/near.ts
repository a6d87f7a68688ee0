import { PORTION, type Portions } from '../base/portions.ts';

/** Characters of the longest word that is compared. */
const LONGEST = 48;
/** Words that are compared at most, so that proposals come soon. */
const MOST_WORDS = 100_000;
/** Names in a portion: taking one apart takes longer than a look at it. */
const APART = PORTION / 5;

/** The most differences between a word and what it may have been meant to be: none of a short one, which is near too many others. */
function allowed(length: number): number {
  return length < 4 ? 0 : length < 7 ? 1 : 2;
}

/**
 * Words that are spelled nearly like a word, the nearest first, then in the order of `words`: at most `most`. Case does not count. A
 * difference is a character that is missing, added or another one, or two neighbours in each other's place.
 */
export function* nearestTo(word: string, words: readonly string[], most: number): Portions<readonly string[]> {
  const wanted = word.toLowerCase();
  const limit = allowed(wanted.length);
  if (limit === 0 || wanted.length > LONGEST) return [];
  const byDistance: string[][] = Array.from({ length: limit + 1 }, () => []);
  const count = Math.min(words.length, MOST_WORDS);
  for (let i = 0; i < count; i += 1) {
    if (i > 0 && i % PORTION === 0) yield;
    const other = words[i]!;
    if (Math.abs(other.length - wanted.length) > limit) continue;
    const distance = distanceOf(wanted, other.toLowerCase(), limit);
    if (distance > 0 && distance <= limit) byDistance[distance]!.push(other);
  }
  return [...new Set(byDistance.flat())].slice(0, most);
}

/** The words of names: `l3`, `std` and `vector` of `l3(std::vector)`. Only of the first names, if there are very many. */
export function* wordsOf(names: readonly string[]): Portions<readonly string[]> {
  const words = new Set<string>();
  for (let id = 0; id < names.length && words.size < MOST_WORDS; id += 1) {
    if (id > 0 && id % APART === 0) yield;
    for (const [word] of names[id]!.slice(0, 400).matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)) words.add(word);
  }
  return [...words];
}

/** The number of differences between two words, or more than `limit` as soon as it is that. */
function distanceOf(a: string, b: string, limit: number): number {
  // Rows of the table of distances between beginnings of both words: the one before the last, the last, and this one.
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let distance = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + Number(!isSame));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) distance = Math.min(distance, before[j - 2]! + 1);
      row.push(distance);
      least = Math.min(least, distance);
    }
    if (least > limit) return limit + 1;
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
