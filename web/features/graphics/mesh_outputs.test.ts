import { expect, test } from 'vitest';
import type { VertexOutputs } from '../../trace/vertex_outputs.ts';
import type { Mesh } from './mesh.ts';
import { outputColumns, outputRemarks, rangeOf, screenWires, textOf } from './mesh_outputs.ts';

/** Vertices 3 and 4, of which the second one is behind the eye. */
const FOUND: VertexOutputs = {
  first: 3,
  count: 2,
  outputs: [
    { title: 'gl_Position', components: 4, values: Float32Array.of(0.75, -0.5, 0.5, 2, 1, 1, 1, -1) },
    { title: 'number', components: 1, values: Int32Array.of(-7, 8) },
    { title: 'gl_PointSize', components: 1, values: Float32Array.of(2, 3) },
  ],
  viewport: [10, 0, 64, 48],
  isUpsideDown: false,
  height: 100,
  remarks: ['s is a structure, which WebGL2 does not capture.'],
};
const MESH = { order: Uint32Array.of(4, 3, 3, 9), parts: [4] } as unknown as Mesh;

test('vertices have outputs, and a place in the picture unless they are behind the eye', () => {
  const columns = outputColumns(FOUND, 'GL_TRIANGLES');
  expect(columns.map(({ title }) => title)).toEqual(['gl_Position', 'Device', 'Pixel', 'number']);
  const texts = (vertex: number) => columns.map((column) => textOf(column, vertex));
  expect(texts(3)).toEqual(['0.75, -0.5, 0.5, 2', '0.375, -0.25, 0.25', '54, 82', '-7']);
  expect(texts(4)).toEqual(['1, 1, 1, -1', '', '', '8']);
  // It was not captured.
  expect(texts(5)).toEqual(['', '', '', '']);
  expect(outputColumns(FOUND, 'GL_POINTS').at(-1)?.title).toBe('gl_PointSize');
});

test('what is upside down is so on the screen', () => {
  const down = { ...FOUND, isUpsideDown: true };
  const pixel = outputColumns(down, 'GL_LINES').find(({ title }) => title === 'Pixel')!;
  expect(textOf(pixel, 3)).toBe('54, 70');
  expect([...screenWires(MESH, 'GL_LINES', down).positions.subarray(4, 8)]).toEqual([0.75, 0.5, 0.5, 2]);
});

test('without positions there are the other outputs alone', () => {
  const others = { ...FOUND, outputs: FOUND.outputs.slice(1) };
  expect(outputColumns(others, 'GL_LINES').map(({ title }) => title)).toEqual(['number']);
  expect(screenWires(MESH, 'GL_LINES', others).bounds).toBeNull();
});

test('the wireframe has clip coordinates, also those behind the eye', () => {
  const wires = screenWires(MESH, 'GL_LINES', FOUND);
  expect(wires.components).toBe(4);
  expect([...wires.positions.subarray(0, 8)]).toEqual([1, 1, 1, -1, 0.75, -0.5, 0.5, 2]);
  expect([...wires.edges]).toEqual([0, 1]);
  expect(outputRemarks(FOUND, wires.missing)).toEqual([...FOUND.remarks, '1 vertices of the order have no position.']);
  expect(outputRemarks(FOUND, 0)).toEqual(FOUND.remarks);
});

test('as few vertices are captured as the order has', () => {
  expect(rangeOf(Uint32Array.of(7, 3, 5, 3))).toEqual({ first: 3, count: 5 });
  expect(rangeOf(new Uint32Array())).toEqual({ first: 0, count: 0 });
});
