import { expect, test } from 'vitest';
import { TRIANGLE } from './draw.fixture.ts';
import type { GlDraw, GlInput } from './gl_state_protocol.ts';
import { type MeshBytes, MOST_VERTICES, meshOf, positionsOf, wireframeOf } from './mesh.ts';

const FLOAT = 0x1406;
const USHORT = 0x1403;
const UBYTE = 0x1401;

const POSITION: GlInput = {
  title: '0 position',
  size: 2,
  type: FLOAT,
  isNormalized: false,
  stride: 0,
  offset: 0,
  divisor: 0,
  buffer: { name: 1, sized: 5 },
  call: 7,
};

const DRAW: GlDraw = { ...TRIANGLE, inputs: [POSITION] };

/** Bytes of buffers by name, and of calls. */
function bytesOf(buffers: Record<number, ArrayBufferView>, calls: Record<number, ArrayBufferView> = {}): MeshBytes {
  const of = (view: ArrayBufferView | undefined) =>
    Promise.resolve(view ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : null);
  const contents = async (name: number) => {
    const bytes = await of(buffers[name]);
    return bytes && { bytes, known: Uint32Array.of(0, bytes.length), unknown: 0, isExposed: false };
  };
  return { buffer: ({ name }) => contents(name), blob: (call) => of(calls[call]) };
}

/** A square, and the vertices of it. */
const SQUARE = new Float32Array([0, 0, 1, 0, 1, 1, 0, 1]);

async function edges(draw: Partial<GlDraw>, bytes = bytesOf({ 1: SQUARE })) {
  const whole = { ...DRAW, ...draw };
  const mesh = await meshOf(whole, 9, bytes);
  const wires = wireframeOf(whole.mode, mesh, mesh.positions, 0);
  return { ...mesh, ...wires, pairs: [...wires.edges].join(' ') };
}

test('makes edges of every mode', async () => {
  const four: GlDraw['ranges'] = [[0, 4, 0]];
  const of = async (mode: string) => {
    const { pairs, primitives } = await edges({ mode, ranges: four });
    return `${primitives.replace('\u00a0', ' ')}: ${pairs}`;
  };
  expect(await of('GL_TRIANGLES')).toBe('1 triangle: 0 1 1 2 2 0');
  expect(await of('GL_TRIANGLE_STRIP')).toBe('2 triangles: 0 1 0 2 1 2 1 3 2 3');
  expect(await of('GL_TRIANGLE_FAN')).toBe('2 triangles: 0 1 0 2 1 2 0 3 2 3');
  expect(await of('GL_LINES')).toBe('2 lines: 0 1 2 3');
  expect(await of('GL_LINE_STRIP')).toBe('3 lines: 0 1 1 2 2 3');
  expect(await of('GL_LINE_LOOP')).toBe('4 lines: 0 1 1 2 2 3 3 0');
  expect(await of('GL_QUADS')).toBe('1 quad: 0 1 1 2 2 3 3 0');
  expect(await of('GL_QUAD_STRIP')).toBe('1 quad: 0 1 0 2 1 3 2 3');
  expect(await of('GL_POLYGON')).toBe('1 polygon: 0 1 1 2 2 3 3 0');
  expect(await of('GL_LINES_ADJACENCY')).toBe('1 line: 1 2');
  expect(await of('GL_POINTS')).toBe('4 points: 0 1 2 3');
  expect(await of('GL_PATCHES')).toBe('4 control points: 0 1 2 3');
});

test('says which bytes of buffers are not in the trace', async () => {
  const bytes = bytesOf({ 1: SQUARE });
  const doubtful = async (unknown: number, isExposed: boolean) => {
    const contents = await bytes.buffer({ name: 1, sized: 5 });
    const buffer = () => Promise.resolve(contents && { ...contents, unknown, isExposed });
    return (await meshOf(DRAW, 9, { ...bytes, buffer })).remarks;
  };
  expect(await doubtful(0, false)).toEqual([]);
  expect((await doubtful(1, false)).join()).toMatch(/^Buffer 1 has 1 unknown byte, taken for 0: the GPU may/);
  expect((await doubtful(24, true)).join()).toMatch(/24 unknown bytes.*Shaders can write to buffer 1 or/);
});

test('follows indices, what is added to them, and where primitives begin anew', async () => {
  const indices = new Uint16Array([9, 0, 1, 2, 0xffff, 1, 2, 3]);
  const found = await edges(
    { mode: 'GL_LINE_STRIP', ranges: [[2, 7, 0]], indexed: USHORT, indices: { name: 2, sized: 6 }, restart: 0xffff },
    bytesOf({ 1: SQUARE, 2: indices }),
  );
  expect([...found.order]).toEqual([0, 1, 2, 1, 2, 3]);
  expect(found.pairs).toBe('0 1 1 2 3 4 4 5');
  const based = await edges(
    {
      mode: 'GL_LINES',
      ranges: [
        [0, 2, 2],
        [0, 2, 0],
      ],
      indexed: UBYTE,
      isOwn: true,
    },
    bytesOf({ 1: SQUARE }, { 9: new Uint8Array([0, 1]) }),
  );
  expect([...based.order]).toEqual([2, 3, 0, 1]);
});

test('reads interleaved inputs, memory of the program, and parts of an indirect draw', async () => {
  const interleaved = new Uint8Array([7, 7, 7, 7, 255, 0, 51, 255, 0, 0, 0, 0, 0, 255, 0, 0]);
  const input = { ...POSITION, title: '1 colour', size: 4, type: UBYTE, isNormalized: true, stride: 8, offset: 4 };
  const mesh = await meshOf({ ...DRAW, inputs: [POSITION, input] }, 9, bytesOf({ 1: interleaved }));
  expect([...mesh.inputs[1]!.at(0, 0)!]).toEqual([1, 0, 0.2, 1]);
  expect([...mesh.inputs[1]!.at(1, 0)!]).toEqual([0, 1, 0, 0]);
  expect(mesh.inputs[1]!.at(2, 0)).toBeNull();
  const own = await edges({ inputs: [{ ...POSITION, buffer: null }] }, bytesOf({}, { 7: SQUARE }));
  expect(own.bounds).toEqual({ low: [0, 0, 0], high: [1, 1, 0] });
  const commands = new Uint32Array([99, 3, 2, 1, 0]);
  const indirect = await edges(
    { indirect: { buffer: { name: 4, sized: 1 }, count: 2, offset: 4, stride: 0 }, ranges: [] },
    bytesOf({ 1: SQUARE, 4: commands }),
  );
  expect([...indirect.order]).toEqual([1, 2, 3]);
  expect(indirect.remarks.join(' ')).toMatch(/1 of 2\u00a0parts are not in the buffer.*2 instances are drawn/);
});

test('finds the positions among the inputs', () => {
  const titled = (...titles: string[]) => positionsOf(titles.map((title) => ({ ...POSITION, title })));
  expect(titled('0 normal', '3 a_position')).toBe(1);
  expect(titled('0 texcoord', '1 vertex')).toBe(1);
  expect(titled('GL_NORMAL_ARRAY', 'GL_VERTEX_ARRAY')).toBe(1);
  expect(titled('0', '1 whatever')).toBe(0);
  expect(titled('GL_COLOR_ARRAY')).toBe(-1);
  expect(titled()).toBe(-1);
});

test('bounds what a draw may demand, and says so', async () => {
  const huge = await edges({
    mode: 'GL_POINTS',
    ranges: [
      [0, 2_000_000_000, 0],
      [0, -5, 0],
    ],
  });
  expect(huge.order.length).toBe(MOST_VERTICES);
  expect(huge.remarks[0]).toBe('The draw has 2,000,000,000 vertices; the first 6,000,000 are shown.');
  // Four vertices are in the buffer.
  expect(huge.edges.length).toBe(4);
  expect(huge.missing).toBe(MOST_VERTICES - 4);
  const outside = await edges(
    {
      ranges: [
        [-8, 3, 0],
        [1e15, 3, 0],
      ],
      indexed: USHORT,
      indices: { name: 2, sized: 6 },
    },
    bytesOf({ 1: SQUARE, 2: new Uint16Array(3) }),
  );
  expect(outside.order.length).toBe(0);
  expect(outside.remarks).toEqual(['6 of 6 indices lie outside their buffer.']);
  const none = await edges({ inputs: [] });
  expect(none.bounds).toBeNull();
});

test('makes the edges of a million triangles', async () => {
  const side = 708;
  const positions = Float32Array.from({ length: 2 * side * side }, (_, i) => (i >> 1) % side);
  const indices = new Uint32Array(6 * (side - 1) * (side - 1));
  for (let quad = 0; quad < indices.length / 6; quad += 1) {
    const at = Math.floor(quad / (side - 1)) * side + (quad % (side - 1));
    indices.set([at, at + 1, at + side, at + side, at + 1, at + side + 1], 6 * quad);
  }
  const found = await edges(
    { ranges: [[0, indices.length, 0]], indexed: 0x1405, indices: { name: 2, sized: 6 } },
    bytesOf({ 1: positions, 2: indices }),
  );
  expect(found.edges.length).toBe(2 * indices.length);
  expect(found.remarks).toEqual([]);
});

test('gives each instance its elements of inputs that have a divisor', async () => {
  const offset: GlInput = { ...POSITION, title: '1 offset', size: 1, divisor: 2, buffer: { name: 2, sized: 6 } };
  const draw: GlDraw = { ...DRAW, instances: 4, inputs: [POSITION, offset] };
  const bytes = bytesOf({ 1: Float32Array.of(0, 0, 1, 0, 0, 1), 2: Float32Array.of(10, 20) });
  const mesh = await meshOf(draw, 9, bytes);
  expect([mesh.instances, mesh.remarks]).toEqual([4, []]);
  const found = [0, 1, 2, 3, 4].map((instance) => mesh.inputs[1]!.at(2, instance)?.[0] ?? null);
  expect(found).toEqual([10, 10, 20, 20, null]);
  // The base is added to elements, not to instances.
  const based = await meshOf({ ...draw, baseInstance: 1 }, 9, bytes);
  expect([0, 1, 2].map((instance) => based.inputs[1]!.at(2, instance)?.[0] ?? null)).toEqual([20, 20, null]);
  const commands = Uint32Array.of(3, 4, 0, 1, 3, 4, 0, 0);
  const indirect = { buffer: { name: 4, sized: 1 }, count: 2, offset: 0, stride: 0 };
  const parts = await meshOf(
    { ...draw, ranges: [], indirect },
    9,
    bytesOf({ 1: Float32Array.of(0, 0, 1, 0, 0, 1), 2: Float32Array.of(10, 20), 4: commands }),
  );
  expect(parts.inputs[1]!.at(2, 0)?.[0]).toBe(20);
  expect(parts.remarks).toEqual([
    'Parts have different base instances; inputs that differ by instance are shown from 1 on.',
  ]);
  const alike = await meshOf({ ...draw, inputs: [POSITION] }, 9, bytes);
  expect([alike.instances, alike.remarks]).toEqual([1, ['4 instances are drawn, with the same inputs.']]);
});
