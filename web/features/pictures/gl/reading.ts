/*
 * Reads framebuffers of a replay: colours, depths, one pixel, and small copies. Those with several samples a pixel are resolved first.
 */

import type { Standing } from './views.ts';

type Gl = WebGL2RenderingContext;

/** Four bytes a pixel, from the lower left. null if there is nothing that can be read. */
export type Read = Uint8ClampedArray<ArrayBuffer> | null;

/** Reads framebuffers, by number; 0 is the canvas. What is bound is bound again afterwards. */
export interface Reading {
  /** Colours of the lower left of a framebuffer. */
  colors(framebuffer: number, size: Size): Read;
  /** Depths, 24 bits in three channels. null without depths that can be read. The state of WebGL2 is another one afterwards. */
  depths(framebuffer: number, size: Size): Read;
  /** Colours, `from` pixels made `to`. null with several samples a pixel, which cannot be resolved and made smaller at once. */
  small(framebuffer: number, from: Size, to: Size): Read;
  /** The four bytes of a pixel, counted from the lower left. */
  pixel(framebuffer: number, x: number, y: number): Uint8Array;
}

/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Writes 24 bits of depth to three channels. */
const PACK = `#version 300 es
precision highp float;
uniform highp sampler2D depths;
out vec4 color;
void main() {
  float depth = clamp(texelFetch(depths, ivec2(gl_FragCoord.xy), 0).r, 0.0, 1.0) * 16777215.0;
  color = vec4(floor(depth / 65536.0), floor(mod(depth, 65536.0) / 256.0), mod(floor(depth), 256.0), 255.0) / 255.0;
}`;
const WHOLE = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;

/** The unit for the texture of depths: not one that a replay uses. */
const UNIT = 30;

/**
 * Reads framebuffers of `gl`. `now`: the state of the replay. `bind` binds a framebuffer for reading or drawing, and those of the replay
 * again.
 */
export function readingOf(
  gl: Gl,
  now: Standing,
  bind: { read(framebuffer: number): void; draw(framebuffer: number): void; restore(): void },
): Reading {
  let packing: WebGLProgram | null = null;

  const samples = () => gl.getParameter(gl.SAMPLES) as number;
  /** Begins to draw to a framebuffer of our own, of colours. Returns what ends that. */
  const ownTarget = ({ width, height }: Size): (() => void) => {
    const [copy, colors] = [gl.createFramebuffer(), gl.createRenderbuffer()];
    gl.bindRenderbuffer(gl.RENDERBUFFER, colors);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, width, height);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, copy);
    gl.framebufferRenderbuffer(gl.DRAW_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, colors);
    // A scissor would cut copies, too.
    gl.disable(gl.SCISSOR_TEST);
    return () => {
      if (now.scissorTest) gl.enable(gl.SCISSOR_TEST);
      gl.deleteFramebuffer(copy);
      gl.deleteRenderbuffer(colors);
    };
  };
  const readTarget = () =>
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, gl.getParameter(gl.DRAW_FRAMEBUFFER_BINDING) as WebGLFramebuffer);
  /** Binds a framebuffer for reading. `true` if it has several samples. */
  const hasSamples = (framebuffer: number): boolean => {
    // The number of samples is that of the one that is drawn to.
    bind.draw(framebuffer);
    const has = samples() > 0;
    bind.read(framebuffer);
    return has;
  };
  const copied = (from: Size, to: Size, filter: number): Read => {
    const end = ownTarget(to);
    gl.blitFramebuffer(0, 0, from.width, from.height, 0, 0, to.width, to.height, gl.COLOR_BUFFER_BIT, filter);
    readTarget();
    const out = readColors(gl, to);
    end();
    return out;
  };

  return {
    colors: (framebuffer, size) => {
      const out = hasSamples(framebuffer) ? copied(size, size, gl.NEAREST) : readColors(gl, size);
      bind.restore();
      return out;
    },
    small: (framebuffer, from, to) => {
      const out = hasSamples(framebuffer) ? null : copied(from, to, gl.LINEAR);
      bind.restore();
      return out;
    },
    pixel: (framebuffer, x, y) => {
      const out = new Uint8Array(4);
      bind.read(framebuffer);
      if (samples() > 0) {
        const end = ownTarget({ width: 1, height: 1 });
        gl.blitFramebuffer(x, y, x + 1, y + 1, 0, 0, 1, 1, gl.COLOR_BUFFER_BIT, gl.NEAREST);
        readTarget();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
        end();
      } else gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
      bind.restore();
      return out;
    },
    depths: (framebuffer, size) => {
      const { width, height } = size;
      bind.read(framebuffer);
      bind.draw(framebuffer);
      const format = depthFormat(gl);
      if (format === null) {
        bind.restore();
        return null;
      }
      packing ??= programOf(gl);
      gl.activeTexture(gl.TEXTURE0 + UNIT);
      const [texture, copy] = [gl.createTexture(), gl.createFramebuffer()];
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.bindSampler(UNIT, null);
      gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, copy);
      const hasStencil = format === gl.DEPTH24_STENCIL8 || format === gl.DEPTH32F_STENCIL8;
      const point = hasStencil ? gl.DEPTH_STENCIL_ATTACHMENT : gl.DEPTH_ATTACHMENT;
      gl.framebufferTexture2D(gl.DRAW_FRAMEBUFFER, point, gl.TEXTURE_2D, texture, 0);
      gl.disable(gl.SCISSOR_TEST);
      while (gl.getError() !== gl.NO_ERROR);
      gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.DEPTH_BUFFER_BIT, gl.NEAREST);
      const isCopied = gl.getError() === gl.NO_ERROR;
      let packed: Read = null;
      if (isCopied) {
        const end = ownTarget(size);
        drawPacked(gl, packing, size);
        readTarget();
        packed = readColors(gl, size);
        end();
      }
      gl.deleteFramebuffer(copy);
      gl.deleteTexture(texture);
      bind.restore();
      return packed;
    },
  };
}

/** Draws depths to the framebuffer that is bound. The state that this needs is not kept: the replay starts over. */
function drawPacked(gl: Gl, program: WebGLProgram, { width, height }: Size): void {
  for (const cap of [gl.BLEND, gl.CULL_FACE, gl.DEPTH_TEST, gl.STENCIL_TEST, gl.RASTERIZER_DISCARD]) gl.disable(cap);
  gl.colorMask(true, true, true, true);
  gl.viewport(0, 0, width, height);
  gl.useProgram(program);
  gl.uniform1i(gl.getUniformLocation(program, 'depths'), UNIT);
  for (let i = 0; i < 16; i += 1) gl.disableVertexAttribArray(i);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
}

function programOf(gl: Gl): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, WHOLE],
    [gl.FRAGMENT_SHADER, PACK],
  ] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return program;
}

/** The format of the depths that are drawn to: copies need the same. null without any. */
function depthFormat(gl: Gl): number | null {
  const of = (point: number, name: number) =>
    gl.getFramebufferAttachmentParameter(gl.DRAW_FRAMEBUFFER, point, name) as number;
  if (of(gl.DEPTH_ATTACHMENT, gl.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE) === gl.NONE) return null;
  const bits = of(gl.DEPTH_ATTACHMENT, gl.FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE);
  const hasStencil = of(gl.DEPTH_ATTACHMENT, gl.FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE) > 0;
  if (bits === 32) return hasStencil ? gl.DEPTH32F_STENCIL8 : gl.DEPTH_COMPONENT32F;
  if (bits === 24) return hasStencil ? gl.DEPTH24_STENCIL8 : gl.DEPTH_COMPONENT24;
  return gl.DEPTH_COMPONENT16;
}

/** Reads the framebuffer that is bound for reading. Floats are cut to what a picture can show. */
function readColors(gl: Gl, { width, height }: Size): Read {
  while (gl.getError() !== gl.NO_ERROR && !gl.isContextLost());
  const out = new Uint8ClampedArray(width * height * 4);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(out.buffer));
  if (gl.getError() === gl.NO_ERROR) return out;
  const floats = new Float32Array(out.length);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.FLOAT, floats);
  if (gl.getError() !== gl.NO_ERROR) return null;
  for (let i = 0; i < floats.length; i += 1) out[i] = (floats[i] ?? 0) * 255;
  return out;
}
