import type { Value } from '../base/protocol.ts';
import { quoted, quotedIfNeeded } from './completion.ts';
import { fieldPath, listedAddress } from './kept_fields.ts';

/** Characters of the longest text that is looked for as a whole. */
const LONGEST = 400;

/** The expression that finds a function's calls. */
export function termOfName(name: string): string {
  return `name:${quotedIfNeeded(name)}`;
}

/**
 * The expression that finds all records with a value in a field, or null if there is none. `labels` lead to the field in
 * details. `name` is that of the function whose arguments these are, or ''.
 */
export function termOfField(labels: readonly string[], value: Value, name: string): string | null {
  const address = listedAddress(labels);
  if (address !== null) return `addr:0x${address.toString(16)}`;
  if (value.t === 'list' && value.v.length === 1) return termOfField(labels, value.v[0]!, name);
  const path = fieldPath(labels);
  const wanted = textOf(value);
  if (!path || wanted === null) return null;
  const [first, ...rest] = path;
  const key =
    first === 'ret' ? ['ret', ...rest] : ['arg', ...(first === 'args' || first === 'vars' ? [] : [first!]), ...rest];
  // Other characters cannot be part of a key.
  if ((key.length < 2 && key[0] !== 'ret') || !key.every((part) => /^[\w$@[\]-]+$/.test(part))) return null;
  const isOfCall = first === 'args' || first === 'ret';
  return `${isOfCall && name !== '' ? `${termOfName(name)} ` : ''}${key.join('.')}:${wanted}`;
}

/** A value as it stands in an expression, or null. */
function textOf(value: Value): string | null {
  switch (value.t) {
    case 'int':
      return value.hex ? `0x${value.v.toString(16)}` : value.v.toString();
    case 'float':
      return Number.isFinite(value.v) ? String(value.v) : null;
    case 'id':
      return value.v.toString();
    case 'symbol':
      return quotedIfNeeded(value.name);
    case 'text':
      return value.v.length > LONGEST || value.v === '' ? null : quoted(value.v);
    case 'null':
      return 'null';
    default:
      return null;
  }
}
