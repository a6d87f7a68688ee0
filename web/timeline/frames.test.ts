import { expect, test } from 'vitest';
import { NBSP } from '../base/format.ts';
import { framesText, frameText } from './frames.ts';

test('frames are counted in one way, from 0', () => {
  expect([framesText(508), framesText(1)]).toEqual([`508${NBSP}frames, 0–507`, `1${NBSP}frame`]);
  expect([frameText(5, 508), frameText(4052, 4331), frameText(0, 1)]).toEqual([
    'Frame 5 of 0–507',
    'Frame 4,052 of 0–4,330',
    'Frame 0',
  ]);
});
