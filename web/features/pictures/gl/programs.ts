/*
 * The programs of a replay. Compiling takes longer than anything else, so a program outlives a new beginning: what is linked from the
 * same sources gets it again, with its uniforms as they were at first.
 */

import type { Block } from './blocks.ts';
import { zeroUniforms } from './uniforms.ts';

type Gl = WebGL2RenderingContext;

/** A program that WebGL2 did not take. */
export interface Failure {
  /** Its number. */
  readonly program: number;
  /** The fragment shader failed; otherwise the vertex shader, or both together. */
  readonly fragment: boolean;
  /** What the compiler or the linker says. */
  readonly log: string;
  /** What WebGL2 was given. */
  readonly shown: string;
}

interface Made {
  /** The sources of its vertex and its fragment shader, with `\0` between them. */
  readonly key: string;
  readonly program: WebGLProgram;
  readonly vertex: WebGLShader;
  readonly fragment: WebGLShader;
  /** Whether it is linked. null until it is asked for: asking waits for the compiler. */
  usable: boolean | null;
  /** Whether its shaders have loops, whose iterations are limited: of vertices, of pixels. */
  readonly loops: readonly [boolean, boolean];
  /** What an iteration of its heaviest loop counts; at least 1. */
  readonly heaviest: number;
  /** Its loops were cut: it has a lower limit now. */
  isShort: boolean;
  /** The limit that it has, if one was set. */
  iterations: number;
  /** Where the uniform is that says what is asked of its draws. undefined until it is needed. */
  view: WebGLUniformLocation | null | undefined;
  /** Its uniform blocks. null until they are needed. */
  blocks: readonly Block[] | null;
}

/** The programs of a replay, by number. */
export interface Programs {
  /**
   * Makes a program of a vertex and a fragment shader, or takes one that was made of the same sources before. `heaviest`: what an iteration of
   * its heaviest loop counts.
   */
  make(number: number, vertex: string, fragment: string, heaviest: number): void;
  /** Makes a program the one in use. Nothing can be drawn with one that failed, or if there is none of that number. */
  use(number: number): void;
  /** Whether the program in use can draw. */
  isUsable(): boolean;
  /** The program in use with its shaders; null if it cannot draw. */
  current(): Pick<Made, 'program' | 'vertex' | 'fragment'> | null;
  /** Gives a uniform block of a program its binding point. */
  block(number: number, name: string, binding: number): void;
  /** The uniform blocks of the program in use. */
  blocks(): readonly Block[];
  /** The program in use, and whether its vertex and fragment shaders have loops that may run into the limit. */
  loops(): {
    readonly program: number;
    readonly vertex: boolean;
    readonly fragment: boolean;
    /** What an iteration of the heaviest one counts. */
    readonly heaviest: number;
    /** They were cut. */
    readonly isShort: boolean;
  };
  /** Limits the iterations of the program in use. */
  limit(iterations: number): void;
  /** Limits the iterations of the heaviest loop of a program further, for good, to `most` in all. Returns false if that was done before. */
  shorten(number: number, iterations: number, most: number): boolean;
  /** Sets what is asked of draws of the program in use: `_vw` of `crate/replay/src/glsl/views.rs`. */
  view(value: number): void;
  /** Remembers under `slot` where a uniform of a program is, for {@link Programs.set}. */
  locate(slot: number, number: number, name: string): void;
  /**
   * Sets the uniform of the program in use that {@link Programs.locate} has found, to `count` numbers of the commands, from the one at
   * `from` on. `floats`, `ints` and `words` are views of the same commands. Kinds are those of `Op::Uniform`.
   */
  set(
    slot: number,
    kind: number,
    transposed: boolean,
    floats: Float32Array,
    ints: Int32Array,
    words: Uint32Array,
    from: number,
    count: number,
  ): void;
  /** Deletes a program, or keeps it for the same sources. */
  delete(number: number): void;
  /** Deletes all programs, or keeps them for the same sources. */
  reset(): void;
  /** What failed since the last time. */
  takeFailures(): Failure[];
}

/** Programs that are kept for a later use, and characters of their sources. */
const MOST_KEPT = 512;
const MOST_KEPT_TEXT = 1 << 24;

/** Makes programs on `gl`; there are none yet. */
export function createPrograms(gl: Gl): Programs {
  const made = new Map<number, Made>();
  /** Those that nothing uses, by their sources. */
  const spare = new Map<string, Made[]>();
  let slots = new Map<number, WebGLUniformLocation | null>();
  let current: Made | null = null;
  let currentNumber = 0;
  let failures: Failure[] = [];
  let [kept, keptText] = [0, 0];

  const compile = (type: number, source: string) => {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    return shader;
  };
  const check = (number: number, it: Made): boolean => {
    if (it.usable !== null) return it.usable;
    it.usable = gl.getProgramParameter(it.program, gl.LINK_STATUS) === true;
    if (!it.usable && !gl.isContextLost()) {
      const failed = [it.vertex, it.fragment].findIndex((shader) => !gl.getShaderParameter(shader, gl.COMPILE_STATUS));
      const shader = failed === 1 ? it.fragment : it.vertex;
      const log = failed < 0 ? gl.getProgramInfoLog(it.program) : gl.getShaderInfoLog(shader);
      const sources = it.key.split('\0');
      const shown = failed < 0 ? sources.join('\n') : sources[failed];
      failures.push({ program: number, fragment: failed === 1, log: log ?? '', shown: shown ?? '' });
    }
    return it.usable;
  };
  const free = (number: number) => {
    const it = made.get(number);
    if (!it) return;
    made.delete(number);
    if (it.usable === false || kept >= MOST_KEPT || keptText + it.key.length > MOST_KEPT_TEXT) {
      gl.deleteProgram(it.program);
      return;
    }
    kept += 1;
    keptText += it.key.length;
    const list = spare.get(it.key) ?? [];
    list.push(it);
    spare.set(it.key, list);
  };

  return {
    make: (number, vertexSource, fragmentSource, heaviest) => {
      const key = `${vertexSource}\0${fragmentSource}`;
      const list = spare.get(key);
      const again = list?.pop();
      if (again) {
        kept -= 1;
        keptText -= key.length;
        if (list?.length === 0) spare.delete(key);
        gl.useProgram(again.program);
        zeroUniforms(gl, again.program);
        gl.useProgram(current?.program ?? null);
        [again.isShort, again.iterations, again.blocks] = [false, 0, null];
        made.set(number, again);
        return;
      }
      const [vertex, fragment] = [compile(gl.VERTEX_SHADER, vertexSource), compile(gl.FRAGMENT_SHADER, fragmentSource)];
      const program = gl.createProgram();
      gl.attachShader(program, vertex);
      gl.attachShader(program, fragment);
      gl.linkProgram(program);
      // Endings of shaders whose loops may run into the limit.
      const loops = [vertexSource.includes('(_vw == 3) {'), fragmentSource.includes('(_vw == 2 ')] as const;
      const rest = { usable: null, loops, isShort: false, iterations: 0, view: undefined, blocks: null };
      made.set(number, { key, program, vertex, fragment, heaviest: Math.max(1, heaviest), ...rest });
    },
    use: (number) => {
      current = made.get(number) ?? null;
      currentNumber = number;
      if (!current) return;
      gl.useProgram(check(number, current) ? current.program : null);
    },
    blocks: () => {
      if (!current?.usable) return [];
      current.blocks ??= blocksOf(gl, current.program);
      return current.blocks;
    },
    current: () => (current !== null && check(currentNumber, current) ? current : null),
    isUsable: () => current !== null && check(currentNumber, current),
    loops: () => {
      const [vertex = false, fragment = false] = current?.loops ?? [];
      const { heaviest = 1, isShort = false } = current ?? {};
      return { program: currentNumber, vertex, fragment, heaviest, isShort };
    },
    limit: (iterations) => {
      if (!current?.usable || current.isShort || current.iterations === iterations) return;
      current.iterations = iterations;
      gl.uniform1i(gl.getUniformLocation(current.program, '_lb'), iterations);
    },
    shorten: (number, iterations, most) => {
      const it = made.get(number);
      if (!it || it.isShort) return false;
      it.isShort = true;
      gl.useProgram(it.program);
      gl.uniform1i(gl.getUniformLocation(it.program, '_lb'), Math.min(most, iterations * it.heaviest));
      gl.useProgram(current?.usable ? current.program : null);
      return true;
    },
    view: (value) => {
      if (!current?.usable || (current.view === undefined && value === 0)) return;
      current.view ??= gl.getUniformLocation(current.program, '_vw');
      gl.uniform1i(current.view, value);
    },
    block: (number, name, binding) => {
      const it = made.get(number);
      if (!it || !check(number, it)) return;
      const index = gl.getUniformBlockIndex(it.program, name);
      if (index !== gl.INVALID_INDEX) gl.uniformBlockBinding(it.program, index, binding);
      it.blocks = null;
    },
    locate: (slot, number, name) => {
      const it = made.get(number);
      slots.set(slot, it && check(number, it) ? gl.getUniformLocation(it.program, name) : null);
    },
    set: (slot, kind, transposed, floats, ints, words, from, count) => {
      const location = slots.get(slot);
      if (!location || !current?.usable) return;
      const f = floats.subarray(from, from + count);
      const s = ints.subarray(from, from + count);
      const u = words.subarray(from, from + count);
      switch (kind) {
        case 1:
          gl.uniform1fv(location, f);
          return;
        case 2:
          gl.uniform2fv(location, f);
          return;
        case 3:
          gl.uniform3fv(location, f);
          return;
        case 4:
          gl.uniform4fv(location, f);
          return;
        case 5:
          gl.uniform1iv(location, s);
          return;
        case 6:
          gl.uniform2iv(location, s);
          return;
        case 7:
          gl.uniform3iv(location, s);
          return;
        case 8:
          gl.uniform4iv(location, s);
          return;
        case 9:
          gl.uniform1uiv(location, u);
          return;
        case 10:
          gl.uniform2uiv(location, u);
          return;
        case 11:
          gl.uniform3uiv(location, u);
          return;
        case 12:
          gl.uniform4uiv(location, u);
          return;
        case 13:
          gl.uniformMatrix2fv(location, transposed, f);
          return;
        case 14:
          gl.uniformMatrix3fv(location, transposed, f);
          return;
        case 15:
          gl.uniformMatrix4fv(location, transposed, f);
          return;
        case 16:
          gl.uniformMatrix2x3fv(location, transposed, f);
          return;
        case 17:
          gl.uniformMatrix2x4fv(location, transposed, f);
          return;
        case 18:
          gl.uniformMatrix3x2fv(location, transposed, f);
          return;
        case 19:
          gl.uniformMatrix3x4fv(location, transposed, f);
          return;
        case 20:
          gl.uniformMatrix4x2fv(location, transposed, f);
          return;
        case 21:
          gl.uniformMatrix4x3fv(location, transposed, f);
          return;
      }
    },
    delete: free,
    reset: () => {
      for (const number of [...made.keys()]) free(number);
      slots = new Map();
      current = null;
    },
    takeFailures: () => {
      const taken = failures;
      failures = [];
      return taken;
    },
  };
}

function blocksOf(gl: Gl, program: WebGLProgram): Block[] {
  const of = (index: number, what: number) => gl.getActiveUniformBlockParameter(program, index, what) as number;
  return Array.from({ length: gl.getProgramParameter(program, gl.ACTIVE_UNIFORM_BLOCKS) as number }, (_, i) => ({
    binding: of(i, gl.UNIFORM_BLOCK_BINDING),
    size: of(i, gl.UNIFORM_BLOCK_DATA_SIZE),
  }));
}
