import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { ticks } from '../base/ticks.ts';
import { createTrail } from './trail.ts';
import type { Extent } from './view.ts';

const extent = (from: number, to: number): Extent => ({ from: ticks(BigInt(from)), to: ticks(BigInt(to)) });

it('keeps the wider ranges that a range was narrowed from', () => {
  const range = signal<Extent | null>(null);
  const { ranges } = createTrail(range);
  const shown = () => ranges.value.map(({ from, to }) => [Number(from), Number(to)]);
  range.value = extent(0, 100);
  expect(shown()).toEqual([]);
  range.value = extent(10, 50);
  range.value = extent(20, 30);
  expect(shown()).toEqual([
    [0, 100],
    [10, 50],
  ]);
  // Elsewhere in the widest range.
  range.value = extent(60, 70);
  expect(shown()).toEqual([[0, 100]]);
  range.value = extent(0, 100);
  expect(shown()).toEqual([]);
  range.value = extent(5, 6);
  range.value = null;
  range.value = extent(5, 6);
  expect(shown()).toEqual([]);
});
