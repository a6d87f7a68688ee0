/*
 * What is found out about draws beside their picture, while they are executed: how often pixels were drawn over, which draws touched a
 * pixel, and whether loops of shaders were cut. Endings of the shaders help with that (`crate/replay/src/glsl/views.rs`).
 */

import type { Touch, Touched } from '../protocol.ts';
import type { Programs } from './programs.ts';

type Gl = WebGL2RenderingContext;

/** What is watched: draws to a framebuffer, from a call on. */
export type Watch =
  /** The framebuffer gets numbers of draws in place of colours. */
  | { readonly kind: 'count'; readonly framebuffer: number; readonly from: number }
  /** Draws that touch a pixel are listed. */
  | {
      readonly kind: 'pixel';
      readonly framebuffer: number;
      readonly from: number;
      readonly x: number;
      readonly y: number;
    };

/** A part of a framebuffer: x, y, width, height. */
export type Rect = readonly [number, number, number, number];

/** The state that is changed for a moment, as the commands have set it. */
export interface Standing {
  draw: number;
  read: number;
  blend: boolean;
  blendFunc: readonly number[];
  blendEquation: readonly number[];
  colorMask: readonly number[];
  depthMask: boolean;
  depthTest: boolean;
  stencilTest: boolean;
  scissorTest: boolean;
  scissor: Rect;
  viewport: Rect;
  /** Pixels of the viewport. */
  area: number;
  clearColor: readonly number[];
}

/** The state of a new context. */
export function standing(): Standing {
  return {
    draw: 0,
    read: 0,
    blend: false,
    blendFunc: [1, 0, 1, 0],
    blendEquation: [0x8006, 0x8006],
    colorMask: [1, 1, 1, 1],
    depthMask: true,
    depthTest: false,
    stencilTest: false,
    scissorTest: false,
    scissor: [0, 0, 0, 0],
    viewport: [0, 0, 0, 0],
    area: 0,
    clearColor: [0, 0, 0, 0],
  };
}

/** Draws that touch a pixel are listed up to here. */
const MOST_TOUCHES = 4096;
/** Iterations of a shader whose loops were cut once. */
const AFTERWARDS = 64;
/** Iterations of a shader, for each vertex or pixel: that of `crate/replay/src/glsl/views.rs`. */
const MOST = 20_000;
/** Iterations of a draw over the whole viewport without a GPU: more would take seconds. */
const MOST_IN_SOFTWARE = 250_000_000;
/** Iterations of all vertices of a draw, and of its primitives for one pixel, without a GPU and with one: no part of these can be put off. */
const MOST_OF_VERTICES = { software: 1 << 26, hardware: 2 ** 31 } as const;
/** Operations of an iteration that counts once: `UNIT` of `crate/replay/src/glsl/cost.rs`. */
const UNIT = 64;
/** Values of the uniform `_vw`. */
const [COUNT, CUT_PIXELS, CUT_VERTICES] = [1, 2, 3] as const;

/** The first call of a program whose shaders ran into a limit of iterations, and that limit. */
export interface Cut {
  readonly call: number;
  readonly iterations: number;
}

/** What is found out about draws while they are executed. */
export interface Views {
  /** What is watched now. */
  watch: Watch | null;
  /** Executes a draw of this many vertices: `execute` with its primitive, or with points. */
  draw(call: number, mode: number, vertices: number, execute: (mode: number) => void): void;
  /** Operations that loops of the program in use may take for a pixel of a draw of this many vertices. */
  loopWork(vertices: number): number;
  /** Executes a clear or copy. `isColor`: it writes colours, which numbers of draws are not replaced by. */
  fill(call: number, isColor: boolean, execute: () => void): void;
  /** Whether a draw or clear has come that is counted: until then the framebuffer has the colours of before. */
  isCounting(): boolean;
  /** The draws that touched the pixel, once the GPU is done. */
  touches(): Touched;
  /** Whether {@link Views.takeCut} will wait for the GPU. */
  isAsking(): boolean;
  /** Those since the last time, once the GPU is done. */
  takeCut(): readonly Cut[];
  /** Forgets everything that was found out. */
  reset(): void;
}

/** A question whose answer the GPU gives later. */
interface Asked {
  readonly query: WebGLQuery;
  readonly call: number;
  readonly program: number;
  readonly iterations: number;
}

/**
 * Begins without anything that is watched.
 *
 * `programs`, `now`: those of the replay. `bindRead` binds a framebuffer for reading. `resolved` reads a pixel of a framebuffer.
 * `isSoftware`: there is no GPU.
 */
export function createViews(
  gl: Gl,
  programs: Programs,
  now: Standing,
  bindRead: (framebuffer: number) => void,
  resolved: (framebuffer: number, x: number, y: number) => Uint8Array,
  isSoftware: boolean,
): Views {
  let asked: Asked[] = [];
  let touched: { readonly query: WebGLQuery | null; readonly touch: Touch }[] = [];
  let isAll = true;
  let value = [0, 0, 0, 0];
  /** Counting begins with a framebuffer without numbers. */
  let isCleared = false;

  const ask = (execute: () => void): WebGLQuery => {
    const query = gl.createQuery();
    gl.beginQuery(gl.ANY_SAMPLES_PASSED, query);
    execute();
    gl.endQuery(gl.ANY_SAMPLES_PASSED);
    return query;
  };
  const answer = (query: WebGLQuery): boolean => {
    const passed = gl.getQueryParameter(query, gl.QUERY_RESULT) as boolean;
    gl.deleteQuery(query);
    return passed;
  };
  const masks = (isOn: boolean) => {
    const [r, g, b, a] = isOn ? now.colorMask : [];
    gl.colorMask(!!r, !!g, !!b, !!a);
    gl.depthMask(isOn && now.depthMask);
  };
  const capability = (cap: number, on: boolean) => (on ? gl.enable(cap) : gl.disable(cap));
  /** Draws without a trace. Stencils that the draw would change are left out: they need not be tested for what is asked. */
  const unseen = (execute: () => void): WebGLQuery => {
    masks(false);
    gl.disable(gl.STENCIL_TEST);
    const query = ask(execute);
    capability(gl.STENCIL_TEST, now.stencilTest);
    masks(true);
    return query;
  };
  /** The limit of the loops of the program in use: iterations, of which those of heavy loops count as several. */
  const limitOf = (vertices: number): number => {
    const { heaviest, isShort } = programs.loops();
    const least = Math.min(MOST, AFTERWARDS * heaviest);
    if (isShort) return least;
    const pixels = isSoftware ? (MOST_IN_SOFTWARE / Math.max(1, now.area)) * heaviest : MOST;
    const most = MOST_OF_VERTICES[isSoftware ? 'software' : 'hardware'];
    return Math.round(Math.max(least, Math.min(MOST, pixels, most / Math.max(1, vertices))));
  };
  const askCut = (call: number, mode: number, vertices: number, execute: (mode: number) => void) => {
    const { program, vertex, fragment, heaviest, isShort } = programs.loops();
    if ((!fragment && !vertex) || isShort) return;
    const limit = limitOf(vertices);
    const iterations = Math.round(limit / heaviest);
    programs.limit(limit);
    if (fragment) {
      programs.view(CUT_PIXELS);
      asked.push({ query: unseen(() => execute(mode)), call, program, iterations });
    }
    if (vertex) {
      programs.view(CUT_VERTICES);
      gl.disable(gl.DEPTH_TEST);
      gl.disable(gl.SCISSOR_TEST);
      asked.push({ query: unseen(() => execute(gl.POINTS)), call, program, iterations });
      capability(gl.DEPTH_TEST, now.depthTest);
      capability(gl.SCISSOR_TEST, now.scissorTest);
    }
    programs.view(0);
  };
  const isWatched = (call: number, kind: Watch['kind']) => {
    const { watch } = views;
    return watch?.kind === kind && now.draw === watch.framebuffer && call >= watch.from;
  };
  const count = (execute: () => void) => {
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.blendEquation(gl.FUNC_ADD);
    gl.colorMask(true, true, true, true);
    programs.view(COUNT);
    execute();
    programs.view(0);
    capability(gl.BLEND, now.blend);
    const [a = 1, b = 0, c = 1, d = 0] = now.blendFunc;
    gl.blendFuncSeparate(a, b, c, d);
    const [e = 0x8006, f = 0x8006] = now.blendEquation;
    gl.blendEquationSeparate(e, f);
    masks(true);
  };
  const clearCounts = () => {
    if (isCleared) return;
    isCleared = true;
    gl.colorMask(true, true, true, true);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
    capability(gl.SCISSOR_TEST, now.scissorTest);
    masks(true);
  };
  /** Whether the scissor test lets the pixel pass. */
  const isInside = ({ x, y }: { x: number; y: number }): boolean => {
    const [left, bottom, width, height] = now.scissor;
    return !now.scissorTest || (x >= left && y >= bottom && x < left + width && y < bottom + height);
  };
  const touch = (call: number, query: WebGLQuery | null, { framebuffer, x, y }: Watch & { kind: 'pixel' }) => {
    if (touched.length >= MOST_TOUCHES) {
      isAll = false;
      if (query) gl.deleteQuery(query);
      return;
    }
    const before = value;
    value = [...resolved(framebuffer, x, y)];
    bindRead(now.read);
    touched.push({ query, touch: { call, before, after: value } });
  };

  const views: Views = {
    watch: null,
    draw: (call, mode, vertices, execute) => {
      if (!programs.isUsable()) return;
      askCut(call, mode, vertices, execute);
      if (isWatched(call, 'count')) {
        clearCounts();
        count(() => execute(mode));
      } else if (views.watch?.kind === 'pixel' && isWatched(call, 'pixel')) {
        const { watch } = views;
        if (!isInside(watch)) return execute(mode);
        gl.enable(gl.SCISSOR_TEST);
        gl.scissor(watch.x, watch.y, 1, 1);
        const query = unseen(() => execute(mode));
        capability(gl.SCISSOR_TEST, now.scissorTest);
        gl.scissor(...now.scissor);
        execute(mode);
        touch(call, query, watch);
      } else execute(mode);
    },
    fill: (call, isColor, execute) => {
      if (isColor && isWatched(call, 'count')) return clearCounts();
      execute();
      if (isColor && views.watch?.kind === 'pixel' && isWatched(call, 'pixel') && isInside(views.watch))
        touch(call, null, views.watch);
    },
    loopWork: (vertices) => (programs.loops().fragment ? UNIT * limitOf(vertices) : 0),
    isCounting: () => isCleared,
    touches: () => {
      const touches = touched.filter(({ query }) => query === null || answer(query)).map(({ touch }) => touch);
      touched = [];
      return { touches, isAll };
    },
    isAsking: () => asked.length > 0,
    takeCut: () => {
      const cut: Cut[] = [];
      for (const { query, call, program, iterations } of asked) {
        // The first one is enough: further draws of the program are stopped sooner.
        if (answer(query) && programs.shorten(program, AFTERWARDS, MOST)) cut.push({ call, iterations });
      }
      asked = [];
      return cut;
    },
    reset: () => {
      for (const { query } of asked) gl.deleteQuery(query);
      for (const { query } of touched) if (query) gl.deleteQuery(query);
      [asked, touched, isAll, isCleared] = [[], [], true, false];
      value = [0, 0, 0, 0];
    },
  };
  return views;
}
