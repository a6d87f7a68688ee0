import { formatCount, formatCounted, formatLength, formatPosition, NBSP } from '../base/format.ts';
import type { Clock, Details, Field, Ticks, Value } from '../base/protocol.ts';

/** What is needed to tell positions and lengths. */
export interface ValueContext {
  readonly clock: Clock;
  readonly origin: Ticks;
}

/** A value that is told in a word or two. */
export type Scalar = Exclude<Value, { t: 'text' | 'bytes' | 'list' | 'tree' }>;

/** The names that decoders give to what a call was given and what it gave back. */
const ARGUMENTS = 'Arguments';
const RETURN_VALUE = 'Return value';
/** Longer text is cut in a line that tells a whole call. */
const SHORT_TEXT = 40;
/** Of a list so many elements are told in a line. */
const SHORT_LIST = 8;

/** Whether a value is told in a word or two. */
export function isScalar(value: Value): value is Scalar {
  return value.t !== 'text' && value.t !== 'bytes' && value.t !== 'list' && value.t !== 'tree';
}

/** A number as one types it, without grouping: to be copied, or to stand among others. */
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

/** `0x1f`; a number below zero keeps its sign. */
export function hexText(value: bigint): string {
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
}

/** As C and GLSL write it: a plain number, `inf`, `nan`. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** The number behind a name, or null when the name says it all. */
export function numberBehind(value: Value & { t: 'symbol' }): Value | null {
  return value.name === 'true' || value.name === 'false' ? null : value.v;
}

/**
 * The members as they are shown: those of a structure without a name (a union within another structure) stand among the
 * others, as in C; any other value without a name is called by its place.
 */
export function membersOf(fields: readonly Field[]): readonly Field[] {
  if (fields.every((field) => field.name !== '')) return fields;
  return fields.flatMap((field, i) => {
    if (field.name !== '') return [field];
    return field.value.t === 'tree' ? membersOf(field.value.v) : [{ name: `member ${i}`, value: field.value }];
  });
}

/** How much a value holds that has parts: `16 elements`, `260 bytes`; '' for members, which have names. */
export function amountOf(value: Value): string {
  if (value.t === 'list') return formatCounted(value.v.length, 'element');
  if (value.t === 'bytes') return formatCounted(value.length, 'byte');
  return '';
}

/**
 * What a call was given and what it gave back in one line, about `most` characters of it: `(location = 3, v0 = 0.5) = 1`.
 * '' when the details hold neither.
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

/** Text that grows until it is long enough, so that a value of a million parts costs no more than what is shown of it. */
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
    if (parts.length > count) add(`, …${NBSP}${formatCount(parts.length - count)}${NBSP}more`);
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
        return add(quoted(from.v));
      case 'bytes':
        return add(formatCounted(from.length, 'byte'));
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

/** In quotes and on one line. A lone question mark is what decoders say for a value that was not recorded. */
function quoted(text: string): string {
  if (text === '?') return text;
  const start = text.slice(0, SHORT_TEXT + 1).replace(/\s+/g, ' ');
  return text.length > SHORT_TEXT ? `"${start.slice(0, SHORT_TEXT)}…"` : `"${start}"`;
}
