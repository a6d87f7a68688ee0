import { describe, expect, it } from 'vitest';
import type { Details } from '../base/protocol.ts';
import { type Disassembler, inWords } from './instructions.ts';

const CODE = { t: 'code', isa: 'x86-64', address: 0x1000n, v: new Uint8Array([0xc3]) } as const;

function details(fields: Details['fields']): Details {
  return { fields } as unknown as Details;
}

/** A loader of a fake disassembler. */
function known(disassemble: Disassembler['disassemble']): () => Promise<Disassembler> {
  return async () => ({ disassemble, starts: () => new Uint32Array() });
}

describe('instructions in details', () => {
  it('become text at any depth', async () => {
    const tree = { t: 'tree', v: [{ name: '0x1000', value: CODE }] } as const;
    const given = details([
      { name: 'Code', value: tree },
      { name: 'List', value: { t: 'list', v: [CODE, { t: 'null' }] } },
    ]);
    const told = await inWords(
      given,
      known((isa, address) => `${isa} at ${address}`),
    );
    const word = { t: 'text', v: 'x86-64 at 4096' };
    expect(told.fields[0]!.value).toEqual({ t: 'tree', v: [{ name: '0x1000', value: word }] });
    expect(told.fields[1]!.value).toEqual({ t: 'list', v: [word, { t: 'null' }] });
  });

  it('stay bytes if the disassembler does not know them or does not load', async () => {
    const given = details([{ name: 'Instruction', value: CODE }]);
    expect(
      (
        await inWords(
          given,
          known(() => undefined),
        )
      ).fields[0]!.value,
    ).toEqual(CODE);
    expect(await inWords(given, () => Promise.reject(new Error('offline')))).toBe(given);
  });

  it('load the disassembler only if there are any', async () => {
    const given = details([{ name: 'Start', value: { t: 'ticks', v: 1n } }]);
    expect(
      await inWords(given, () => {
        throw new Error('loaded');
      }),
    ).toBe(given);
  });
});
