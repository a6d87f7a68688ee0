import { expect, it } from 'vitest';
import { createPace } from './pace.ts';

it('fills a portion, and corrects what it expects by how long that took', () => {
  const pace = createPace(true);
  /** How much of a kind fits into a portion. */
  const fits = (kind: string, work: number): number => {
    let count = 0;
    for (; !pace.isFull(kind, work); count += 1) pace.add(kind, work);
    return count;
  };
  const first = fits('a', 1e6);
  expect(first).toBeGreaterThan(10);
  // They took a tenth of the time: more fit into the next one, but not ten times as many at once.
  const portion = pace.take();
  pace.took(portion, portion.expected / 10);
  const second = fits('a', 1e6);
  expect(second).toBeGreaterThan(4 * first);
  expect(second).toBeLessThan(10 * first);
  // Another kind is not known yet.
  pace.take();
  expect(fits('b', 1e6)).toBe(first);
  // Slower than was assumed.
  const slow = pace.take();
  pace.took(slow, 10 * slow.expected);
  expect(fits('b', 1e6)).toBeLessThan(first / 5);
});

it('takes a bounded amount at once of what may be slow, however fast it was', () => {
  const pace = createPace(true);
  for (let i = 0; i < 20; i += 1) {
    pace.add('a', 1e6);
    pace.took(pace.take(), 0);
  }
  let count = 0;
  for (; !pace.isFull('a', 1e8); count += 1) pace.add('a', 1e8);
  expect(count).toBe(64 * 50);
  // Nothing is known of another kind.
  pace.take();
  pace.add('b', 1e8);
  expect(pace.isFull('b', 1e8)).toBe(true);
});

it('lets what is too much for a portion go in parts, or alone', () => {
  const pace = createPace(true);
  expect(pace.share('a', 1e6)).toBe(1);
  expect(pace.share('a', 1e12)).toBeLessThan(1e-4);
  // The first of a portion is always taken.
  expect(pace.isFull('a', 1e12)).toBe(false);
  pace.add('a', 1e12);
  expect(pace.isFull('b', 1)).toBe(true);
});
