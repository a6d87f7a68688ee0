import { expect, test } from 'vitest';
import type { GlSection } from './gl_state_protocol.ts';
import { homeCamera, matrixOf, pointsDown, screenView, spaceView, turned, zoomed } from './mesh_camera.ts';

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

const sections = (rows: readonly (readonly [name: string, text: string])[], program = 'linked', title = 'Uniforms') =>
  [
    {
      title: 'Program',
      isUsed: true,
      rows: [{ name: 'Program', text: program, call: 1, isChanged: false, object: null }],
    },
    {
      title,
      isUsed: true,
      rows: rows.map(([name, text]) => ({ name, text, call: 1, isChanged: false, object: null })),
    },
  ] satisfies readonly GlSection[];
const matrix = (y: number) => `2  0  0  -1\n0  ${y}  0  1\n0  0  1  0\n0  0  0  1`;

test('stands as in the picture: interfaces count from the top', () => {
  const { high, low } = CUBE;
  const isDown = matrixOf(homeCamera(CUBE), { low, high }, 1, true);
  expect(place(isDown, [0, 1, 0]).y).toBeCloseTo(-place(matrixOf(homeCamera(CUBE), CUBE, 1), [0, 1, 0]).y);
  expect(pointsDown(sections([['mat4 u_mvp', matrix(-2)]]))).toBe(true);
  expect(pointsDown(sections([['mat4 u_mvp', matrix(2)]]))).toBe(false);
  // What two of them turn stands upright, and other matrices say nothing.
  expect(
    pointsDown(
      sections([
        ['mat4 projection', matrix(-2)],
        ['mat4 view', matrix(-1)],
      ]),
    ),
  ).toBe(false);
  expect(
    pointsDown(
      sections([
        ['mat4 projection', matrix(-2)],
        ['mat4 colours', matrix(-1)],
      ]),
    ),
  ).toBe(true);
  // It turns x to y.
  expect(pointsDown(sections([['mat4 u_mvp', '0  2  0  0\n-3  -2  0  0\n0  0  1  0\n0  0  0  1']]))).toBe(false);
  expect(pointsDown(sections([['PROJECTION_MATRIX', matrix(-2)]], 'none: fixed function', 'Matrices'))).toBe(true);
  expect(pointsDown([])).toBe(false);
});

test('shows the screen in its shape, with what is beside it, and moves it by as much as the pointer', () => {
  const view = screenView(64 / 48);
  for (const aspect of [0.5, 64 / 48, 3]) {
    const matrix = view.matrix(view.home, aspect, false);
    const at = (x: number, y: number) => place(matrix, [x, y, 0]);
    expect(Math.max(at(1, 1).x, at(1, 1).y)).toBeCloseTo(0.8);
    expect((at(1, 1).x * aspect) / at(1, 1).y).toBeCloseTo(64 / 48);
    expect(at(0, 0)).toMatchObject({ x: 0, y: 0 });
  }
  const near = view.zoomed(view.home, 3);
  const moved = view.dragged(near, 30, 10, [300, 200]);
  const [before, after] = [near, moved].map((camera) => place(view.matrix(camera, 1.5, false), [0.5, 0.5, 0]));
  expect(after!.x - before!.x).toBeCloseTo(0.2);
  expect(after!.y - before!.y).toBeCloseTo(-0.1);
  expect(view.says(moved)).toBe('Wireframe as on the screen, zoom 300 %');
  const right = place(view.matrix(view.stepped(view.home, 1, 1), 1, false), [0, 0, 0]);
  expect(right.x).toBeGreaterThan(0);
  expect(right.y).toBeLessThan(0);
});

test('says how a mesh is turned', () => {
  const view = spaceView(CUBE);
  expect(view.says(view.stepped(view.home, 1, 0))).toBe('Wireframe turned by -28°, tilted by 23°, zoom 100 %');
  expect(view.dragged(view.home, 10, 0, [1, 1]).yaw).toBeGreaterThan(view.home.yaw);
});
