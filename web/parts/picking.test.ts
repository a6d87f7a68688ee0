import { expect, test } from 'vitest';
import { matching, movedBy } from './picking.ts';

const CHOICES = ['All 3 threads', 'main thread 1', 'Worker 10', 'worker 2'].map((name, id) => ({ id, name }));

test('a filter matches words in any order and case', () => {
  const names = (filter: string) => matching(CHOICES, filter).map(({ name }) => name);
  expect(matching(CHOICES, ' ')).toBe(CHOICES);
  expect(names('WORK')).toEqual(['Worker 10', 'worker 2']);
  expect(names('thread main')).toEqual(['main thread 1']);
  expect(names('worker 3')).toEqual([]);
});

test('keys move within the list', () => {
  expect(movedBy('ArrowDown', -1, 4, 2)).toBe(0);
  expect(movedBy('ArrowUp', -1, 4, 2)).toBe(3);
  expect(movedBy('ArrowDown', 3, 4, 2)).toBe(3);
  expect(movedBy('PageDown', 0, 4, 2)).toBe(2);
  expect(movedBy('PageUp', 1, 4, 2)).toBe(0);
  expect(movedBy('ArrowDown', -1, 0, 2)).toBeNull();
  expect(movedBy('a', 1, 4, 2)).toBeNull();
});
