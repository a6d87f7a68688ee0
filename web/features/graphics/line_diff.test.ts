import { describe, expect, it } from 'vitest';
import { diffLines } from './line_diff.ts';

const marks = { same: ' ', added: '+', removed: '-' };
const text = (a: string, b: string) => diffLines(a, b).map(({ how, text }) => marks[how] + text);

describe('diffLines', () => {
  it('keeps what is common once', () => {
    expect(text('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
    expect(text('a\nb', 'a\nb')).toEqual([' a', ' b']);
  });

  it('finds a moved line in one of its places', () => {
    expect(text('1\n2\n3\n4', '1\n3\n2\n4')).toEqual([' 1', '-2', ' 3', '+2', ' 4']);
  });
});
