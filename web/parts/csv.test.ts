import { expect, it } from 'vitest';
import { csvField, csvRow } from './csv.ts';

it('quotes fields that need it', () => {
  expect(csvRow(['a', 'f(int, char)', 'say "no"', 'two\nlines', ' a', ''])).toBe(
    'a,"f(int, char)","say ""no""","two\nlines"," a",\r\n',
  );
});

it('makes no formulas', () => {
  expect(['=1+1', '+cmd', '-x', '@sum', '\tx'].map(csvField)).toEqual(["'=1+1", "'+cmd", "'-x", "'@sum", "'\tx"]);
  expect(['-1', '+1.5', '-1e300', '-0.25', '1,000'].map(csvField)).toEqual([
    '-1',
    '+1.5',
    '-1e300',
    '-0.25',
    '"1,000"',
  ]);
});
