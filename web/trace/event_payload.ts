import type { Field, Value } from '../base/protocol.ts';
import { type EventTypes, type Form, typeOf } from './event_types.ts';

/** The fields of an event as the user wants to see them. Other fields stay. */
export function retyped(fields: readonly Field[], types: EventTypes): readonly Field[] {
  const type = typeOf(fields);
  const known = type === null ? undefined : types[type];
  if (!known) return fields;
  return fields.flatMap((field) => {
    const { name, value } = field;
    if (value.t === 'bytes' && (name === 'Payload' || name === 'data')) return payloadFields(name, value, known.form);
    const isType = known.name !== '' && value.t === 'id' && (name === 'Event type' || name === 'type');
    return isType ? [{ name, value: { t: 'symbol', name: known.name, v: value } as const }] : [field];
  });
}

const SIZES = { u32: 4, u64: 8, f32: 4, f64: 8 } as const;

/** A payload in a form. Bytes that do not fill a number follow as bytes. */
function payloadFields(name: string, value: Value & { t: 'bytes' }, form: Form): readonly Field[] {
  const { v: bytes, length } = value;
  if (form === 'bytes') return [{ name, value }];
  const cut = BigInt(bytes.length) < length;
  if (form === 'text') {
    // Strings of C end with a null byte.
    const text = new TextDecoder().decode(bytes).replace(/\0+$/, '');
    return [{ name, value: { t: 'text', v: cut ? `${text}…` : text } }];
  }
  const size = SIZES[form];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.floor(bytes.length / size);
  const numberAt = (at: number): Value => {
    switch (form) {
      case 'u32':
        return { t: 'int', v: BigInt(view.getUint32(at, true)) };
      case 'u64':
        return { t: 'int', v: view.getBigUint64(at, true) };
      case 'f32':
        return { t: 'float', v: view.getFloat32(at, true) };
      case 'f64':
        return { t: 'float', v: view.getFloat64(at, true) };
    }
  };
  const numbers = Array.from({ length: count }, (_, i) => numberAt(i * size));
  const rest = bytes.subarray(count * size);
  const shown: Field[] =
    count > 0 ? [{ name, value: numbers.length === 1 ? numbers[0]! : { t: 'list', v: numbers } }] : [];
  const left = length - BigInt(count * size);
  if (left > 0n) shown.push({ name: `${name}, rest`, value: { t: 'bytes', v: rest, length: left } });
  return shown;
}
