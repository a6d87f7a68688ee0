import { expect, test } from 'vitest';
import { NBSP } from '../../../base/format.ts';
import { amountOf } from './titles.ts';

test('resources that were not deleted are counted among those that are listed', () => {
  const leaked = { leaked: Float64Array.of(1, 0, 1, 1) };
  expect(amountOf(leaked, [0, 1, 2, 3], 'deleted')).toBe(`4${NBSP}resources, 3 not deleted`);
  expect(amountOf(leaked, [0, 1], 'released')).toBe(`2${NBSP}resources, 1 not released`);
  expect(amountOf(leaked, [1], 'deleted')).toBe(`1${NBSP}resource`);
});
