import { expect, it } from 'vitest';
import { ticks } from '../../base/ticks.ts';
import { shareText } from './range_share.tsx';

const clock = { kind: 'seconds', frequency: 1_000_000_000n } as const;
const range = { from: ticks(100n), to: ticks(1100n) };
const share = (start: bigint, end: bigint | null) =>
  shareText({ start: ticks(start), end: end === null ? null : ticks(end) }, range, clock).replaceAll(/\s/g, ' ');

it('says how much of an item is in the range, and of the range in it', () => {
  expect(share(200n, 450n)).toBe('25.0 % of the range');
  expect(share(0n, 350n)).toBe('250 ns, 25.0 % of the range');
  expect(share(0n, 5000n)).toBe('1 µs, 100 % of the range');
  expect([share(1100n, 1200n), share(0n, 100n), share(5n, null), share(100n, null), share(100n, 100n)]).toEqual([
    'no',
    'no',
    'no',
    'yes',
    'yes',
  ]);
});
