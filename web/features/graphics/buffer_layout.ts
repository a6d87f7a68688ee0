import type { GlDraw, GlState } from './gl_state_protocol.ts';
import { type ElementFormat, elementOf } from './vertex_types.ts';

/** A part of each element of a buffer. */
export interface LayoutField extends ElementFormat {
  readonly name: string;
  /** From the beginning of the element, in bytes. */
  readonly offset: number;
}

/** How a buffer is read: elements that lie `stride` bytes apart. */
export interface BufferLayout {
  /** Where the first element begins. */
  readonly start: number;
  readonly stride: number;
  readonly fields: readonly LayoutField[];
}

/** Words of types, and the constants of OpenGL. */
const WORDS: Readonly<Record<string, number>> = {
  float: 0x1406,
  half: 0x140b,
  byte: 0x1400,
  ubyte: 0x1401,
  short: 0x1402,
  ushort: 0x1403,
  int: 0x1404,
  uint: 0x1405,
  double: 0x140a,
  fixed: 0x140c,
  // Numbers that are packed have words without a count.
  int_2_10_10_10_: 0x8d9f,
  uint_2_10_10_10_: 0x8368,
  uint_10f_11f_11f_: 0x8c3b,
};
const BGRA = 0x80e1;

/** Parses `float3 position, ubyte4n colour @ 12`: type and count, `n` for 0 to 1, name, offset. Throws an error with a sentence. */
export function parseFields(text: string): readonly LayoutField[] {
  let next = 0;
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0) throw new Error('Write a type, such as float3 position.');
  return parts.map((part) => {
    const found = /^([a-z]+?(?:_[0-9f_]+_)?)(bgra|[1-4])?(n)?(?:\s+([^@]*?))?(?:\s*@\s*(\d+))?$/.exec(part);
    const type = found ? WORDS[found[1]!] : undefined;
    if (!found || type === undefined) {
      throw new Error(
        `“${part}” is not a field. Write a type, such as float3, then a name: ${Object.keys(WORDS).slice(0, 9).join(', ')}.`,
      );
    }
    const [, word, count, normal, name = '', at] = found;
    const size = count === 'bgra' ? BGRA : Number(count ?? (word!.endsWith('_') ? 4 : 1));
    const offset = at === undefined ? next : Number(at);
    const field = { name, size, type, isNormalized: normal !== undefined, offset };
    next = offset + (elementOf(field)?.bytes ?? 0);
    return field;
  });
}

/** What {@link parseFields} parses. */
export function textOf(fields: readonly LayoutField[]): string {
  let next = 0;
  return fields
    .map((field) => {
      const word = Object.keys(WORDS).find((key) => WORDS[key] === field.type) ?? 'float';
      const count =
        field.size === BGRA ? 'bgra' : word.endsWith('_') && field.size === 4 ? '' : field.size === 1 ? '' : field.size;
      const at = field.offset === next ? '' : ` @ ${field.offset}`;
      next = field.offset + (elementOf(field)?.bytes ?? 0);
      return `${word}${count}${field.isNormalized ? 'n' : ''} ${field.name}`.trimEnd() + at;
    })
    .join(', ');
}

/** Bytes of an element whose fields end there. */
export function bytesOf(fields: readonly LayoutField[]): number {
  return fields.reduce((most, field) => Math.max(most, field.offset + (elementOf(field)?.bytes ?? 0)), 0);
}

/** How a draw reads a buffer: its vertex inputs, those of one stride together, and its indices. */
export function layoutsOf(draw: GlDraw, buffer: number): readonly BufferLayout[] {
  const layouts: { start: number; stride: number; fields: LayoutField[] }[] = [];
  const inputs = draw.inputs.filter((input) => input.buffer?.name === buffer).sort((a, b) => a.offset - b.offset);
  for (const { title, size, type, isNormalized, stride: given, offset } of inputs) {
    const format = { size, type, isNormalized };
    const bytes = elementOf(format)?.bytes;
    if (bytes === undefined || offset < 0) continue;
    const stride = given || bytes;
    // `0 position`: the number alone is the name of those without one.
    const name = title.replace(/^\d+ /, '').replace(/^GL_(.*)_ARRAY/, (_, words: string) => words.toLowerCase());
    const known = layouts.find((it) => it.stride === stride && offset + bytes <= it.start + stride);
    if (known) known.fields.push({ ...format, name, offset: offset - known.start });
    else layouts.push({ start: offset, stride, fields: [{ ...format, name, offset: 0 }] });
  }
  if (draw.indexed > 0 && draw.indices?.name === buffer) {
    const index = { name: 'index', size: 1, type: draw.indexed, isNormalized: false, offset: 0 };
    layouts.push({ start: 0, stride: bytesOf([index]), fields: [index] });
  }
  return layouts;
}

/** States that are asked for: an event may be a clear, which uses no buffer. */
const MOST_STATES = 12;

/** Whether all bytes from `begin` to `end` are in one of the ranges, each of which is a begin and an end, in order. */
export function isWithin(ranges: Uint32Array, begin: number, end: number): boolean {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[2 * middle + 1] ?? 0) < end) low = middle + 1;
    else high = middle;
  }
  return (ranges[2 * low] ?? Number.POSITIVE_INFINITY) <= begin;
}

/**
 * The layouts of the draw that used a buffer last before a call, or else next. `events` are those of the buffer, `stateAt` returns the
 * state after a call.
 */
export async function suggestedLayouts(
  buffer: number,
  call: number,
  events: { readonly calls: Float64Array; readonly what: readonly string[] },
  stateAt: (call: number) => Promise<Pick<GlState, 'draw'> | null>,
): Promise<readonly BufferLayout[]> {
  const draws = [...events.calls].filter((_, i) => events.what[i] === 'drawn' || events.what[i] === 'drawnUntil');
  const before = draws.filter((it) => it <= call).reverse();
  const all = [...new Set([...before, ...draws.filter((it) => it > call)])];
  for (const draw of all.slice(0, MOST_STATES)) {
    const state = await stateAt(draw);
    const layouts = state?.draw ? layoutsOf(state.draw, buffer) : [];
    if (layouts.length > 0) return layouts;
  }
  return [];
}
