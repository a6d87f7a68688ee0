import { formatCount, formatCounted, formatLength, formatPosition, NBSP } from '../base/format.ts';
import { hexText } from '../base/hex.ts';
import type { Clock, Details, Field, Ticks, Value } from '../base/protocol.ts';
import { printed } from './printed.ts';

/** What values need to become text. */
export interface ValueContext {
  /** The clock and the origin of positions and lengths. */
  readonly clock: Clock;
  readonly origin: Ticks;
  /** Lists may lack elements, so that their length is not known. */
  readonly isCut?: boolean;
}

/** A value that fits in a word or two. */
export type Scalar = Exclude<Value, { t: 'text' | 'bytes' | 'list' | 'tree' }>;

/** The field names of decoders for the arguments and the result of a call. */
const ARGUMENTS = 'Arguments';
const RETURN_VALUE = 'Return value';
/** Characters of a text in the line of a call. */
const SHORT_TEXT = 40;
/** Elements of a list in the line of a call. */
const SHORT_LIST = 8;

/** Whether a value fits in a word or two. */
export function isScalar(value: Value): value is Scalar {
  return value.t !== 'text' && value.t !== 'bytes' && value.t !== 'list' && value.t !== 'tree';
}

/** A value as plain text for the clipboard or a grid, without thousands separators. */
export function scalarText(value: Scalar, context: ValueContext): string {
  switch (value.t) {
    case 'int':
      return value.hex ? hexText(value.v) : value.v.toString();
    case 'id':
      return value.v.toString();
    case 'float':
      return floatText(value.v);
    case 'code':
      return [...value.v].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    case 'ticks':
      return formatPosition(value.v, context.origin, context.clock);
    case 'duration':
      return formatLength(value.v, context.clock);
    case 'symbol':
      return value.name;
    case 'null':
      return 'null';
  }
}

/** A number as C and GLSL print it, with `inf` and `nan`. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** The number of a symbol to show along with its name; null for `true` and `false`. */
export function numberBehind(value: Value & { t: 'symbol' }): Value | null {
  return value.name === 'true' || value.name === 'false' ? null : value.v;
}

/**
 * The members of a structure for display. The members of an unnamed inner structure join those of the outer one, as in
 * C. Other unnamed values are named by their index.
 */
export function membersOf(fields: readonly Field[]): readonly Field[] {
  if (fields.every((field) => field.name !== '')) return fields;
  return fields.flatMap((field, i) => {
    if (field.name !== '') return [field];
    return field.value.t === 'tree' ? membersOf(field.value.v) : [{ name: `member ${i}`, value: field.value }];
  });
}

/** The size of a list or of bytes as text: `16 elements`, `260 bytes`. Returns '' for other values. */
export function amountOf(value: Value): string {
  if (value.t === 'list') return formatCounted(value.v.length, 'element');
  if (value.t === 'bytes') return formatCounted(value.length, 'byte');
  return '';
}

/** The first argument of a call, without a name if it has none; null for a record without arguments. */
export function firstArgument({ fields }: Pick<Details, 'fields'>): Field | null {
  const given = fields.find((field) => field.name === ARGUMENTS)?.value;
  if (given?.t === 'tree') return given.v[0] ?? null;
  const [first] = given?.t === 'list' ? given.v : [];
  return first === undefined ? null : { name: '', value: first };
}

/**
 * The arguments and the result of a call in one line of at most about `most` characters: `(location = 3, v0 = 0.5) =
 * 1`. Returns '' if the details have neither.
 */
export function callText({ fields }: Details, context: ValueContext, most: number): string {
  const given = fields.find((field) => field.name === ARGUMENTS)?.value;
  const result = fields.find((field) => field.name === RETURN_VALUE)?.value;
  if (!given && !result) return '';
  const line = createLine(most, context);
  line.add('(');
  if (given?.t === 'tree') line.members(given.v);
  else if (given?.t === 'list') line.elements(given.v, given.v.length);
  else if (given) line.value(given);
  line.add(')');
  if (result) {
    line.add(' = ');
    line.value(result);
  }
  return line.text();
}

/** Bytes that are printed whole in a line. */
const SHORT_BYTES = 24;

/**
 * A value in one line of at most about `most` characters. The outermost list or structure has no braces: `x = 1, y = 2`.
 */
export function valueLine(value: Value, context: ValueContext, most: number): string {
  const line = createLine(most, context);
  if (value.t === 'tree') line.members(value.v);
  else if (value.t === 'list' && value.v.every(isWord)) line.add(value.v.map(({ v }) => v).join(', '));
  else if (value.t === 'list') line.elements(value.v, value.v.length);
  else if (value.t === 'text') line.add(value.v.replace(/\s+/g, ' '));
  else line.value(value);
  return line.text();
}

/** A text that needs no quotes, such as that of a flag. */
function isWord(value: Value): value is Value & { t: 'text' } {
  return value.t === 'text' && /^[\w-]+$/.test(value.v);
}

/** Fields in one line of at most about `most` characters: `args = {1, 2}, type = 7`. */
export function fieldsLine(fields: readonly Field[], context: ValueContext, most: number): string {
  return valueLine({ t: 'tree', v: fields }, context, most);
}

/** Bytes as text if they are one, else as numbers; the number of long ones. */
function bytesText(value: Value & { t: 'bytes' }): string {
  const text = printed(value);
  if (text !== null) return quoted(text);
  const { v, length } = value;
  if (v.length > SHORT_BYTES || BigInt(v.length) < length) return formatCounted(length, 'byte');
  return [...v].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

/** A text that ignores additions once it has `most` characters, so a value of a million parts costs little. */
function createLine(most: number, context: ValueContext) {
  let text = '';
  const full = () => text.length >= most;
  const add = (more: string) => {
    if (!full()) text += more;
  };
  const separated = <T>(parts: readonly T[], count: number, put: (part: T) => void) => {
    for (let i = 0; i < Math.min(parts.length, count) && !full(); i += 1) {
      if (i > 0) add(', ');
      put(parts[i]!);
    }
    if (parts.length > count) add(context.isCut ? ', …' : `, …${NBSP}${formatCount(parts.length - count)}${NBSP}more`);
  };
  const members = (fields: readonly Field[]) => {
    const named = membersOf(fields);
    separated(named, named.length, (field) => {
      add(`${field.name} = `);
      value(field.value);
    });
  };
  const elements = (values: readonly Value[], count: number) => separated(values, count, value);
  const value = (from: Value) => {
    switch (from.t) {
      case 'text':
        // Decoders use a lone `?` for a value that was not recorded.
        return add(from.v === '?' ? from.v : quoted(from.v));
      case 'bytes':
        return add(bytesText(from));
      case 'list':
        add('{');
        elements(from.v, SHORT_LIST);
        return add('}');
      case 'tree':
        add('{');
        members(from.v);
        return add('}');
      default:
        return add(scalarText(from, context));
    }
  };
  return { add, members, elements, value, text: () => (full() ? `${text.slice(0, most - 1)}…` : text) };
}

/** A text in quotes and on one line. */
function quoted(text: string): string {
  const start = text.slice(0, SHORT_TEXT + 1).replace(/\s+/g, ' ');
  return text.length > SHORT_TEXT ? `"${start.slice(0, SHORT_TEXT)}…"` : `"${start}"`;
}
