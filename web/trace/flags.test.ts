import { expect, it } from 'vitest';
import { FLAG_BEGAN_BEFORE, FLAG_END_INFERRED, FLAG_NEVER_ENDED, FLAG_UNCERTAIN } from '../base/protocol.ts';
import { flagWords } from './flags.ts';

it('labels each flag of a slice', () => {
  expect(flagWords(0)).toEqual([]);
  expect(flagWords(FLAG_BEGAN_BEFORE | FLAG_NEVER_ENDED)).toEqual([
    'Beginning not recorded',
    'Still running when recording ended',
  ]);
  expect(flagWords(FLAG_END_INFERRED | FLAG_UNCERTAIN)).toEqual(['End inferred', 'Uncertain: a guess']);
});
