/*
 * Draws the edges of a mesh, with WebGL2 where there is that, otherwise with a canvas in two dimensions.
 */

/** What is drawn. */
export interface WireframeMesh {
  /** The coordinates of each vertex. */
  readonly positions: Float32Array;
  /** Coordinates of a vertex: three, or four with w. */
  readonly components: 3 | 4;
  /** Pairs of vertices; of points the vertices. */
  readonly edges: Uint32Array;
  readonly arePoints: boolean;
}

/** How it is drawn now. */
export interface WireframeFrame {
  /** Takes positions to clip space, in column-major order. */
  readonly matrix: Float32Array;
  /** Colours of edges and of the marked vertex: red, green and blue, 0 to 1. */
  readonly colour: readonly [number, number, number];
  readonly mark: readonly [number, number, number];
  /** The vertex that stands out, or -1. */
  readonly marked: number;
  /** Most edges that are drawn, spread over all: fewer while the mesh turns. */
  readonly most: number;
}

/** A back end that draws a mesh on a canvas. */
export interface WireframeRenderer {
  /** Draws a frame in the size of the canvas. Returns the number of edges or points drawn. */
  draw(frame: WireframeFrame): number;
  dispose(): void;
}

/** Edges that are drawn or left out together. */
const BLOCK = 512;
/** Edges that a canvas in two dimensions draws. */
const MOST_IN_2D = 20_000;

const VERTEX = `#version 300 es
uniform mat4 matrix;
uniform float size;
in vec4 position;
out float depth;
void main() {
  gl_Position = matrix * position;
  depth = gl_Position.z;
  // Nothing is cut off for being too near or too far.
  gl_Position.z = clamp(gl_Position.z, -1.0, 1.0) * 0.99 * gl_Position.w;
  gl_PointSize = size;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
uniform vec3 colour;
uniform float fades;
in float depth;
out vec4 result;
void main() {
  // What is far is paler.
  float alpha = mix(1.0, clamp(0.55 - 0.4 * depth, 0.15, 1.0), fades);
  result = vec4(colour * alpha, alpha);
}`;

/** A renderer of one mesh. */
export function createWireframe(canvas: HTMLCanvasElement, mesh: WireframeMesh): WireframeRenderer {
  return inWebGl(canvas, mesh) ?? inTwoDimensions(canvas, mesh);
}

/** Calls `each` for blocks of edges, spread over all, that have about `most`. Returns the number of edges. */
function spread(count: number, most: number, each: (from: number, count: number) => void): number {
  const blocks = Math.ceil(count / BLOCK);
  const wanted = Math.max(1, Math.min(blocks, Math.floor(most / BLOCK)));
  if (wanted === blocks) {
    if (count > 0) each(0, count);
    return count;
  }
  let drawn = 0;
  for (let i = 0; i < wanted; i += 1) {
    const from = Math.floor((i * blocks) / wanted) * BLOCK;
    const some = Math.min(BLOCK, count - from);
    each(from, some);
    drawn += some;
  }
  return drawn;
}

function inWebGl(
  canvas: HTMLCanvasElement,
  { positions, components, edges, arePoints }: WireframeMesh,
): WireframeRenderer | null {
  const gl = canvas.getContext('webgl2', { antialias: true, depth: false });
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, 'position');
  gl.linkProgram(program);
  gl.useProgram(program);
  const at = (name: string) => gl.getUniformLocation(program, name);
  const [matrixAt, colourAt, sizeAt, fadesAt] = [at('matrix'), at('colour'), at('size'), at('fades')];
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, positions, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, components, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, edges, gl.STATIC_DRAW);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const per = arePoints ? 1 : 2;
  return {
    draw: ({ matrix, colour, mark, marked, most }) => {
      const ratio = Math.max(1, canvas.width / Math.max(1, canvas.clientWidth));
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniformMatrix4fv(matrixAt, false, matrix);
      gl.uniform3fv(colourAt, colour);
      gl.uniform1f(sizeAt, 3 * ratio);
      gl.uniform1f(fadesAt, 1);
      const drawn = spread(edges.length / per, most, (from, count) =>
        gl.drawElements(arePoints ? gl.POINTS : gl.LINES, count * per, gl.UNSIGNED_INT, 4 * from * per),
      );
      if (marked >= 0) {
        gl.uniform3fv(colourAt, mark);
        gl.uniform1f(sizeAt, 9 * ratio);
        gl.uniform1f(fadesAt, 0);
        gl.drawArrays(gl.POINTS, marked, 1);
      }
      return drawn;
    },
    dispose: () => gl.getExtension('WEBGL_lose_context')?.loseContext(),
  };
}

function inTwoDimensions(
  canvas: HTMLCanvasElement,
  { positions, components, edges, arePoints }: WireframeMesh,
): WireframeRenderer {
  const context = canvas.getContext('2d');
  const per = arePoints ? 1 : 2;
  return {
    draw: ({ matrix, colour, mark, marked, most }) => {
      if (!context) return 0;
      const { width, height } = canvas;
      const css = (parts: readonly number[]) => `rgb(${parts.map((part) => Math.round(255 * part)).join(' ')})`;
      const place = (vertex: number): readonly [number, number] => {
        const from = components * vertex;
        const [x, y, z, last = 1] = positions.subarray(from, from + components) as unknown as [number, number, number];
        const of = (row: number) =>
          matrix[row]! * x + matrix[row + 4]! * y + matrix[row + 8]! * z + matrix[row + 12]! * last;
        const w = Math.max(0.01, of(3));
        return [((of(0) / w + 1) / 2) * width, ((1 - of(1) / w) / 2) * height];
      };
      context.clearRect(0, 0, width, height);
      context.fillStyle = css(colour);
      context.strokeStyle = css(colour);
      context.beginPath();
      const drawn = spread(edges.length / per, Math.min(most, MOST_IN_2D), (from, count) => {
        for (let i = from * per; i < (from + count) * per; i += per) {
          const [x, y] = place(edges[i]!);
          if (arePoints) context.fillRect(x - 1, y - 1, 3, 3);
          else {
            context.moveTo(x, y);
            context.lineTo(...place(edges[i + 1]!));
          }
        }
      });
      context.stroke();
      if (marked >= 0) {
        const [x, y] = place(marked);
        context.fillStyle = css(mark);
        context.fillRect(x - 4, y - 4, 9, 9);
      }
      return drawn;
    },
    dispose: () => undefined,
  };
}
