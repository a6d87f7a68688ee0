import { describe, expect, it } from 'vitest';
import { fromCss } from './colour.ts';
import { PALETTES } from './palette.ts';
import { createWebgl2 } from './webgl2.ts';

const BYTES = 12;

interface Drawn {
  readonly box: readonly number[];
  readonly colour: readonly number[];
}

/** A context that records uploads, and each draw call with its instances. */
function context(compiles = true) {
  const calls: Drawn[][] = [];
  let memory = new Uint8Array(0);
  const methods: Record<string, unknown> = {
    createProgram: () => ({}),
    createShader: () => ({}),
    getProgramParameter: () => compiles,
    bufferData: (_target: number, size: number) => {
      memory = new Uint8Array(size);
    },
    // As the specification has it, a length of 0 stands for all. More than there is room for is an error.
    bufferSubData: (_target: number, at: number, words: Int16Array, first: number, count: number) =>
      memory.set(new Uint8Array(words.buffer, 2 * first, 2 * (count || words.length - first)), at),
    drawArraysInstanced: (_mode: number, _first: number, _vertices: number, count: number) => {
      const view = new DataView(memory.buffer);
      calls.push(
        Array.from({ length: count }, (_, i) => ({
          box: [0, 2, 4, 6].map((at) => view.getInt16(i * BYTES + at, true)),
          colour: [...memory.subarray(i * BYTES + 8, i * BYTES + 12)],
        })),
      );
    },
  };
  const gl = new Proxy(methods, { get: (known, name: string) => known[name] ?? (() => undefined) });
  return { calls, gl: gl as unknown as WebGL2RenderingContext };
}

const PALETTE = PALETTES.dark;
const INK = { palette: PALETTE, colour: Uint8Array.of(0, 1), lifted: 1 };
const canvas = () => ({ width: 0, height: 0 }) as HTMLCanvasElement;

function row(slices: number) {
  return {
    start: Float64Array.from({ length: slices }, (_, i) => 5 * i),
    end: Float64Array.from({ length: slices }, (_, i) => 5 * i + 5),
    name: Uint32Array.from({ length: slices }, (_, i) => i % 2),
    index: new Uint32Array(slices),
    fill: new Uint8Array(slices).fill(255),
  };
}

describe('drawing by WebGL2', () => {
  it('takes one draw call per frame, from the lowest layer up', () => {
    const { gl, calls } = context();
    const renderer = createWebgl2(canvas(), gl)!;
    renderer.resize(1000, 50, 1);
    for (let frame = 0; frame < 3; frame += 1) {
      renderer.begin(INK);
      renderer.slices(row(200), 0, 200, 10, 16, { offset: 0, scale: 1 });
      const one = Float64Array.of(1);
      const box = { y: 30, height: 10, lowest: 0, highest: 1, dots: false, log: false, right: 100 };
      renderer.graph({ time: one, min: one, max: one, last: one }, 0, 1, box, { offset: 0, scale: 1 });
      renderer.rect(3, 0, 1, 50, '#262e39');
      renderer.end();
    }
    expect(calls).toHaveLength(3);
    const [plain, area, line, first, second] = calls[2]!;
    expect(plain).toEqual({ box: [3, 0, 1, 50], colour: [0x26, 0x2e, 0x39, 255] });
    expect(area!.colour).toEqual(fromCss(PALETTE.graph[0]));
    expect(line!.colour).toEqual(fromCss(PALETTE.graph[2]));
    expect(first).toEqual({ box: [0, 10, 4, 16], colour: fromCss(PALETTE.slices[7]!) });
    expect(second).toEqual({ box: [5, 10, 4, 16], colour: fromCss(PALETTE.lifted[15]!) });
    expect(calls[2]).toHaveLength(203);
  });
  it('uploads no layer that is empty', () => {
    const { gl, calls } = context();
    const renderer = createWebgl2(canvas(), gl)!;
    renderer.resize(1000, 50, 1);
    renderer.begin(INK);
    renderer.rect(3, 0, 1, 50, '#262e39');
    renderer.end();
    expect(calls).toEqual([[{ box: [3, 0, 1, 50], colour: [0x26, 0x2e, 0x39, 255] }]]);
  });
  it('clips shapes to the canvas', () => {
    const { gl, calls } = context();
    const renderer = createWebgl2(canvas(), gl)!;
    renderer.resize(100, 50, 2);
    renderer.begin(INK);
    renderer.rect(-1e6, -90_000, 2e6, 180_000, '#000000');
    renderer.rect(0, 60_000, 10, 1, '#000000');
    renderer.end();
    expect(calls[0]!.map(({ box }) => box)).toEqual([[-4, -4, 208, 108]]);
  });
  it('cuts each shape to the part of the canvas in which it was drawn', () => {
    const { gl, calls } = context();
    const renderer = createWebgl2(canvas(), gl)!;
    renderer.resize(100, 50, 2);
    renderer.begin(INK);
    renderer.clip(0, 20);
    renderer.slices(row(1), 0, 1, 10, 16, { offset: 0, scale: 1 });
    const one = Float64Array.of(1);
    const box = { y: 15, height: 10, lowest: 0, highest: 1, dots: false, log: false, right: 100 };
    renderer.graph({ time: one, min: one, max: one, last: one }, 0, 1, box, { offset: 0, scale: 1 });
    renderer.clip(20, 50);
    renderer.rect(0, 0, 10, 30, '#000000');
    renderer.end();
    const spans = calls[0]!.map(({ box }) => [box[1], box[1]! + box[3]!]);
    expect(spans).toEqual([
      [40, 60],
      [32, 40],
      [30, 32],
      [20, 40],
    ]);
  });
  it('draws only the background without shapes', () => {
    const { gl, calls } = context();
    const renderer = createWebgl2(canvas(), gl)!;
    renderer.resize(100, 50, 1);
    renderer.begin(INK);
    renderer.end();
    expect(calls).toEqual([]);
  });
  it('returns null for a context that accepts no program', () => {
    expect(createWebgl2(canvas(), context(false).gl)).toBeNull();
  });
});

describe('a colour as bytes', () => {
  it('equals the colour of the palette', () => {
    expect(fromCss('#62a8ff')).toEqual([0x62, 0xa8, 0xff, 255]);
    expect(fromCss('rgb(12 34 56)')).toEqual([12, 34, 56, 255]);
    expect(fromCss('rgb(12 34 56 / 0.16)')).toEqual([12, 34, 56, 41]);
  });
});
