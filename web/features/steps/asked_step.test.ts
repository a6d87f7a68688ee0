import { expect, it } from 'vitest';
import { originStep } from './asked_step.ts';

const register = (name: string, written: boolean) => ({ register: name, address: 0n, written, value: [0] });
const memory = (address: bigint, length: number) => {
  return { register: null, address, written: true, value: new Uint8Array(length) };
};

it('asks for the value that the step has written, and otherwise for that before it', () => {
  const rax = { what: 'register', thread: null, name: 'RAX' } as const;
  expect(originStep(7, [register('RAX', false)], rax)).toBe(7);
  expect(originStep(7, [register('RAX', false), register('RAX', true)], rax)).toBe(8);
  expect(originStep(7, [register('RBX', true), memory(0n, 8)], rax)).toBe(7);
  const byte = (address: bigint) => ({ what: 'memory', address, len: 1 }) as const;
  expect([15n, 16n, 19n, 20n].map((at) => originStep(7, [memory(16n, 4)], byte(at)))).toEqual([7, 8, 8, 7]);
});
