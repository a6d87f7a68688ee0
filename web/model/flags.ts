import { FLAG_BEGAN_BEFORE, FLAG_END_INFERRED, FLAG_NEVER_ENDED } from '../base/protocol.ts';

/** The flags of a slice in words, none when it is an ordinary one. */
export function flagWords(flags: number): readonly string[] {
  const words: string[] = [];
  if (flags & FLAG_BEGAN_BEFORE) words.push('Began before the recording');
  if (flags & FLAG_NEVER_ENDED) words.push('Had not ended when the recording did');
  if (flags & FLAG_END_INFERRED) words.push('Its end is inferred');
  return words;
}
