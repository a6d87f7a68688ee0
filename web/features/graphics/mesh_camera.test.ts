import { expect, test } from 'vitest';
import { homeCamera, matrixOf, turned, zoomed } from './mesh_camera.ts';

const CUBE = { low: [-1, -1, -1], high: [1, 1, 1] } as const;

/** Where a position is on the screen: -1 to 1, and its depth. */
function place(matrix: Float32Array, [x, y, z]: readonly [number, number, number]) {
  const of = (row: number) => matrix[row]! * x + matrix[row + 4]! * y + matrix[row + 8]! * z + matrix[row + 12]!;
  return { x: of(0) / of(3), y: of(1) / of(3), depth: of(2) };
}

test('shows the whole of a mesh, whatever its size and the shape of the window', () => {
  for (const aspect of [0.4, 1, 2.5]) {
    for (const scale of [1e-6, 1, 1e9]) {
      const bounds = { low: [-scale, 0, 3 * scale], high: [scale, 5 * scale, 4 * scale] } as const;
      const matrix = matrixOf(homeCamera(bounds), bounds, aspect);
      for (const corner of [0, 1, 2, 3, 4, 5, 6, 7]) {
        const side = (axis: 0 | 1 | 2) => (corner & (1 << axis) ? bounds.high[axis] : bounds.low[axis]);
        const { x, y, depth } = place(matrix, [side(0), side(1), side(2)]);
        expect(Math.max(Math.abs(x), Math.abs(y), Math.abs(depth))).toBeLessThanOrEqual(1.001);
      }
    }
  }
});

test('turns to the right and down, and stops over the poles', () => {
  const front = { yaw: 0, pitch: 0, zoom: 1 };
  const right = matrixOf(turned(front, 0.5, 0), CUBE, 1);
  // What is in front goes to the right when the mesh turns to the right.
  expect(place(right, [0, 0, 1]).x).toBeGreaterThan(0.1);
  expect(place(matrixOf(turned(front, 0, 0.5), CUBE, 1), [0, 0, 1]).y).toBeLessThan(-0.1);
  expect(turned(front, 0, 9).pitch).toBe(Math.PI / 2);
  expect(place(matrixOf(front, CUBE, 1), [0, 0, 1]).depth).toBeLessThan(0);
  expect(place(matrixOf(zoomed(front, 2), CUBE, 1), [0.3, 0, 0]).x).toBeCloseTo(
    2 * place(matrixOf(front, CUBE, 1), [0.3, 0, 0]).x,
  );
});

test('shows what is flat from the front', () => {
  expect(homeCamera({ low: [0, 0, 2], high: [3, 1, 2] })).toEqual({ yaw: 0, pitch: 0, zoom: 1 });
});
