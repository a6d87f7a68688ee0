import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { printed } from './printed.ts';

/** Bytes that are a text, and some that are not: `printed` of `crate/trace` is tested with the same cases. */
const CASES = readFileSync('crate/trace/src/printed_cases.txt', 'utf8');

const of = (v: Uint8Array<ArrayBuffer>, length = v.length) => printed({ v, length: BigInt(length) });

it('has bytes as text without control characters', () => {
  const cases = CASES.trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const wrong = cases.filter((line) => {
    const [kind, digits = ''] = line.split(':');
    const bytes = digits.trim() === '' ? [] : digits.trim().split(' ');
    return (of(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16))) !== null) !== (kind === 'text');
  });
  expect(wrong).toEqual([]);
  expect(cases.length).toBeGreaterThan(20);
});

it('has whole texts of limited length', () => {
  expect(of(new Uint8Array(4096).fill(0x61))).toHaveLength(4096);
  expect(of(new Uint8Array(4097).fill(0x61))).toBeNull();
  // Only the first bytes are known.
  expect(of(Uint8Array.of(0x61), 2)).toBeNull();
});
