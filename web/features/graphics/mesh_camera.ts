import type { GlSection } from './gl_state_protocol.ts';
import type { Bounds } from './mesh.ts';

/** How a mesh is looked at. Angles in radians. */
export interface Camera {
  readonly yaw: number;
  readonly pitch: number;
  /** 1: the mesh fits. */
  readonly zoom: number;
}

const LEAST_ZOOM = 0.1;
const MOST_ZOOM = 1000;
/** Distance of the eye from the centre of a mesh of radius 1, and the focal length at which that fits. */
const DISTANCE = 3.2;
const FOCAL = 2.8;

/** How a picture is looked at: what is in its middle, where the whole picture goes from -1 to 1. */
export interface ScreenCamera {
  readonly x: number;
  readonly y: number;
  /** 1: the picture fits. */
  readonly zoom: number;
}

/** How a mesh is looked at and moved. `C` is the camera. */
export interface MeshView<C> {
  readonly home: C;
  /** What moves the mesh by a drag in CSS pixels, on a canvas of this size. */
  dragged(camera: C, right: number, down: number, size: readonly [number, number]): C;
  /** What an arrow key does: -1 to 1 to the right and down. */
  stepped(camera: C, right: number, down: number): C;
  zoomed(camera: C, factor: number): C;
  /** The matrix that takes positions to clip space. `aspect` is width by height of the canvas. */
  matrix(camera: C, aspect: number, isDown: boolean): Float32Array;
  /** What it shows, in words. */
  says(camera: C): string;
}

/** Radians of a key and of a CSS pixel. */
const KEY_TURN = 0.12;
const PIXEL_TURN = 0.008;
/** The share of the picture that a key moves. */
const KEY_MOVE = 0.1;
/** The share of the canvas that the picture has: what is beside it is seen, too. */
const SCREEN = 0.8;

/** Looks at positions in space, which are turned. */
export function spaceView(bounds: Bounds): MeshView<Camera> {
  const degrees = (angle: number) => `${Math.round((angle * 180) / Math.PI)}°`;
  return {
    home: homeCamera(bounds),
    dragged: (camera, right, down) => turned(camera, right * PIXEL_TURN, down * PIXEL_TURN),
    stepped: (camera, right, down) => turned(camera, right * KEY_TURN, down * KEY_TURN),
    zoomed,
    matrix: (camera, aspect, isDown) => matrixOf(camera, bounds, aspect, isDown),
    says: ({ yaw, pitch, zoom }) =>
      `Wireframe turned by ${degrees(yaw)}, tilted by ${degrees(pitch)}, zoom ${percent(zoom)}`,
  };
}

/** Looks at clip coordinates as they are on the screen. `shape` is width by height of the viewport. */
export function screenView(shape: number): MeshView<ScreenCamera> {
  return {
    home: { x: 0, y: 0, zoom: 1 },
    dragged: (camera, right, down, [width, height]) => {
      const [sx, sy] = screenScale(camera, shape, width / Math.max(1, height));
      return { ...camera, x: camera.x - (2 * right) / width / sx, y: camera.y + (2 * down) / height / sy };
    },
    stepped: (camera, right, down) => ({
      ...camera,
      x: camera.x - (right * KEY_MOVE) / camera.zoom,
      y: camera.y + (down * KEY_MOVE) / camera.zoom,
    }),
    zoomed: (camera, factor) => ({ ...camera, zoom: within(camera.zoom * factor) }),
    matrix: (camera, aspect) => {
      const [sx, sy] = screenScale(camera, shape, aspect);
      const matrix = new Float32Array(16);
      [matrix[0], matrix[5], matrix[15]] = [sx, sy, 1];
      [matrix[12], matrix[13]] = [-sx * camera.x, -sy * camera.y];
      return matrix;
    },
    says: ({ zoom }) => `Wireframe as on the screen, zoom ${percent(zoom)}`,
  };
}

/** What a canvas of this shape shows the picture's coordinates as: half of its width and of its height. */
function screenScale({ zoom }: ScreenCamera, shape: number, aspect: number): readonly [number, number] {
  const size = SCREEN * zoom;
  return aspect > shape ? [(size * shape) / aspect, size] : [size, (size * aspect) / shape];
}

function percent(zoom: number): string {
  return `${Math.round(100 * zoom)} %`;
}

/** The camera that shows a whole mesh: a flat one from the front, any other one from above and the side. */
export function homeCamera(bounds: Bounds): Camera {
  const [width, height, depth] = [0, 1, 2].map((axis) => bounds.high[axis]! - bounds.low[axis]!) as [
    number,
    number,
    number,
  ];
  const isFlat = depth < 1e-6 * Math.max(width, height);
  return isFlat ? { yaw: 0, pitch: 0, zoom: 1 } : { yaw: -0.6, pitch: 0.4, zoom: 1 };
}

/** The camera turned by angles in radians. */
export function turned({ yaw, pitch, zoom }: Camera, right: number, down: number): Camera {
  // Not over the poles: what is up stays up.
  return { yaw: yaw + right, pitch: Math.max(-Math.PI / 2, Math.min(Math.PI / 2, pitch + down)), zoom };
}

/** The camera with a multiple of its zoom, within limits. */
export function zoomed(camera: Camera, factor: number): Camera {
  return { ...camera, zoom: within(camera.zoom * factor) };
}

function within(zoom: number): number {
  return Math.max(LEAST_ZOOM, Math.min(MOST_ZOOM, zoom));
}

/**
 * The matrix that takes positions to clip space, in column-major order. `aspect` is width by height. Depths go from -1 in front of the
 * mesh to 1 behind it. `isDown`: greater y is shown below.
 */
export function matrixOf(camera: Camera, { low, high }: Bounds, aspect: number, isDown = false): Float32Array {
  const sides = [0, 1, 2].map((axis) => high[axis]! - low[axis]!);
  const radius = Math.hypot(...sides) / 2 || 1;
  const [sy, cy] = [Math.sin(camera.yaw), Math.cos(camera.yaw)];
  const [sp, cp] = [Math.sin(camera.pitch), Math.cos(camera.pitch)];
  // Rows of the rotation: to the right, up, and towards the eye.
  const rows = [
    [cy, 0, sy],
    [sp * sy, cp, -sp * cy],
    [-cp * sy, sp, cp * cy],
  ] as const;
  const moved = rows.map((row) => {
    const centre = row.reduce((sum, part, axis) => sum + (part * (low[axis]! + high[axis]!)) / 2, 0);
    return [...row.map((part) => part / radius), -centre / radius];
  });
  const [x, y, z] = moved as [number[], number[], number[]];
  const focal = FOCAL * camera.zoom;
  // The narrower side of the picture shows the whole mesh.
  const [fx, up] = aspect > 1 ? [focal / aspect, focal] : [focal, focal * aspect];
  const fy = isDown ? -up : up;
  const matrix = new Float32Array(16);
  for (let column = 0; column < 4; column += 1) {
    const last = column === 3 ? 1 : 0;
    const w = DISTANCE * last - z[column]!;
    matrix[4 * column] = fx * x[column]!;
    matrix[4 * column + 1] = fy * y[column]!;
    // Depth is not divided by the distance: all of the mesh is between 1 and -1 then, whatever the zoom.
    matrix[4 * column + 2] = -z[column]!;
    matrix[4 * column + 3] = w;
  }
  return matrix;
}

/** Names of matrices that hold the whole way of a position to the picture, or a part of it. */
const WHOLE = /mvp|model_?view_?proj/i;
const PART = /proj|model|view|world|ortho/i;

/**
 * Whether greater y is further down in the picture of a draw, as far as its matrices tell: interfaces count from the top. What a shader
 * does besides is not known.
 */
export function pointsDown(sections: readonly GlSection[]): boolean {
  const rows = (title: string) => sections.find((section) => section.title === title)?.rows ?? [];
  const uniforms = rows('Uniforms').filter(({ name }) => name.startsWith('mat4 '));
  const whole = uniforms.filter(({ name }) => WHOLE.test(name));
  const parts = uniforms.filter(({ name }) => PART.test(name));
  const own = whole.length > 0 ? whole.slice(0, 1) : parts.length > 0 ? parts : uniforms.length === 1 ? uniforms : [];
  const fixed = rows('Matrices').filter(({ name }) => name === 'PROJECTION_MATRIX' || name === 'MODELVIEW_MATRIX');
  const isFixed = rows('Program').some(({ text }) => text.includes('fixed function'));
  const turns = (isFixed ? fixed : own).filter(({ text }) => turnsY(text));
  return turns.length % 2 === 1;
}

/** Whether a matrix, with a line for each row, turns y upside down: what it takes y to depends most on y, by a negative factor. */
function turnsY(text: string): boolean {
  const row =
    text
      .split('\n')[1]
      ?.trim()
      .split(/[\s,]+/)
      .map(Number) ?? [];
  const [x = 0, y = 0, z = 0] = row;
  return y < 0 && -y >= Math.abs(x) && -y >= Math.abs(z);
}
