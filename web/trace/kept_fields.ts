import type { Details, Value } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import { printed } from './printed.ts';

/** A field of records whose values are numbers, or texts. */
export interface KeptField {
  /** Its keys in the records, and indices of lists. */
  readonly path: readonly string[];
  /** It belongs to one function. Otherwise records of any name have it. */
  readonly ofName: boolean;
  /** Its name for the user. */
  readonly label: string;
  /** Its values are texts. */
  readonly isOfTexts?: true;
}

/** The keys of records for the labels that decoders give them in details. */
const PARTS = new Map([
  ['Arguments', 'args'],
  ['Return value', 'ret'],
  ['Variables', 'vars'],
  ['Read', 'read'],
  ['Written', 'written'],
]);
/** The label of the listing of a block. */
const CODE = 'Code';
/** The label of a value among what else is known of a variable or an operand. */
const VALUE = 'Value';
/** The label of the bytes of an event. */
const PAYLOAD = 'Payload';

/** The field with a path of labels in details, or null if records have no such field or its value is neither a number nor a text. */
export function keptField(labels: readonly string[], value: Value): KeptField | null {
  if (value.t === 'list') {
    // A list of one value is shown as the value.
    const [only] = value.v;
    return only && value.v.length === 1 ? keptField([...labels, '0'], only) : null;
  }
  const isOfTexts = isText(value);
  if (!isOfTexts && !isNumber(value)) return null;
  const path = isOfTexts && labels.length === 1 && labels[0] === PAYLOAD ? ['data'] : fieldPath(labels);
  if (!path) return null;
  const [key = '', ...rest] = path;
  const ofName = key === 'args' || key === 'ret';
  const inner = rest.join('.');
  const side = key === 'read' || key === 'written' ? ` ${key}` : '';
  const label =
    key === 'data'
      ? 'payload'
      : key === 'ret'
        ? ['result', ...rest].join('.')
        : key === 'args' && /^\d/.test(inner)
          ? `argument ${inner}`
          : inner;
  return { path, ofName, label: `${label}${side}`, ...(isOfTexts && { isOfTexts }) };
}

/** The operand of an instruction that a path of labels in details leads to: a register, or memory such as `[0x10]`. */
export function operandOf(labels: readonly string[]): { readonly name: string; readonly written: boolean } | null {
  const [side, name] = fieldPath(labels) ?? [];
  return name !== undefined && (side === 'read' || side === 'written') ? { name, written: side === 'written' } : null;
}

/** The keys in records of the field with a path of labels in details, or null if records have no such field. */
export function fieldPath(labels: readonly string[]): readonly string[] | null {
  const [first = '', ...rest] = labels;
  const key = PARTS.get(first);
  if (key === undefined) return null;
  if (key !== 'args' && key !== 'ret') {
    if (rest.length === 2 && rest[1] === VALUE) rest.pop();
    if (rest.length !== 1) return null;
  }
  return [key, ...rest];
}

/**
 * The address of the instruction that was executed, or null: that of a row of a list of records, or of its details. The
 * details of a block have several, which {@link listedAddress} tells apart.
 */
export function executedAddress({ fields }: Details, row: RecordRow | null): bigint | null {
  const ofRow = row?.fields.find(({ name }) => name === 'address')?.value;
  if (ofRow?.t === 'int') return ofRow.v;
  if (fields.some(({ name }) => name === CODE)) return null;
  for (const { name, value } of fields) {
    if (value.t === 'code') return value.address;
    if (name === 'Address' && value.t === 'int' && value.hex) return value.v;
  }
  return null;
}

/** The address of a line in the listing of a block, by the labels that lead to it, or null. */
export function listedAddress(labels: readonly string[]): bigint | null {
  const [first, address = ''] = labels;
  return labels.length === 2 && first === CODE && /^0x[0-9a-f]+$/.test(address) ? BigInt(address) : null;
}

function isNumber(value: Value): boolean {
  return value.t === 'int' || value.t === 'float' || (value.t === 'symbol' && isNumber(value.v));
}

/** Whether a value is a text, or bytes that are one. */
function isText(value: Value): boolean {
  switch (value.t) {
    case 'text':
      return true;
    case 'symbol':
      return value.v.t === 'bytes' && isText(value.v);
    case 'bytes':
      return printed(value) !== null;
    default:
      return false;
  }
}
