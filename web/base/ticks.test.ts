import { expect, it } from 'vitest';
import { ceilTo, floorTo, MAX_TICKS, powerOfTwoAbove, powerOfTwoBelow, ticks } from './ticks.ts';

it('clamps positions to 64 bits', () => {
  expect(ticks(-1n)).toBe(0n);
  expect(ticks(MAX_TICKS + 1n)).toBe(MAX_TICKS);
});

it('rounds to powers of two', () => {
  expect([0.01, 1, 1.9, 2, 3.99, 4, 1e6].map(powerOfTwoBelow)).toEqual([1n, 1n, 1n, 2n, 2n, 4n, 524288n]);
  expect([0n, 1n, 2n, 3n, 4n, 5n, 2n ** 63n + 1n].map(powerOfTwoAbove)).toEqual([1n, 1n, 2n, 4n, 4n, 8n, 2n ** 64n]);
});

it('aligns positions above 2^53', () => {
  expect(floorTo(2n ** 60n + 17n, 16n)).toBe(2n ** 60n + 16n);
  expect(ceilTo(2n ** 60n + 17n, 16n)).toBe(2n ** 60n + 32n);
  expect(ceilTo(2n ** 60n, 16n)).toBe(2n ** 60n);
});
