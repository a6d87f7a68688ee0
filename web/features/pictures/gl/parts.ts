/* Draws, in parts where all of one would take a GPU too long: what is done of each part is what the scissor test lets pass. */

import type { Pace } from './pace.ts';
import type { Programs } from './programs.ts';
import type { Rect, Standing, Views } from './views.ts';

/** What is to be waited for: the portion before this one, or also this one, whose time says how to go on. */
export type Wait = 'portion' | 'alone';

/**
 * What a draw takes: operations of its vertices in thousands, operations of a pixel, vertices of all instances, width and height of the
 * framebuffer. The words of `Op::Cost` in `crate/replay/src/ops.rs`.
 */
export type DrawCost = readonly [number, number, number, number, number];

/** Operations that a draw counts for whatever it draws. */
const EACH = 10_000;
/** Pixels of a part at least: GPUs shade four at a time. */
const LEAST = 4;

/**
 * How draws are executed: `execute` with a primitive, as often as there are parts. What is yielded is to be waited for before it goes on. `now`:
 * the state as the commands have set it, which is what it was whenever something is yielded. `leftOut` hears of a draw whose program failed.
 */
export function createParts(
  gl: WebGL2RenderingContext,
  programs: Programs,
  views: Views,
  now: Standing,
  pace: Pace,
  leftOut: () => void,
): (call: number, mode: number, cost: DrawCost, execute: (mode: number) => void) => Generator<Wait> {
  /** What a draw may write to. */
  const areaOf = (mode: number, width: number, height: number): Rect => {
    const framebuffer: Rect = [0, 0, width, height];
    const open = now.scissorTest ? common(framebuffer, now.scissor) : framebuffer;
    // Points and lines may be wider than the viewport.
    return mode > gl.LINE_STRIP ? common(open, now.viewport) : open;
  };
  /** Sets the scissor test. */
  const cut = (isOn: boolean, to: Rect) => {
    [now.scissorTest, now.scissor] = [isOn, to];
    if (isOn) gl.enable(gl.SCISSOR_TEST);
    else gl.disable(gl.SCISSOR_TEST);
    gl.scissor(...to);
  };
  return function* (call, mode, [vertexWork, pixelWork, vertices, width, height], execute) {
    if (!programs.isUsable()) return leftOut();
    const area = areaOf(mode, width, height);
    const pixels = area[2] * area[3];
    const primitives = mode === gl.TRIANGLES ? vertices / 3 : vertices;
    const work = primitives * pixels * Math.max(pixelWork, views.loopWork(vertices));
    const { program } = programs.loops();
    // Programs draw few primitives that are large, and many small ones.
    const kind = `${program} ${Math.round(Math.log2(vertices + 1) / 3)}`;
    // Each part takes all vertices.
    const [ofVertices, all] = [`${program} vertices`, EACH + 1000 * vertexWork];
    if (pace.isFull(kind, work) || pace.isFull(ofVertices, all)) yield 'portion';
    pace.add(ofVertices, all);
    if (pixels <= LEAST || pace.share(kind, work) === 1) {
      pace.add(kind, work);
      views.draw(call, mode, vertices, execute);
      return;
    }
    yield 'alone';
    const { scissorTest, scissor } = now;
    for (const part of partsOf(area, () => pace.share(kind, work))) {
      cut(true, part);
      pace.add(kind, (work * part[2] * part[3]) / pixels);
      views.draw(call, mode, vertices, execute);
      cut(scissorTest, scissor);
      yield 'alone';
      pace.add(ofVertices, all);
    }
  };
}

/** What two rectangles have in common. Its sizes may be 0. */
function common([ax, ay, aw, ah]: Rect, [bx, by, bw, bh]: Rect): Rect {
  const [x, y] = [Math.max(ax, bx), Math.max(ay, by)];
  return [x, y, Math.max(0, Math.min(ax + aw, bx + bw) - x), Math.max(0, Math.min(ay + ah, by + bh) - y)];
}

/** Divides a rectangle. Each part has the share of all pixels, about, that `share` says when it is its turn. */
export function* partsOf([left, bottom, width, height]: Rect, share: () => number): Generator<Rect> {
  const wanted = () => Math.max(LEAST, share() * width * height);
  for (let y = 0; y < height; ) {
    const pixels = wanted();
    const isWide = pixels >= width;
    const rows = Math.min(height - y, Math.max(1, Math.floor(isWide ? pixels / width : Math.sqrt(pixels))));
    for (let x = 0; x < width; ) {
      const columns = isWide ? width : Math.min(width - x, Math.max(1, Math.floor(wanted() / rows)));
      yield [left + x, bottom + y, columns, rows];
      x += columns;
    }
    y += rows;
  }
}
