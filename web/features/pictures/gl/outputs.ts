/*
 * What the vertex shader of a draw writes, by transform feedback. A program of the same shaders is linked for it, since a program has to
 * name what is captured before it is linked. WebGL2 captures no draws with indices, so the vertices are drawn once each, as points, in
 * the order of their numbers. They have the same outputs then: a vertex shader knows no more of a vertex than its number, its instance
 * and its inputs.
 */

import type { VertexOutput, VertexOutputs, VerticesAsked } from '../../../trace/vertex_outputs.ts';
import type { VertexOutput as Declared } from '../../../worker/wasm/unspool_replay.js';
import type { Programs } from './programs.ts';
import { copyUniforms } from './uniforms.ts';
import type { Standing } from './views.ts';

type Gl = WebGL2RenderingContext;

/** The outputs that a draw is asked for. */
export interface OutputsWanted extends VerticesAsked {
  /** The outputs that the vertex shader of a program declares. */
  declared(program: number): readonly Declared[];
}

/** Captures outputs of vertices. */
export interface Outputs {
  /** Wants those of a draw that is executed later, or none. */
  want(wanted: OutputsWanted | null): void;
  /** Follows each draw that was executed: `height` in pixels is that of what it draws to. */
  drawn(call: number, height: number): void;
  /** What was captured since the last time. null if the draw was not executed. */
  take(): VertexOutputs | null;
}

/** Bytes that are captured at once, and of all outputs together. */
const AT_ONCE = 16 << 20;
const MOST_BYTES = 128 << 20;
/** Vertices that are drawn for it, counting those of earlier instances. */
const MOST_VERTICES = 1 << 24;
/** The uniform that maps clip volumes. */
const CLIPS = '_cc';
const POSITION: Declared = { name: 'gl_Position', shown: 'gl_Position', typeName: 'vec4', array: '' };

/** Nothing is wanted yet. `now`: the state of the replay. */
export function createOutputs(gl: Gl, programs: Programs, now: Standing): Outputs {
  let wanted: OutputsWanted | null = null;
  let found: VertexOutputs | null = null;

  /** A program that captures outputs of the one in use; null if WebGL2 refuses that. */
  const capturing = (of: ReturnType<Programs['current']> & object, names: readonly string[]): WebGLProgram | null => {
    const program = gl.createProgram();
    gl.attachShader(program, of.vertex);
    gl.attachShader(program, of.fragment);
    gl.transformFeedbackVaryings(program, [...names], gl.INTERLEAVED_ATTRIBS);
    gl.linkProgram(program);
    if (gl.getProgramParameter(program, gl.LINK_STATUS) === true) {
      gl.useProgram(program);
      copyUniforms(gl, program, of.program);
      // What the shader itself writes, not what is made of that for WebGL2: `crate/replay/src/glsl/clips.rs`.
      gl.uniform2f(gl.getUniformLocation(program, CLIPS), 1, 0);
      return program;
    }
    gl.deleteProgram(program);
    return null;
  };
  /** Draws the vertices from `first` on with the program in use. Returns the words that an instance of them has. */
  const capture = (first: number, count: number, instance: number, stride: number): Uint32Array<ArrayBuffer> => {
    const words = new Uint32Array(count * stride);
    const perVertex = 4 * stride * (instance + 1);
    const most = Math.max(1, Math.min(count, Math.floor(AT_ONCE / perVertex)));
    const buffer = gl.createBuffer();
    const feedback = gl.createTransformFeedback();
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, feedback);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, most * perVertex, gl.STREAM_READ);
    for (let at = 0; at < count; at += most) {
      const some = Math.min(most, count - at);
      gl.beginTransformFeedback(gl.POINTS);
      if (instance === 0) gl.drawArrays(gl.POINTS, first + at, some);
      else gl.drawArraysInstanced(gl.POINTS, first + at, some, instance + 1);
      gl.endTransformFeedback();
      // An instance after the other.
      const from = 4 * stride * some * instance;
      gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, from, words, at * stride, some * stride);
    }
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    gl.deleteTransformFeedback(feedback);
    gl.deleteBuffer(buffer);
    return words;
  };
  const captureAll = ({ first, count: asked, instance, declared }: OutputsWanted, height: number) => {
    const current = programs.current();
    if (!current) return;
    const reached = Math.max(0, Math.min(asked, reachOf(gl) - first));
    // Draws of a call may have arrays of their own, which are as long as each of them needs.
    if (found && found.count >= reached) return;
    const all = [POSITION, ...declared(programs.loops().program)];
    const known = all.filter(({ typeName }) => sizeOf(typeName) > 0);
    const remarks = all
      .filter((output) => !known.includes(output))
      .map(({ name }) => `${name} is a structure, which WebGL2 does not capture.`);
    const perVertex = known.reduce((sum, output) => sum + wordsOf(output), 0);
    const count = Math.min(
      reached,
      Math.floor(MOST_VERTICES / (instance + 1)),
      Math.max(1, Math.floor(MOST_BYTES / (4 * perVertex))),
    );
    if (count < reached)
      remarks.push(`The outputs of the first ${count} vertices are shown: all of them would be too many.`);
    const outputs: VertexOutput[] = [];
    gl.enable(gl.RASTERIZER_DISCARD);
    const most = gl.getParameter(gl.MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS) as number;
    for (const some of count > 0 ? together(known, most) : []) {
      const program = capturing(
        current,
        some.map(({ shown }) => shown),
      );
      if (!program) {
        remarks.push(`WebGL2 does not capture ${some.map(({ name }) => name).join(', ')}.`);
        continue;
      }
      const sizes = some.map(({ typeName }, i) => {
        const elements = gl.getTransformFeedbackVarying(program, i)?.size ?? 1;
        return sizeOf(typeName) * elements;
      });
      const stride = sizes.reduce((sum, size) => sum + size, 0);
      const words = capture(first, count, instance, stride);
      let from = 0;
      for (const [i, { name, typeName }] of some.entries()) {
        const components = sizes[i]!;
        const own = new Uint32Array(count * components);
        for (let k = 0; k < count; k += 1)
          own.set(words.subarray(k * stride + from, k * stride + from + components), k * components);
        outputs.push({ title: name, components, values: numbersOf(own, typeName) });
        from += components;
      }
      gl.deleteProgram(program);
    }
    gl.disable(gl.RASTERIZER_DISCARD);
    gl.useProgram(current.program);
    const clips = gl.getUniformLocation(current.program, CLIPS);
    const [up = 1] = clips ? (gl.getUniform(current.program, clips) as Float32Array) : [];
    found = { first, count, outputs, viewport: now.viewport, isUpsideDown: up < 0, height, remarks };
  };

  return {
    want: (asked) => {
      [wanted, found] = [asked, null];
    },
    drawn: (call, height) => {
      if (wanted?.call === call) captureAll(wanted, height);
    },
    take: () => {
      const taken = found;
      [wanted, found] = [null, null];
      return taken;
    },
  };
}

/** Numbers of a type of GLSL; 0 of a structure. */
export function sizeOf(typeName: string): number {
  if (/^(float|int|uint)$/.test(typeName)) return 1;
  const [, n, m] = /^[iu]?vec(\d)$/.exec(typeName) ?? /^mat(\d)(?:x(\d))?$/.exec(typeName) ?? [];
  return n === undefined ? 0 : Number(n) * Number(typeName.startsWith('mat') ? (m ?? n) : 1);
}

/** Numbers of an output. What is an expression counts as so many that the output is captured alone. */
function wordsOf({ typeName, array }: Declared): number {
  const elements = array === '' ? 1 : Number(/^\s*\[\s*(\d+)\s*\]\s*$/.exec(array)?.[1] ?? 64);
  return sizeOf(typeName) * elements;
}

/** Outputs that are captured together: at most `most` numbers, unless one alone has more. */
export function together(all: readonly Declared[], most: number): readonly (readonly Declared[])[] {
  const groups: Declared[][] = [];
  let left = 0;
  for (const output of all) {
    const words = wordsOf(output);
    if (words > left || groups.length === 0) {
      groups.push([]);
      left = most;
    }
    groups.at(-1)!.push(output);
    left -= words;
  }
  return groups;
}

function numbersOf(words: Uint32Array<ArrayBuffer>, typeName: string): VertexOutput['values'] {
  if (/^u(int|vec)/.test(typeName)) return words;
  return /^i(nt|vec)/.test(typeName) ? new Int32Array(words.buffer) : new Float32Array(words.buffer);
}

/** Vertices for which all arrays have elements. */
function reachOf(gl: Gl): number {
  let reach = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 16; i += 1) {
    const of = (name: number): unknown => gl.getVertexAttrib(i, name);
    const buffer = of(gl.VERTEX_ATTRIB_ARRAY_BUFFER_BINDING) as WebGLBuffer | null;
    if (of(gl.VERTEX_ATTRIB_ARRAY_ENABLED) !== true || Number(of(gl.VERTEX_ATTRIB_ARRAY_DIVISOR)) > 0) continue;
    gl.bindBuffer(gl.COPY_READ_BUFFER, buffer);
    const bytes = buffer ? Number(gl.getBufferParameter(gl.COPY_READ_BUFFER, gl.BUFFER_SIZE)) : 0;
    const [type, size] = [Number(of(gl.VERTEX_ATTRIB_ARRAY_TYPE)), Number(of(gl.VERTEX_ATTRIB_ARRAY_SIZE))];
    const isPacked = type === gl.INT_2_10_10_10_REV || type === gl.UNSIGNED_INT_2_10_10_10_REV;
    const needed = isPacked ? 4 : componentBytes(gl, type) * size;
    const stride = Number(of(gl.VERTEX_ATTRIB_ARRAY_STRIDE)) || needed;
    const room = bytes - gl.getVertexAttribOffset(i, gl.VERTEX_ATTRIB_ARRAY_POINTER) - needed;
    reach = Math.min(reach, room < 0 ? 0 : Math.floor(room / stride) + 1);
  }
  gl.bindBuffer(gl.COPY_READ_BUFFER, null);
  return reach;
}

function componentBytes(gl: Gl, type: number): number {
  if (type === gl.BYTE || type === gl.UNSIGNED_BYTE) return 1;
  return type === gl.SHORT || type === gl.UNSIGNED_SHORT || type === gl.HALF_FLOAT ? 2 : 4;
}
