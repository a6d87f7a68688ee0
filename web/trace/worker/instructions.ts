import type { Field, Value } from '../../base/protocol.ts';

/** The functions of `crate/wasm/disassembler`, documented in its generated types. */
export type Disassembler = Pick<
  typeof import('../../worker/wasm/unspool_disassembler.js'),
  'disassemble' | 'reads' | 'starts'
>;

type Disassemble = Disassembler['disassemble'];

/**
 * Fields with their instructions as text. `load` is called only if there are instructions, because the disassembler is as
 * large as all decoders together. Instructions stay bytes if it does not load or does not know them.
 */
export async function wordsOf(fields: readonly Field[], load: () => Promise<Disassembler>): Promise<readonly Field[]> {
  if (!fields.some((field) => hasCode(field.value))) return fields;
  let disassemble: Disassemble;
  try {
    ({ disassemble } = await load());
  } catch {
    return fields;
  }
  return fieldsInWords(fields, disassemble);
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
