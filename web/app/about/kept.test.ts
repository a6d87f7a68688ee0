import { expect, it } from 'vitest';
import { copiesKept, temporaryFiles } from './kept.ts';

it('says what temporary files take, as far as it is known', () => {
  expect(temporaryFiles([])).toBe('No temporary file.');
  expect(temporaryFiles([5])).toMatch(/^1.temporary file of open tabs \(5.bytes\): what/);
  expect(temporaryFiles([5, null])).toMatch(/^2.temporary files of open tabs \(5.bytes and 1 of unknown size\)/);
  expect(temporaryFiles([null])).toMatch(/\(of unknown size\)/);
});

it('says how many copies there are, and what they take', () => {
  expect(copiesKept([])).toBe('No copy of a file.');
  expect(copiesKept([{ bytes: 5 }])).toMatch(/^A copy of a file \(5.bytes\)\. The first page lists and deletes it\.$/);
  expect(copiesKept([{ bytes: 5 }, { bytes: 3 }])).toMatch(/^Copies of 2.files \(8.bytes\)\. .* them\.$/);
});
