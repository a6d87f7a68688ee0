/*
 * Copies of everything that was drawn, made now and then while a replay goes on. A jump begins at the latest one before its goal: draws before
 * that are left out.
 */

import type { Standing } from './replay_views.ts';

type Gl = WebGL2RenderingContext;

/** Copies at most. */
const MOST = 64;

/** What a player says of that which was drawn: {@link Player.drawn}. */
export interface Drawn {
  /** The call that was executed last. */
  readonly call: number;
  /** Five numbers a surface: whether it is a renderbuffer, number, internal format, width, height. */
  readonly surfaces: Uint32Array;
}

/** The calls before which draws were left out: those to windows, and those to framebuffers of the trace. */
export type Skip = readonly [number, number];

/** A copy, made after a call. */
export interface Keyframe {
  readonly call: number;
  readonly skip: Skip;
  readonly bytes: number;
  readonly copies: readonly Copy[];
}

interface Copy {
  readonly isRenderbuffer: boolean;
  readonly number: number;
  readonly format: number;
  readonly width: number;
  readonly height: number;
  readonly pixels: WebGLRenderbuffer;
}

/** How the objects of a replay are found and framebuffers bound. */
export interface Objects {
  texture(number: number): WebGLTexture | null;
  renderbuffer(number: number): WebGLRenderbuffer | null;
  /** Binds the framebuffers of the replay again. */
  restore(): void;
}

export interface Keyframes {
  /** Work was done that took this long. Returns whether a copy is due: after `spacing` milliseconds, or longer if room is short. */
  worked(ms: number, spacing: number): boolean;
  /** Makes a copy, if there is room within `bytes`. */
  make(drawn: Drawn | null, skip: Skip, bytes: number): void;
  /** The latest copy that a picture after a call can begin with, if draws before `skip` are not needed for it. */
  before(call: number, skip: Skip): Keyframe | null;
  /** Gives everything that was drawn the content of a copy. */
  put(keyframe: Keyframe): void;
}

export function createKeyframes(gl: Gl, now: Standing, objects: Objects): Keyframes {
  /** Ascending by call. */
  let all: Keyframe[] = [];
  let worked = 0;
  /** How much rarer copies have become. */
  let rarer = 1;
  /** WebGL2 has refused to copy something. */
  let isRefused = false;
  let pair: readonly [WebGLFramebuffer, WebGLFramebuffer] | null = null;

  const drop = ({ copies }: Keyframe) => {
    for (const { pixels } of copies) gl.deleteRenderbuffer(pixels);
  };
  const attach = (target: number, format: number, set: (point: number) => void) => {
    const { point } = partOf(gl, format);
    set(point);
    return () => gl.framebufferRenderbuffer(target, point, gl.RENDERBUFFER, null);
  };
  /** Copies between the surface of the replay and its copy. */
  const move = ({ isRenderbuffer, number, format, width, height, pixels }: Copy, isBack: boolean) => {
    const [of, copy] = isBack ? [gl.DRAW_FRAMEBUFFER, gl.READ_FRAMEBUFFER] : [gl.READ_FRAMEBUFFER, gl.DRAW_FRAMEBUFFER];
    const detach = [
      attach(of, format, (point) => {
        if (isRenderbuffer) gl.framebufferRenderbuffer(of, point, gl.RENDERBUFFER, objects.renderbuffer(number));
        else gl.framebufferTexture2D(of, point, gl.TEXTURE_2D, objects.texture(number), 0);
      }),
      attach(copy, format, (point) => gl.framebufferRenderbuffer(copy, point, gl.RENDERBUFFER, pixels)),
    ];
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, partOf(gl, format).mask, gl.NEAREST);
    for (const undo of detach) undo();
  };
  /** Between framebuffers of our own. Returns whether WebGL2 took it. */
  const copying = (use: () => void): boolean => {
    pair ??= [gl.createFramebuffer(), gl.createFramebuffer()];
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, pair[0]);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, pair[1]);
    // A scissor would cut copies, too.
    gl.disable(gl.SCISSOR_TEST);
    while (gl.getError() !== gl.NO_ERROR && !gl.isContextLost());
    use();
    if (now.scissorTest) gl.enable(gl.SCISSOR_TEST);
    objects.restore();
    return gl.getError() === gl.NO_ERROR;
  };
  const copyOf = (words: Uint32Array): Copy => {
    const [isRenderbuffer = 0, number = 0, format = 0, width = 0, height = 0] = words;
    const pixels = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, pixels);
    gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
    const copy = { isRenderbuffer: isRenderbuffer !== 0, number, format, width, height, pixels };
    move(copy, false);
    return copy;
  };

  return {
    worked: (ms, spacing) => {
      worked += ms;
      return worked >= rarer * spacing && !isRefused;
    },
    make: (drawn, skip, bytes) => {
      worked = 0;
      if (!drawn || all.some(({ call }) => call === drawn.call)) return;
      const surfaces = Array.from({ length: drawn.surfaces.length / 5 }, (_, i) =>
        drawn.surfaces.subarray(5 * i, 5 * i + 5),
      );
      const needed = surfaces.reduce((sum, [, , , width = 0, height = 0]) => sum + 8 * width * height, 0);
      const held = () => all.reduce((sum, keyframe) => sum + keyframe.bytes, 0);
      while (all.length > 0 && (held() + needed > bytes || all.length >= MOST)) {
        // Every other one goes, and from now on there are half as many.
        all.filter((_, i) => i % 2 === 0).forEach(drop);
        all = all.filter((_, i) => i % 2 === 1);
        rarer *= 2;
      }
      if (needed > bytes) return;
      let copies: Copy[] = [];
      const isCopied = copying(() => {
        copies = surfaces.map(copyOf);
      });
      const made = { call: drawn.call, skip, bytes: needed, copies };
      if (isCopied) all = [...all, made].sort((a, b) => a.call - b.call);
      else {
        drop(made);
        isRefused = true;
      }
    },
    before: (call, skip) =>
      all.findLast((it) => it.call <= call && it.skip[0] <= skip[0] && it.skip[1] <= skip[1]) ?? null,
    put: ({ copies }) => {
      copying(() => {
        for (const copy of copies) move(copy, true);
      });
    },
  };
}

/** Where a surface of an internal format is attached, and what of it is copied. */
function partOf(gl: Gl, format: number): { readonly point: number; readonly mask: number } {
  switch (format) {
    case gl.DEPTH_COMPONENT16:
    case gl.DEPTH_COMPONENT24:
    case gl.DEPTH_COMPONENT32F:
      return { point: gl.DEPTH_ATTACHMENT, mask: gl.DEPTH_BUFFER_BIT };
    case gl.DEPTH24_STENCIL8:
    case gl.DEPTH32F_STENCIL8:
      return { point: gl.DEPTH_STENCIL_ATTACHMENT, mask: gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT };
    case gl.STENCIL_INDEX8:
      return { point: gl.STENCIL_ATTACHMENT, mask: gl.STENCIL_BUFFER_BIT };
    default:
      return { point: gl.COLOR_ATTACHMENT0, mask: gl.COLOR_BUFFER_BIT };
  }
}
