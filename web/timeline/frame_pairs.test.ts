import { expect, it } from 'vitest';
import { pairsByNumber } from './frame_pairs.ts';

it('pairs frames by number, and those that one trace lacks with none', () => {
  expect(pairsByNumber(1, 2)).toEqual([
    { a: 0, b: 0 },
    { a: null, b: 1 },
  ]);
});
