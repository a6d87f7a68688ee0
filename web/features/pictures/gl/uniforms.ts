/* Values of the uniforms of a program, whatever their types are. */

type Gl = WebGL2RenderingContext;
type Vectors = 'uniform1fv' | 'uniform2fv' | 'uniform3fv' | 'uniform4fv';
type Wholes = 'uniform1iv' | 'uniform2iv' | 'uniform3iv' | 'uniform4iv';
type Unsigned = 'uniform1uiv' | 'uniform2uiv' | 'uniform3uiv' | 'uniform4uiv';
type Matrices =
  | 'uniformMatrix2fv'
  | 'uniformMatrix3fv'
  | 'uniformMatrix4fv'
  | 'uniformMatrix2x3fv'
  | 'uniformMatrix2x4fv'
  | 'uniformMatrix3x2fv'
  | 'uniformMatrix3x4fv'
  | 'uniformMatrix4x2fv'
  | 'uniformMatrix4x3fv';

/** Which function sets a type, and how many numbers it takes. Types that are not here are samplers, which take one. */
const SETTERS = new Map<number, readonly [Vectors | Wholes | Unsigned | Matrices, number]>([
  [0x1406, ['uniform1fv', 1]],
  [0x8b50, ['uniform2fv', 2]],
  [0x8b51, ['uniform3fv', 3]],
  [0x8b52, ['uniform4fv', 4]],
  [0x8b53, ['uniform2iv', 2]],
  [0x8b54, ['uniform3iv', 3]],
  [0x8b55, ['uniform4iv', 4]],
  [0x8b57, ['uniform2iv', 2]],
  [0x8b58, ['uniform3iv', 3]],
  [0x8b59, ['uniform4iv', 4]],
  [0x1405, ['uniform1uiv', 1]],
  [0x8dc6, ['uniform2uiv', 2]],
  [0x8dc7, ['uniform3uiv', 3]],
  [0x8dc8, ['uniform4uiv', 4]],
  [0x8b5a, ['uniformMatrix2fv', 4]],
  [0x8b5b, ['uniformMatrix3fv', 9]],
  [0x8b5c, ['uniformMatrix4fv', 16]],
  [0x8b65, ['uniformMatrix2x3fv', 6]],
  [0x8b66, ['uniformMatrix2x4fv', 8]],
  [0x8b67, ['uniformMatrix3x2fv', 6]],
  [0x8b68, ['uniformMatrix3x4fv', 12]],
  [0x8b69, ['uniformMatrix4x2fv', 8]],
  [0x8b6a, ['uniformMatrix4x3fv', 12]],
]);

/** Gives each uniform of the program in use the value that it has in a new one. */
export function zeroUniforms(gl: Gl, program: WebGLProgram): void {
  each(gl, program, (type, _, at) => assign(gl, type, at, new Float32Array(sizeOf(type))));
}

/** Gives each uniform of the program in use the value that it has in another one. */
export function copyUniforms(gl: Gl, program: WebGLProgram, from: WebGLProgram): void {
  each(gl, program, (type, name, at) => {
    const other = gl.getUniformLocation(from, name);
    if (!other) return;
    const value: unknown = gl.getUniform(from, other);
    assign(gl, type, at, typeof value === 'object' ? Array.from(value as ArrayLike<number>, Number) : [Number(value)]);
  });
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORM_BLOCKS) as number;
  for (let i = 0; i < count; i += 1) {
    const index = gl.getUniformBlockIndex(from, gl.getActiveUniformBlockName(program, i) ?? '');
    if (index === gl.INVALID_INDEX) continue;
    const binding = gl.getActiveUniformBlockParameter(from, index, gl.UNIFORM_BLOCK_BINDING) as number;
    gl.uniformBlockBinding(program, i, binding);
  }
}

function sizeOf(type: number): number {
  return SETTERS.get(type)?.[1] ?? 1;
}

/** Calls `use` with each uniform that is in no block, elements of arrays one by one. */
function each(
  gl: Gl,
  program: WebGLProgram,
  use: (type: number, name: string, at: WebGLUniformLocation) => void,
): void {
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) as number;
  for (let i = 0; i < count; i += 1) {
    const info = gl.getActiveUniform(program, i);
    for (let element = 0; element < (info?.size ?? 0); element += 1) {
      const name = info!.size > 1 ? info!.name.replace(/\[0\]$/, `[${element}]`) : info!.name;
      const location = gl.getUniformLocation(program, name);
      if (location) use(info!.type, name, location);
    }
  }
}

function assign(gl: Gl, type: number, at: WebGLUniformLocation, value: Iterable<number>): void {
  const [setter] = SETTERS.get(type) ?? (['uniform1iv'] as const);
  if (isMatrix(setter)) gl[setter](at, false, [...value]);
  else gl[setter](at, [...value]);
}

function isMatrix(setter: Vectors | Wholes | Unsigned | Matrices): setter is Matrices {
  return setter.startsWith('uniformMatrix');
}
