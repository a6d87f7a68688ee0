import { hexText } from '../base/hex.ts';
import type { RecordColumn, Value } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import type { Cell } from '../base/steps_protocol.ts';
import { fieldPath, listedAddress } from './kept_fields.ts';
import { quoted, quotedIfNeeded, termOfName } from './terms.ts';

/** The last address of 64 bits. */
const LAST = 0xffff_ffff_ffff_ffffn;
/** Characters of the longest text that is looked for as a whole. */
const LONGEST = 400;

/** The expression that finds the instructions that read or write a register or memory. */
export function accessTerm(cell: Cell): string {
  if (cell.what === 'register') {
    return `reg.${cell.name}:*`;
  }
  const { address, len } = cell;
  const last = address + BigInt(len - 1);
  return `mem:${hexText(address)}${len > 1 ? `..${hexText(last < LAST ? last : LAST)}` : ''}`;
}

/**
 * The expression that finds all records with a value in a field, or null if there is none. `labels` lead to the field in
 * details. `name` is that of the function whose arguments these are, or ''.
 */
export function termOfField(labels: readonly string[], value: Value, name: string): string | null {
  const address = listedAddress(labels);
  if (address !== null) return `addr:0x${address.toString(16)}`;
  if (value.t === 'list' && value.v.length === 1) return termOfField(labels, value.v[0]!, name);
  // Of an operand, and of an address where taint is introduced.
  if (labels.at(-1) === 'Taint' && value.t === 'id') return `taint:${value.v}`;
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

/** What the texts of a record's cells are made of. */
interface Cells {
  readonly threadOf: (track: number) => string;
  readonly nameOf: (name: string) => string;
}

/** The expression that finds all records with what a cell of the list says, or null if there is none. */
export function termOfCell({ shows, key }: RecordColumn, row: RecordRow, { threadOf, nameOf }: Cells): string | null {
  switch (shows) {
    case 'position':
      return `start:${row.x}`;
    case 'thread': {
      const thread = threadOf(row.track);
      return thread === '' ? null : `thread:${quotedIfNeeded(thread)}`;
    }
    case 'name':
      return row.name === '' ? null : termOfName(nameOf(row.name));
    case 'field': {
      const value = row.fields.find(({ name }) => name === key)?.value;
      return value === undefined || key === undefined ? null : termOfKey(key, value);
    }
    case 'rest':
      return null;
  }
}

/** The same for a single field of details, by its label. `columns` are those of the list. */
export function termOfLabel(label: string, value: Value, columns: readonly RecordColumn[]): string | null {
  const column = columns.find((column) => column.label === label);
  if (column?.shows === 'thread') {
    const number = textOf(value);
    return number === null || value.t === 'text' ? null : `thread:${number}`;
  }
  return column?.shows === 'field' && column.key !== undefined ? termOfKey(column.key, value) : null;
}

function termOfKey(key: string, value: Value): string | null {
  const wanted = textOf(value);
  if (wanted === null || value.t === 'null') {
    return value.t === 'code'
      ? `bytes:${[...value.v].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')}`
      : null;
  }
  switch (key) {
    case 'address':
      return value.t === 'int' ? `addr:${wanted}` : null;
    case 'instruction':
      return value.t === 'text' ? `insn:${wanted}` : null;
    case 'frame':
    case 'ret':
      return `${key}:${wanted}`;
    default:
      return `arg.${key}:${wanted}`;
  }
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
