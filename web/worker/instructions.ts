import type { Details, Field, Value } from '../base/protocol.ts';

/** What `crate/disassembler` knows. */
export interface Disassembler {
  /** An instruction as text, or undefined when the bytes are none. */
  disassemble(isa: string, address: bigint, bytes: Uint8Array): string | undefined;
  /** Where instructions of x86 of so many bits begin in code. */
  starts(bits: number, address: bigint, code: Uint8Array): Uint32Array;
}

type Disassemble = Disassembler['disassemble'];

/**
 * Details with their instructions in words. The disassembler is loaded when there are any: it is as large as all decoders
 * together. Without it, and where it knows nothing, they stay what they are.
 */
export async function inWords(details: Details, load: () => Promise<Disassembler>): Promise<Details> {
  if (!details.fields.some((field) => hasCode(field.value))) return details;
  let disassemble: Disassemble;
  try {
    ({ disassemble } = await load());
  } catch {
    return details;
  }
  return { ...details, fields: fieldsInWords(details.fields, disassemble) };
}

function hasCode(value: Value): boolean {
  switch (value.t) {
    case 'code':
      return true;
    case 'list':
      return value.v.some(hasCode);
    case 'tree':
      return value.v.some((field) => hasCode(field.value));
    default:
      return false;
  }
}

function fieldsInWords(fields: readonly Field[], disassemble: Disassemble): Field[] {
  return fields.map(({ name, value }) => ({ name, value: valueInWords(value, disassemble) }));
}

function valueInWords(value: Value, disassemble: Disassemble): Value {
  switch (value.t) {
    case 'code': {
      const text = disassemble(value.isa, value.address, value.v);
      return text === undefined ? value : { t: 'text', v: text };
    }
    case 'list':
      return { ...value, v: value.v.map((item) => valueInWords(item, disassemble)) };
    case 'tree':
      return { ...value, v: fieldsInWords(value.v, disassemble) };
    default:
      return value;
  }
}
