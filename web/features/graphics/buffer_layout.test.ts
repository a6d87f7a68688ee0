import { expect, test } from 'vitest';
import { bytesOf, isWithin, layoutsOf, parseFields, suggestedLayouts, textOf } from './buffer_layout.ts';
import { TRIANGLE } from './draw.fixture.ts';
import type { GlDraw } from './gl_state_protocol.ts';
import { elementOf } from './vertex_types.ts';

const input = (title: string, size: number, type: number, stride: number, offset: number, isNormalized = false) => ({
  title,
  size,
  type,
  stride,
  offset,
  isNormalized,
  divisor: 0,
  buffer: { name: 3, sized: 1 },
  call: 2,
});

const DRAW: GlDraw = {
  ...TRIANGLE,
  indexed: 0x1403,
  indices: { name: 4, sized: 1 },
  inputs: [input('1 colour', 4, 0x1401, 16, 12, true), input('0 position', 3, 0x1406, 16, 0)],
};

test('suggests what the inputs of a draw say', () => {
  const [layout, ...others] = layoutsOf(DRAW, 3);
  expect(others).toEqual([]);
  expect([layout!.start, layout!.stride, textOf(layout!.fields)]).toEqual([0, 16, 'float3 position, ubyte4n colour']);
  expect(layoutsOf(DRAW, 4).map(({ stride, fields }) => [stride, textOf(fields)])).toEqual([[2, 'ushort index']]);
  // Arrays one after the other, and one of old.
  const apart = [input('GL_VERTEX_ARRAY', 3, 0x1406, 0, 0), input('2', 2, 0x140b, 0, 360)];
  expect(layoutsOf({ ...DRAW, inputs: apart }, 3).map((it) => [it.start, it.stride, textOf(it.fields)])).toEqual([
    [0, 12, 'float3 vertex'],
    [360, 4, 'half2 2'],
  ]);
  expect(layoutsOf(DRAW, 9)).toEqual([]);
});

test('parses what a person writes', () => {
  const text = 'float3 position, ubyte4n colour @ 16, ubytebgran, uint_2_10_10_10_n normal, short';
  const fields = parseFields(text);
  expect(fields.map(({ offset }) => offset)).toEqual([0, 16, 20, 24, 28]);
  expect(bytesOf(fields)).toBe(30);
  expect(textOf(fields)).toBe(text);
  expect(textOf(parseFields(' float4 '))).toBe('float4');
  expect(() => parseFields('')).toThrow('Write a type, such as float3 position.');
  expect(() => parseFields('float3 a, flaot b')).toThrow('“flaot b” is not a field.');
});

test('asks for the draw before the call, then for the one after, past clears', async () => {
  const asked: number[] = [];
  const events = {
    calls: new Float64Array([1, 5, 8, 20, 30]),
    what: ['created', 'drawn', 'drawnUntil', 'uploaded', 'drawn'],
  };
  const found = await suggestedLayouts(3, 25, events, async (call) => {
    asked.push(call);
    return { draw: call === 30 ? DRAW : null };
  });
  expect(asked).toEqual([8, 5, 30]);
  expect(found).toHaveLength(1);
});

test('reads elements of every type', () => {
  const view = new DataView(new ArrayBuffer(16));
  const read = (type: number, size: number, isNormalized = false) => {
    const element = elementOf({ type, size, isNormalized })!;
    const into = new Float64Array(element.count);
    element.read(view, 0, into);
    return [element.bytes, ...into];
  };
  view.setUint32(0, 0xffc0_03ff, true);
  expect(read(0x8368, 4, true)).toEqual([4, 1, 0, 1020 / 1023, 1]);
  expect(read(0x8d9f, 4)).toEqual([4, -1, 0, -4, -1]);
  expect(read(0x1401, 0x80e1, true)).toEqual([4, 192 / 255, 3 / 255, 1, 1]);
  view.setUint32(0, (15 << 6) | (15 << 17) | (16 << 27), true);
  expect(read(0x8c3b, 3)).toEqual([4, 1, 1, 2]);
  view.setUint16(0, 0xc000, true);
  expect(read(0x140b, 1)).toEqual([2, -2]);
  view.setInt16(0, -32768, true);
  expect(read(0x1402, 1, true)).toEqual([2, -1]);
  view.setInt32(0, 0x18000, true);
  expect(read(0x140c, 1)).toEqual([4, 1.5]);
  expect(elementOf({ type: 7, size: 1, isNormalized: false })).toBeNull();
});

test('knows whether bytes are in one of several ranges', () => {
  const ranges = Uint32Array.of(0, 4, 8, 16, 20, 21);
  const inside = (from: number, to: number) => isWithin(ranges, from, to);
  expect([inside(0, 4), inside(9, 16), inside(20, 21)]).toEqual([true, true, true]);
  expect([inside(2, 6), inside(4, 8), inside(15, 17), inside(21, 22)]).toEqual([false, false, false, false]);
  expect(isWithin(new Uint32Array(), 0, 1)).toBe(false);
});
