import { expect, it } from 'vitest';
import { compareRegisters, numberOf, parseAddress, readingsOf, registerText } from './register_values.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

it('reads registers as little-endian numbers', () => {
  expect(numberOf(bytes(0x34, 0x12))).toBe(0x1234n);
  expect(registerText(bytes(0x34, 0x12, 0, 0))).toBe('0x00001234');
});

it('offers numbers, flags and text', () => {
  expect(readingsOf('EAX', bytes(0xff, 0xff, 0xff, 0xff))).toEqual([
    ['Decimal', '4294967295'],
    ['Signed', '-1'],
  ]);
  expect(readingsOf('eflags', bytes(0x46, 2))).toContainEqual(['Flags', 'PF ZF IF']);
  expect(readingsOf('RAX', bytes(0x68, 0x69, 0, 0))).toContainEqual(['Text', '“hi”']);
  expect(readingsOf('RAX', bytes(0x68, 0x69, 1, 0)).map(([label]) => label)).not.toContain('Text');
  // Vectors have no decimal form that anybody reads.
  expect(readingsOf('xmm0', new Uint8Array(16))).toEqual([]);
});

it('sorts registers as people know them', () => {
  const names = ['R10', 'RSP', 'EFLAGS', 'R9', 'RAX', 'RDX'];
  expect(names.sort(compareRegisters)).toEqual(['RAX', 'RDX', 'RSP', 'EFLAGS', 'R9', 'R10']);
});

it('reads addresses with and without a prefix', () => {
  expect(['0x7ffe10', ' 7FFE10 ', 'xyz', '', '0x12345678901234567'].map(parseAddress)).toEqual([
    0x7ffe10n,
    0x7ffe10n,
    null,
    null,
    null,
  ]);
});
