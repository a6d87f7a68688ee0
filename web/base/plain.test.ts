import { expect, it } from 'vitest';
import { plainLength, plainPosition, plainTitle } from './plain.ts';

const seconds = { kind: 'seconds', frequency: 3_000_000_000n } as const;
const ordinal = { kind: 'ordinal', unit: 'call' } as const;

it('lengths are numbers in seconds, or as they are', () => {
  expect(plainLength(0n, seconds)).toBe('0');
  expect(plainLength(3_000_000_000n, seconds)).toBe('1');
  expect(plainLength(30_000_000_000n, seconds)).toBe('10');
  expect(plainLength(-4_500_000n, seconds)).toBe('-0.0015');
  expect(plainLength(1n, seconds)).toBe('0.000000000333');
  expect(plainLength(18_446_744_073_709_551_615n, { kind: 'ticks' })).toBe('18446744073709551615');
});

it('positions of times begin with the trace, those of calls are their numbers', () => {
  expect(plainPosition(6_000_000_000n, 3_000_000_000n, seconds)).toBe('1');
  expect(plainPosition(40n, 30n, ordinal)).toBe('40');
  expect(['Total (s)', 'Total (ticks)', 'Total']).toEqual(
    [seconds, { kind: 'ticks' } as const, ordinal].map((clock) => plainTitle('Total', clock)),
  );
});
