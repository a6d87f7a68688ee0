import { describe, expect, it } from 'vitest';
import { ticks } from '../base/ticks.ts';
import { lengthsBetween, rangeAround } from './measure.ts';

const slice = (start: number, end: number | null) => ({
  start: ticks(BigInt(start)),
  end: end === null ? null : ticks(BigInt(end)),
});
const lengths = (a: ReturnType<typeof slice>, b: ReturnType<typeof slice>) =>
  Object.fromEntries(lengthsBetween(a, b).map(({ label, length }) => [label, Number(length)]));

describe('lengths', () => {
  it('between slices one after the other, in either order', () => {
    const expected = { 'Start to start': 30, 'End to start': 20, 'Start to end': 35, 'End to end': 25 };
    expect(lengths(slice(10, 20), slice(40, 45))).toEqual(expected);
    expect(lengths(slice(40, 45), slice(10, 20))).toEqual(expected);
  });
  it('between a slice and one within it', () => {
    expect(lengths(slice(10, 50), slice(20, 30))).toEqual({
      'Start to start': 10,
      'Start to end': 20,
      'End to end': 20,
    });
  });
  it('between positions', () => {
    expect(lengths(slice(9, null), slice(2, null))).toEqual({ 'Start to start': 7 });
    expect(lengths(slice(2, 5), slice(9, null))).toEqual({ 'Start to start': 7, 'End to start': 4 });
  });
});

it('has a range from the earlier begin to the later end', () => {
  expect(rangeAround(slice(10, 50), slice(20, 30))).toEqual({ from: 10n, to: 50n });
  expect(rangeAround(slice(20, null), slice(5, 8))).toEqual({ from: 5n, to: 21n });
});
