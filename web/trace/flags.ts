import { FLAG_BEGAN_BEFORE, FLAG_END_INFERRED, FLAG_NEVER_ENDED, FLAG_UNCERTAIN } from '../base/protocol.ts';

const WORDS: readonly (readonly [flag: number, word: string])[] = [
  [FLAG_BEGAN_BEFORE, 'Beginning not recorded'],
  [FLAG_NEVER_ENDED, 'Still running when recording ended'],
  [FLAG_END_INFERRED, 'End inferred'],
  [FLAG_UNCERTAIN, 'Uncertain: a guess'],
];

/** The labels of a slice's `FLAG_*` bits, in a fixed order. Empty for a slice without flags. */
export function flagWords(flags: number): readonly string[] {
  return WORDS.filter(([flag]) => flags & flag).map(([, word]) => word);
}
