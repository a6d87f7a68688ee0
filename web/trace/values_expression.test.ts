import { expect, it } from 'vitest';
import type { TraceInfo } from '../base/protocol.ts';
import {
  bindEither,
  bindValues,
  hasSeparateSign,
  isAboutValues,
  looksLikeValues,
  queryIn,
  takenForWords,
} from './values_expression.ts';

const info = (offers: readonly string[]) => ({ offers }) as unknown as TraceInfo;

it('is about values only in traces that have some', () => {
  expect(isAboutValues(' values: i > 1', info(['values']))).toBe(true);
  expect(isAboutValues('values: i > 1', info([]))).toBe(false);
  expect(isAboutValues('name:values', info(['values']))).toBe(false);
  expect(queryIn(' values:  i > 1')).toEqual({ query: 'i > 1', at: 10 });
});

it('says what is wrong at its place in the whole expression', async () => {
  const points = async () => ({ slices: Uint8Array.of(1), points: Uint8Array.of(2) });
  const wrong = { sentence: 'No.', at: 4, length: 1 };
  expect(await bindValues('values: i > x', async () => ({ wrong }), points)).toEqual({ ...wrong, at: 12 });
  expect(await bindValues('values: i > 1', async () => ({ wrong: null }), points)).toEqual({
    slices: Uint8Array.of(1),
    records: null,
    values: 'i > 1',
  });
  expect(await bindValues('values: i > 1', async () => null, points)).toBeNull();
});

it('reads like a condition on values with a comparison', () => {
  expect(['a<b', 'a < b', 'i = 5', 'i == 3', 'i==3', 'i != 3', 'x.size>=3'].every(looksLikeValues)).toBe(true);
  expect(['name = "main"', 'name="a \\" b"', 'name != "/a"'].every(looksLikeValues)).toBe(true);
  expect(['a b', 'name:main', '"a<b"', '/a<b/', 'x', '"a = b"', 'text:"a == b"'].some(looksLikeValues)).toBe(false);
});

it('is taken for words if a comparison stands by itself', () => {
  expect(['a < b', 'i = 5', 'name = "main"', 'x arg.n>1 < 3'].every(hasSeparateSign)).toBe(true);
  expect(['arg.count>100', 'a<b', 'a b', '"a < b"', 'text:"a = b"', '/a < b/'].some(hasSeparateSign)).toBe(false);
  // Further ones may be found until the whole range was searched.
  expect(takenForWords('a < b', 0, true)).toBeNull();
  expect(takenForWords('a < b', 1, false)).toBeNull();
  expect(takenForWords('arg.count>100', 0, false)).toBeNull();
  expect(takenForWords('a < b', 0, false)?.sentence).toContain('took this for words');
});

it('is in the language in which it is right, if it does not say', async () => {
  const filter = { slices: Uint8Array.of(1), records: null, abouts: Uint8Array.of() };
  const values = { slices: Uint8Array.of(2), records: null, values: 'q' };
  const unknown = { sentence: 'Unknown key a.', at: 0, length: 1 };
  const noVariable = { sentence: 'The trace has no variable a.', at: 0, length: 1 };
  const bound = (text: string, left: object, right: object) =>
    bindEither(
      text,
      async () => left as never,
      async () => right as never,
    );
  expect(await bound('a<b', unknown, values)).toBe(values);
  expect(await bound('a < b', filter, values)).toBe(values);
  expect(await bound('i == 3', filter, values)).toBe(values);
  expect(await bound('name = "main"', filter, values)).toBe(values);
  expect(await bound('depth>3', filter, values)).toBe(filter);
  expect(await bound('word', filter, values)).toBe(filter);
  // Wrong in both: the language that it looks like explains.
  expect(await bound('a<b', unknown, noVariable)).toBe(noVariable);
  const noNumber = { sentence: 'Expected a whole number.', at: 6, length: 1 };
  expect(await bound('depth>x', noNumber, noVariable)).toBe(noNumber);
});
