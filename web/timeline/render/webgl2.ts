import { fromCss } from './colour.ts';
import { createColours } from './colours.ts';
import { devicePixels, placeRect, placeSlices } from './geometry.ts';
import { createGraphs } from './graphs.ts';
import { PALETTES } from './palette.ts';
import type { Ink, Renderer } from './renderer.ts';

/** 16-bit words of an instance: x, y, width, height, and a colour of 32 bits. */
const WORDS = 6;
const BYTES = 2 * WORDS;
/** Rectangles reach at most this far beyond the canvas, so that 16 bits hold them. */
const BEYOND = 4;

const VERTEX = `#version 300 es
layout(location = 0) in vec4 box;
layout(location = 1) in vec4 colour;
uniform vec2 size;
flat out vec4 ink;
void main() {
  // The corners of a strip of two triangles: 00, 10, 01, 11.
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 place = (box.xy + corner * box.zw) / size;
  gl_Position = vec4(place.x * 2.0 - 1.0, 1.0 - place.y * 2.0, 0.0, 1.0);
  ink = colour;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 ink;
out vec4 pixel;
void main() {
  pixel = ink;
}`;

/** Names of software renderers. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * The instances of one layer, reused in each frame to avoid allocation. Boxes and colours share the memory, which is
 * uploaded as it is.
 */
interface Layer {
  words: Int16Array;
  colours: Uint32Array;
  count: number;
}

/**
 * A WebGL2 context, or null if there is none. With `fast`, also null if a software renderer would draw, which is slower
 * than a 2D canvas.
 */
export function webgl2Of(canvas: HTMLCanvasElement, fast: boolean): WebGL2RenderingContext | null {
  const context = canvas.getContext('webgl2', {
    alpha: false,
    antialias: false,
    depth: false,
    stencil: false,
    failIfMajorPerformanceCaveat: fast,
  });
  if (!context || !fast) return context;
  const named = context.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = context.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : context.RENDERER);
  if (!SOFTWARE.test(String(name))) return context;
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return null;
}

/**
 * The back end on the graphics processor: a frame is one buffer of rectangles and one draw call. The code of the 2D
 * canvas places the rectangles on whole pixels, which takes less than a millisecond: the owner of a pixel depends on
 * the preceding slices. Returns null if the context does not accept the program, for example because it is lost.
 */
export function createWebgl2(canvas: HTMLCanvasElement, gl: WebGL2RenderingContext): Renderer | null {
  const program = programOf(gl);
  if (!program) return null;
  const size = gl.getUniformLocation(program, 'size');
  const array = gl.createVertexArray();
  const buffer = gl.createBuffer();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 4, gl.SHORT, false, BYTES, 0);
  gl.vertexAttribDivisor(0, 1);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, BYTES, 8);
  gl.vertexAttribDivisor(1, 1);
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);

  const graphs = createGraphs();
  const colours = createColours();
  /** The layers from the lowest: plain rectangles, graphs, slices, marks. */
  const [plain, lines, boxes, marks] = [createLayer(), createLayer(), createLayer(), createLayer()];
  let ratio = 1;
  /** The part of the canvas that shapes are cut to, in device pixels. */
  let clipTop = 0;
  let clipBottom = 0;
  let room = 0;
  let ink: Ink | null = null;
  let styles = colours.of(PALETTES.dark);

  /** Cuts to the clip, and in width to the canvas and a margin outside it, so that coordinates fit 16 bits. */
  const put = (layer: Layer, colour: number, x: number, y: number, width: number, height: number) => {
    const left = Math.max(x, -BEYOND);
    const top = Math.max(y, clipTop);
    const wide = Math.min(x + width, canvas.width + BEYOND) - left;
    const tall = Math.min(y + height, clipBottom) - top;
    if (wide <= 0 || tall <= 0) return;
    let at = layer.count * WORDS;
    if (at + WORDS > layer.words.length) grow(layer);
    const { words } = layer;
    words[at++] = left;
    words[at++] = top;
    words[at++] = wide;
    words[at++] = tall;
    layer.colours[at >> 1] = colour;
    layer.count += 1;
  };
  const putSlice = (style: number, lifted: boolean, x: number, y: number, width: number, height: number) => {
    put(boxes, (lifted ? styles.lifted : styles.slices)[style]!, x, y, width, height);
  };
  const putGraphs = (graph: readonly string[]) =>
    graphs.take((layer, data, used) => {
      const colour = colours.one(graph[layer]!);
      for (let at = 0; at < used; at += 4) put(lines, colour, data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!);
    });

  return {
    resize: (width, height, pixelRatio) => {
      ratio = pixelRatio;
      const wide = devicePixels(width, ratio);
      const tall = devicePixels(height, ratio);
      if (canvas.width !== wide) canvas.width = wide;
      if (canvas.height !== tall) canvas.height = tall;
    },
    begin: (next) => {
      ink = next;
      styles = colours.of(next.palette);
      const [r, g, b] = fromCss(next.palette.background);
      gl.clearColor(r / 255, g / 255, b / 255, 1);
      clipTop = -BEYOND;
      clipBottom = canvas.height + BEYOND;
    },
    clip: (top, bottom) => {
      // Graphs of the part before are cut with it.
      if (ink) putGraphs(ink.palette.graph);
      clipTop = Math.max(-BEYOND, Math.round(top * ratio));
      clipBottom = Math.min(canvas.height + BEYOND, Math.round(bottom * ratio));
    },
    rect: (x, y, width, height, colour) => {
      const [left, top, wide, tall] = placeRect(x, y, width, height, ratio);
      put(plain, colours.one(colour), left, top, wide, tall);
    },
    slices: (columns, first, end, y, height, transform, solid) => {
      if (!ink) return 0;
      const surface = { width: canvas.width, height: canvas.height, ratio };
      return placeSlices(columns, first, end, y, height, transform, ink, surface, putSlice, solid);
    },
    graph: (columns, first, end, box, transform) =>
      graphs.add(columns, first, end, box, transform, ratio, canvas.width),
    mark: (x, y, width, height, colour) => {
      const [left, top, wide, tall] = placeRect(x, y, width, height, ratio);
      put(marks, colours.one(colour), left, top, wide, tall);
    },
    end: () => {
      if (!ink) return;
      putGraphs(ink.palette.graph);
      // The browser may give a smaller buffer than requested. The picture then fills that.
      gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
      gl.clear(gl.COLOR_BUFFER_BIT);
      const count = plain.count + lines.count + boxes.count + marks.count;
      if (count > 0) {
        room = Math.max(room, powerOfTwoFrom(count));
        // New storage in each frame: the graphics processor may still read the old one.
        gl.bufferData(gl.ARRAY_BUFFER, room * BYTES, gl.STREAM_DRAW);
        let at = 0;
        for (const layer of [plain, lines, boxes, marks]) {
          // A length of 0 would stand for the whole array.
          if (layer.count === 0) continue;
          gl.bufferSubData(gl.ARRAY_BUFFER, at * BYTES, layer.words, 0, layer.count * WORDS);
          at += layer.count;
          layer.count = 0;
        }
        gl.uniform2f(size, canvas.width, canvas.height);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
      }
      ink = null;
    },
    dispose: () => {
      gl.deleteBuffer(buffer);
      gl.deleteVertexArray(array);
      gl.deleteProgram(program);
      // Browsers limit the number of contexts and free unused ones late.
      gl.getExtension('WEBGL_lose_context')?.loseContext();
      canvas.width = 0;
      canvas.height = 0;
    },
  };
}

function programOf(gl: WebGL2RenderingContext): WebGLProgram | null {
  const program = gl.createProgram();
  if (!program) return null;
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(kind);
    if (!shader) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

function createLayer(): Layer {
  const words = new Int16Array(64 * WORDS);
  return { words, colours: new Uint32Array(words.buffer), count: 0 };
}

function grow(layer: Layer): void {
  const words = new Int16Array(layer.words.length * 2);
  words.set(layer.words);
  layer.words = words;
  layer.colours = new Uint32Array(words.buffer);
}

function powerOfTwoFrom(count: number): number {
  return 2 ** Math.ceil(Math.log2(count));
}
