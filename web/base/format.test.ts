import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatCounted,
  formatLength,
  formatNumber,
  formatNumeral,
  formatPercent,
  formatPosition,
  formatRange,
  formatRawLength,
  formatShare,
  plural,
  titled,
} from './format.ts';
import { hexLine, hexLines } from './hex.ts';
import type { Clock } from './protocol.ts';

const GHZ: Clock = { kind: 'seconds', frequency: 1_000_000_000n };
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('numbers', () => {
  it('separates thousands, also beyond the range of doubles', () => {
    expect(formatCount(0)).toBe('0');
    expect(formatCount(2_521_276)).toBe('2,521,276');
    expect(formatCount(1_800_000_000_123_456_789n)).toBe('1,800,000,000,123,456,789');
  });
  it('has one form for numbers, whatever wrote them', () => {
    expect(formatCount(-2_147_483_648)).toBe('−2,147,483,648');
    expect(formatNumber(-1234.5678)).toBe('−1,234.57');
    expect(['-2147483648', '-inf', '1234.56', '-1e-30', 'nan', '0x1f', 'a-1000'].map(formatNumeral)).toEqual([
      '−2,147,483,648',
      '−inf',
      '1,234.56',
      '−1e-30',
      'nan',
      '0x1f',
      'a-1000',
    ]);
  });
  it('writes a count with its noun', () => {
    expect(plain(formatCounted(1, 'call'))).toBe('1 call');
    expect(plain(formatCounted(2000n, 'call'))).toBe('2,000 calls');
    expect(plural(2, 'entry')).toBe('entries');
    expect(plural(2, 'match')).toBe('matches');
    expect(plural(2, 'day')).toBe('days');
  });
  it('rounds bytes to three digits, also near the next unit', () => {
    expect(plain(formatBytes(1))).toBe('1 byte');
    expect(plain(formatBytes(999))).toBe('999 bytes');
    expect(plain(formatBytes(20_170_240))).toBe('20.2 MB');
    expect(plain(formatBytes(999_950))).toBe('1.00 MB');
  });
  it('reserves 0 % and 100 % for none and all', () => {
    expect(plain(formatPercent(0, 1000))).toBe('0 %');
    expect(plain(formatPercent(1, 1000))).toBe('1 %');
    expect(plain(formatPercent(999, 1000))).toBe('99 %');
    expect(plain(formatPercent(1000, 1000))).toBe('100 %');
    expect(plain(formatPercent(0, 0))).toBe('100 %');
  });
});

describe('lengths', () => {
  it.each([
    [0n, '0 ns'],
    [1n, '1 ns'],
    [999n, '999 ns'],
    [1_000n, '1 µs'],
    [12_345n, '12.35 µs'],
    [1_284_000n, '1.284 ms'],
    [999_999n, '1.000 ms'],
    [1_870_000_000n, '1.870 s'],
    [61_000_000_000n, '1 min 1 s'],
    [7_260_000_000_000n, '2 h 1 min'],
    [172_800_000_000_000n, '2 days 0 h'],
    [4_500_000_000_000_000_000n, '142 years'],
  ])('of %s ns is %s', (ticks, text) => {
    expect(plain(formatLength(ticks, GHZ))).toBe(text);
  });
  it('are below a nanosecond on a fast clock', () => {
    expect(plain(formatLength(1n, { kind: 'seconds', frequency: 2_100_000_000n }))).toBe('0.476 ns');
  });
  it('are ticks or ordinals without a frequency', () => {
    expect(plain(formatLength(12_345n, { kind: 'ticks' }))).toBe('12,345 ticks');
    expect(plain(formatLength(1n, { kind: 'ordinal', unit: 'call' }))).toBe('1 call');
    expect(formatRawLength(5n, { kind: 'ticks' })).toBe('');
  });
});

describe('positions', () => {
  const origin = 1_800_000_000_123_456_789n;
  it('are exact to the nanosecond, 57 years from the zero of the clock', () => {
    expect(plain(formatPosition(origin + 418_337_122n, origin, GHZ))).toBe('418.337 122 ms');
    expect(plain(formatPosition(origin + 418_337_123n, origin, GHZ))).toBe('418.337 123 ms');
    expect(plain(formatPosition(origin + 1_418_337_122n, origin, GHZ))).toBe('1.418 337 122 s');
    expect(plain(formatPosition(origin + 7_001n, origin, GHZ))).toBe('7.001 µs');
  });
  it('may lie before the origin', () => {
    expect(plain(formatPosition(origin - 5n, origin, GHZ))).toBe('−5 ns');
  });
  it('are absolute for ordinals', () => {
    expect(plain(formatPosition(1204n, 1000n, { kind: 'ordinal', unit: 'call' }))).toBe('call 1,204');
  });
});

it('formats shares with three digits', () => {
  const shares = [1, 0.9999, 0.784, 0.1, 0.0996, 0.0023, 0.00001, 0].map((part) => plain(formatShare(part, 1)));
  expect(shares).toEqual(['100 %', '100.0 %', '78.4 %', '10.0 %', '9.96 %', '0.23 %', '<0.01 %', '0 %']);
});

describe('ranges', () => {
  const range = (from: bigint, to: bigint, clock: Clock = GHZ, origin = 1000n) =>
    plain(formatRange(origin + from, origin + to, origin, clock));
  it('have enough digits to distinguish their ends', () => {
    expect(range(412_612_345n, 431_212_345n)).toBe('412.6 ms – 431.2 ms');
    expect(range(412_612_345n, 412_613_345n)).toBe('412.612 34 ms – 412.613 34 ms');
    expect(range(0n, 1_870_000_000n)).toBe('0.00 s – 1.87 s');
    expect(range(5n, 17n)).toBe('5 ns – 17 ns');
    expect(range(-2_000n, 6_000n)).toBe('−2.0 µs – 6.0 µs');
  });
  it('name the first and the last ordinal', () => {
    const calls: Clock = { kind: 'ordinal', unit: 'call' };
    expect(range(3n, 18n, calls, 0n)).toBe('call 3 – call 17');
    expect(range(3n, 4n, calls, 0n)).toBe('call 3');
    expect(range(3n, 1800n, { kind: 'ticks' })).toBe('3 – 1,800 ticks');
  });
});

it('dumps bytes in lines of the same length', () => {
  const bytes = new Uint8Array([0x41, 0, 0xff, 0x20, 0x7e, 0x7f, 1, 2, 0x42]);
  const lines = Array.from({ length: hexLines(bytes) }, (_, i) => hexLine(bytes, i));
  expect(lines).toEqual([
    { offset: 0, hex: '41 00 ff 20 7e 7f 01 02', text: 'A.. ~...' },
    { offset: 8, hex: '42                     ', text: 'B' },
  ]);
});

it('shortens a name in a tooltip only if it is very long', () => {
  expect(titled('x'.repeat(1000))).toBe('x'.repeat(1000));
  expect(titled('x'.repeat(1001))).toBe(`${'x'.repeat(999)}…`);
});
