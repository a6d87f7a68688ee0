import { expect, test } from 'vitest';
import { leakedIn } from './resource_titles.ts';

test('resources that were not deleted are counted among those that are listed', () => {
  const leaked = { leaked: Float64Array.of(1, 0, 1, 1) };
  expect(leakedIn(leaked, [0, 1, 2, 3])).toBe(3);
  expect(leakedIn(leaked, [0, 1])).toBe(1);
  expect(leakedIn(leaked, [1])).toBe(0);
});
