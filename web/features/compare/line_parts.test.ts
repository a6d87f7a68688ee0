import { expect, test } from 'vitest';
import { lineParts } from './line_parts.ts';

/** Both lines, what differs in brackets. */
const marked = (a: string, b: string) =>
  lineParts(a, b).map((parts) => parts.map(({ text, differs }) => (differs ? `[${text}]` : text)).join(''));

test('values that differ are marked, and nothing else', () => {
  expect(marked('glColor3f(red = 1, blue = 0.5)', 'glColor3f(red = 1, blue = 0.25)')).toEqual([
    'glColor3f(red = 1, blue = [0.5])',
    'glColor3f(red = 1, blue = [0.25])',
  ]);
  expect(marked('f(-1, 2)', 'f(1, 2, 3)')).toEqual(['f([-1], 2)', 'f([1], 2[, 3])']);
  expect(marked('mov edi, 0x3d', 'movsx edi, al')).toEqual(['[mov] edi, [0x3d]', '[movsx] edi, [al]']);
});

test('words that differ side by side are one mark, and equal lines have none', () => {
  expect(marked('a b c d', 'a x y d')).toEqual(['a [b c] d', 'a [x y] d']);
  expect(marked('same', 'same')).toEqual(['same', 'same']);
  expect(marked('', 'new')).toEqual(['', '[new]']);
});

test('very long lines are marked as a whole', () => {
  const long = Array.from({ length: 500 }, (_, i) => i).join(' ');
  expect(lineParts(long, `${long} x`).map((parts) => parts.length)).toEqual([1, 1]);
});
