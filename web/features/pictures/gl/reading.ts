/*
 * Reads framebuffers of a replay: colours, depths, one pixel, and small copies. Those with several samples a pixel are resolved first.
 */

import type { WrittenImage } from '../../../trace/written.ts';
import { type Objects, partOf } from './copies.ts';
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
  /** A slice of a texture or renderbuffer. null if WebGL2 reads no such format. The state of WebGL2 is another one after depths. */
  surface(surface: Surface, slice: number, level: number): Omit<WrittenImage, 'depth'> | null;
  /** The four bytes of a pixel, counted from the lower left. */
  pixel(framebuffer: number, x: number, y: number): Uint8Array;
}

/** A texture or a renderbuffer: numbers of both, one of which is 0, what the texture is bound to, the size of the level, internal format. */
export interface Surface extends Size {
  readonly texture: number;
  readonly renderbuffer: number;
  readonly binding: number;
  readonly format: number;
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
 * again. `objects` finds textures and renderbuffers.
 */
export function readingOf(
  gl: Gl,
  now: Standing,
  bind: { read(framebuffer: number): void; draw(framebuffer: number): void; restore(): void },
  objects: Pick<Objects, 'texture' | 'renderbuffer'>,
): Reading {
  let packing: WebGLProgram | null = null;

  const samples = () => gl.getParameter(gl.SAMPLES) as number;
  /** Begins to draw to a framebuffer of our own, of colours. Returns what ends that. */
  const ownTarget = ({ width, height }: Size, format: number = gl.RGBA8): (() => void) => {
    const [copy, colors] = [gl.createFramebuffer(), gl.createRenderbuffer()];
    gl.bindRenderbuffer(gl.RENDERBUFFER, colors);
    gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
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

  /** The depths of the framebuffer that is bound, as in {@link Reading.depths}. */
  const packedDepths = (size: Size): Read => {
    const { width, height } = size;
    const format = depthFormat(gl);
    if (format === null) return null;
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
    return packed;
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
      bind.read(framebuffer);
      bind.draw(framebuffer);
      const packed = packedDepths(size);
      bind.restore();
      return packed;
    },
    surface: ({ texture, renderbuffer, binding, format, ...size }, slice, level) => {
      const own = gl.createFramebuffer();
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, own);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, own);
      const { point } = partOf(gl, format);
      const [target, object] = [gl.DRAW_FRAMEBUFFER, objects.texture(texture)];
      if (renderbuffer > 0)
        gl.framebufferRenderbuffer(target, point, gl.RENDERBUFFER, objects.renderbuffer(renderbuffer));
      else if (binding === gl.TEXTURE_3D || binding === gl.TEXTURE_2D_ARRAY)
        gl.framebufferTextureLayer(target, point, object, level, slice);
      else {
        const side = binding === gl.TEXTURE_CUBE_MAP ? gl.TEXTURE_CUBE_MAP_POSITIVE_X + slice : gl.TEXTURE_2D;
        gl.framebufferTexture2D(target, point, side, object, level);
      }
      let image: Omit<WrittenImage, 'depth'> | null = null;
      if (gl.checkFramebufferStatus(target) === gl.FRAMEBUFFER_COMPLETE) {
        if (point === gl.COLOR_ATTACHMENT0) {
          const end = samples() > 0 ? ownTarget(size, format) : null;
          if (end) {
            const { width, height } = size;
            gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
            readTarget();
          }
          image = readNumbers(gl, size);
          end?.();
        } else {
          const packed = packedDepths(size);
          const about = { channels: [['Depth', 0]] as const, isInteger: false, perPixel: 1 };
          image = packed && { ...size, ...about, values: depthsOf(packed) };
        }
      }
      gl.deleteFramebuffer(own);
      bind.restore();
      return image;
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

/** Reads the colours of the framebuffer that is bound for reading as numbers. null if WebGL2 does not read its format. */
function readNumbers(gl: Gl, { width, height }: Size): Omit<WrittenImage, 'depth'> | null {
  const of = (name: number) =>
    gl.getFramebufferAttachmentParameter(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, name) as number;
  const all = [
    ['R', gl.FRAMEBUFFER_ATTACHMENT_RED_SIZE],
    ['G', gl.FRAMEBUFFER_ATTACHMENT_GREEN_SIZE],
    ['B', gl.FRAMEBUFFER_ATTACHMENT_BLUE_SIZE],
    ['A', gl.FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE],
  ] as const;
  const channels = all.flatMap(([name, size], i) => (of(size) > 0 ? [[name, i] as const] : []));
  const kind = of(gl.FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE);
  while (gl.getError() !== gl.NO_ERROR && !gl.isContextLost());
  const count = 4 * width * height;
  const isInteger = kind === gl.INT || kind === gl.UNSIGNED_INT;
  let values: WrittenImage['values'];
  if (isInteger) {
    values = kind === gl.INT ? new Int32Array(count) : new Uint32Array(count);
    gl.readPixels(0, 0, width, height, gl.RGBA_INTEGER, kind, values);
  } else if (kind === gl.FLOAT) {
    values = new Float32Array(count);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.FLOAT, values);
  } else {
    const bytes = new Uint8Array(count);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    values = Float32Array.from(bytes, (byte) => byte / 255);
  }
  return gl.getError() === gl.NO_ERROR ? { width, height, channels, isInteger, values, perPixel: 4 } : null;
}

/** The depth of each pixel, 0 to 1, out of 24 bits in three channels. */
export function depthsOf(packed: Uint8ClampedArray): Float32Array {
  const out = new Float32Array(packed.length >> 2);
  for (let i = 0; i < out.length; i += 1) {
    const [r, g, b] = [packed[4 * i] ?? 0, packed[4 * i + 1] ?? 0, packed[4 * i + 2] ?? 0];
    out[i] = (65536 * r + 256 * g + b) / 16777215;
  }
  return out;
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
