import { describe, expect, test } from 'vitest';
import { textOf, withCopies } from './packing.ts';
import { bytesOf, PREFIXES, withoutCopies } from './unpacking.ts';

/** Bytes without a pattern, the same each time. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 24;
  });
}

describe('bytes as text', () => {
  test('are the same afterwards, whatever their number', () => {
    for (const length of [0, 1, 2, 6, 7, 8, 13, 14, 15, 5000]) {
      const bytes = noise(length);
      expect(bytesOf(textOf(bytes), length)).toEqual(bytes);
    }
    for (const byte of [0, 0x0d, 0x1a, 0x3c, 0x78, 0xff]) {
      const bytes = new Uint8Array(100).fill(byte);
      expect(bytesOf(textOf(bytes), 100)).toEqual(bytes);
    }
  });

  test('have no character that HTML changes, and take little more than seven bits a byte', () => {
    const text = textOf(noise(100_000));
    expect([...text].filter((it) => PREFIXES.includes(it.charCodeAt(0)) || it > '\u077f')).toEqual([]);
    expect(Buffer.byteLength(text)).toBeLessThan((100_000 * 8) / 7);
  });
});

describe('copies', () => {
  const there = (bytes: Uint8Array) => {
    const packed = withCopies(bytes);
    expect(Buffer.compare(withoutCopies(packed, bytes.length), bytes)).toBe(0);
    return packed.length;
  };

  test('are taken from any distance, before and after what is found', () => {
    const [a, b] = [noise(1000), noise(100_000).subarray(1000)];
    expect(there(Buffer.concat([a, b, a, b, a]))).toBeLessThan(a.length + b.length + 20);
    expect(there(Buffer.concat([a, b, a.subarray(400, 500), b.subarray(0, 10), a.subarray(20)]))).toBeLessThan(100_200);
  });

  test('may reach into themselves', () => {
    expect(there(new Uint8Array(100_000))).toBeLessThan(60);
    expect(there(Buffer.from('abcde'.repeat(1000)))).toBeLessThan(60);
  });

  test('need not be there', () => {
    for (const length of [0, 1, 23, 24, 25, 5000]) expect(there(noise(length))).toBeLessThan(length + 3);
  });
});
