import { describe, expect, it } from 'vitest';
import { parsePosition } from './position.ts';

describe('a typed position', () => {
  it('is an ordinal on an ordinal axis', () => {
    const clock = { kind: 'ordinal', unit: 'transition' } as const;
    expect(parsePosition('9,007,199,254,740,993', 5n, clock)).toBe(9_007_199_254_740_993n);
    expect(parsePosition(' 12 transitions', 5n, clock)).toBe(12n);
    expect(parsePosition('Transition 1,204', 5n, clock)).toBe(1204n);
    expect(parsePosition('frame 12', 5n, clock)).toBeNull();
    expect(parsePosition('12 ms', 5n, clock)).toBeNull();
    expect(parsePosition('1.5', 5n, clock)).toBeNull();
    expect(parsePosition('', 5n, clock)).toBeNull();
    expect(parsePosition('-1', 5n, clock)).toBeNull();
  });

  it('is a time relative to the origin', () => {
    const clock = { kind: 'seconds', frequency: 2_000_000_000n } as const;
    expect(parsePosition('1.5 ms', 100n, clock)).toBe(3_000_100n);
    expect(parsePosition('2', 100n, clock)).toBe(4_000_000_100n);
    expect(parsePosition('418.337 122 ms', 0n, clock)).toBe(836_674_244n);
    expect(parsePosition('7µs', 0n, clock)).toBe(14_000n);
    expect(parsePosition('7 hours', 0n, clock)).toBeNull();
  });

  it('is ticks relative to the origin without a frequency', () => {
    expect(parsePosition('1 000', 50n, { kind: 'ticks' })).toBe(1050n);
  });
});
