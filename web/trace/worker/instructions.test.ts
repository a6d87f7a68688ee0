import { describe, expect, it } from 'vitest';
import type { Field } from '../../base/protocol.ts';
import { type Disassembler, wordsOf } from './instructions.ts';

const CODE = { t: 'code', isa: 'x86-64', address: 0x1000n, v: new Uint8Array([0xc3]) } as const;

/** A loader of a fake disassembler. */
function known(disassemble: Disassembler['disassemble']): () => Promise<Disassembler> {
  return async () => ({ disassemble, reads: () => undefined, starts: () => new Uint32Array() });
}

describe('instructions in fields', () => {
  it('become text at any depth', async () => {
    const tree = { t: 'tree', v: [{ name: '0x1000', value: CODE }] } as const;
    const given: readonly Field[] = [
      { name: 'Code', value: tree },
      { name: 'List', value: { t: 'list', v: [CODE, { t: 'null' }] } },
    ];
    const told = await wordsOf(
      given,
      known((isa, address) => `${isa} at ${address}`),
    );
    const word = { t: 'text', v: 'x86-64 at 4096' };
    expect(told[0]!.value).toEqual({ t: 'tree', v: [{ name: '0x1000', value: word }] });
    expect(told[1]!.value).toEqual({ t: 'list', v: [word, { t: 'null' }] });
  });

  it('stay bytes if the disassembler does not know them or does not load', async () => {
    const given: readonly Field[] = [{ name: 'Instruction', value: CODE }];
    expect(
      (
        await wordsOf(
          given,
          known(() => undefined),
        )
      )[0]!.value,
    ).toEqual(CODE);
    expect(await wordsOf(given, () => Promise.reject(new Error('offline')))).toBe(given);
  });

  it('load the disassembler only if there are any', async () => {
    const given: readonly Field[] = [{ name: 'Start', value: { t: 'ticks', v: 1n } }];
    expect(
      await wordsOf(given, () => {
        throw new Error('loaded');
      }),
    ).toBe(given);
  });
});
