/* Copies of surfaces that were drawn to, by the number of the call after which they were made. */

import type { Standing } from './views.ts';

type Gl = WebGL2RenderingContext;

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
  /** A texture by its number. null if there is none. */
  texture(number: number): WebGLTexture | null;
  /** A renderbuffer by its number. null if there is none. */
  renderbuffer(number: number): WebGLRenderbuffer | null;
  /** Binds the framebuffers of the replay again. */
  restore(): void;
}

/** Copies of surfaces, kept by the call that they were made after. */
export interface Copies {
  /**
   * Copies surfaces, five numbers each: whether it is a renderbuffer, number, internal format, width, height. Returns false if WebGL2
   * refuses to.
   */
  make(call: number, surfaces: Uint32Array): boolean;
  /** Gives surfaces the content of their copies of a call. Does nothing if there are none. */
  put(call: number): void;
  /** Deletes the copies of these calls. */
  drop(calls: readonly number[]): void;
}

/**
 * Makes copies on `gl`; there are none yet. `now`: the state of the replay, whose scissor test is put back after a copy. `objects` finds
 * the surfaces, and binds the framebuffers of the replay again.
 */
export function createCopies(gl: Gl, now: Standing, objects: Objects): Copies {
  const all = new Map<number, readonly Copy[]>();
  let pair: readonly [WebGLFramebuffer, WebGLFramebuffer] | null = null;

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
  const drop = (copies: readonly Copy[]) => {
    for (const { pixels } of copies) gl.deleteRenderbuffer(pixels);
  };

  return {
    make: (call, surfaces) => {
      let copies: Copy[] = [];
      const each = Array.from({ length: surfaces.length / 5 }, (_, i) => surfaces.subarray(5 * i, 5 * i + 5));
      const isCopied = copying(() => {
        copies = each.map(copyOf);
      });
      if (isCopied) all.set(call, copies);
      else drop(copies);
      return isCopied;
    },
    put: (call) => {
      copying(() => {
        for (const copy of all.get(call) ?? []) move(copy, true);
      });
    },
    drop: (calls) => {
      for (const call of calls) {
        drop(all.get(call) ?? []);
        all.delete(call);
      }
    },
  };
}

/** Where a surface of an internal format is attached, and what of it is copied. */
export function partOf(gl: Gl, format: number): { readonly point: number; readonly mask: number } {
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
