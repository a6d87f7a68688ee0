import { expect, it } from 'vitest';
import type { TraceInfo } from '../base/protocol.ts';
import { bindValues, isAboutValues, queryIn } from './values_expression.ts';

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
