import { expect, test } from 'vitest';
import { withoutTraps } from './disassembler.ts';

test('an instruction that traps is unknown, and a new instance takes over', () => {
  let renewed = 0;
  const trap = (address: bigint) => {
    if (address === 2n) throw new WebAssembly.RuntimeError('unreachable');
  };
  const guarded = withoutTraps(
    {
      disassemble: (_isa, address) => {
        trap(address);
        return 'nop';
      },
      reads: () => undefined,
      starts: (_bits, address) => {
        trap(address);
        return Uint32Array.of(0, 4);
      },
    },
    () => {
      renewed += 1;
    },
  );
  const bytes = new Uint8Array(4);
  expect([1n, 2n, 3n].map((address) => guarded.disassemble('arm', address, bytes))).toEqual(['nop', undefined, 'nop']);
  expect(renewed).toBe(1);
  expect([...guarded.starts(64, 2n, bytes)]).toEqual([]);
  expect([...guarded.starts(64, 1n, bytes)]).toEqual([0, 4]);
  expect(renewed).toBe(2);
});
