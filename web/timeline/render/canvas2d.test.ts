import { beforeEach, describe, expect, it } from 'vitest';
import { createCanvas2d } from './canvas2d.ts';
import { LEVELS, PALETTES } from './palette.ts';
import type { Renderer, SliceColumns } from './renderer.ts';
import { createTextFitter } from './text.ts';

interface Painted {
  readonly style: string;
  readonly at: readonly [x: number, y: number, width: number, height: number];
}

const PALETTE = PALETTES.dark;
let painted: Painted[];
let renderer: Renderer;
/** What each rectangle was clipped to; '' for the whole canvas. */
let clips: string[];

/** A canvas that records painted rectangles. */
function canvas(): HTMLCanvasElement {
  const states: string[] = [];
  let clipped = '';
  let path = '';
  const context = {
    fillStyle: '',
    fillRect: (x: number, y: number, width: number, height: number) => {
      painted.push({ style: context.fillStyle, at: [x, y, width, height] });
      clips.push(clipped);
    },
    save: () => states.push(clipped),
    restore: () => {
      clipped = states.pop() ?? '';
    },
    beginPath: () => undefined,
    rect: (...box: number[]) => {
      path = box.join(' ');
    },
    clip: () => {
      clipped = path;
    },
  };
  return { width: 0, height: 0, getContext: () => context } as unknown as HTMLCanvasElement;
}

function columns(
  rects: readonly (readonly [start: number, end: number, name?: number, fill?: number])[],
): SliceColumns {
  return {
    start: Float64Array.from(rects, (rect) => rect[0]),
    end: Float64Array.from(rects, (rect) => rect[1]),
    name: Uint32Array.from(rects, (rect) => rect[2] ?? 0),
    index: Uint32Array.from(rects.keys()),
    fill: Uint8Array.from(rects, (rect) => rect[3] ?? 255),
  };
}

function draw(
  rects: Parameters<typeof columns>[0],
  transform = { offset: 0, scale: 1 },
  lifted = -1,
): { drawn: number; slices: Painted[] } {
  painted = [];
  renderer.begin({ palette: PALETTE, colour: Uint8Array.of(0, 1, 2), lifted });
  const drawn = renderer.slices(columns(rects), 0, rects.length, 10, 16, transform);
  renderer.end();
  return { drawn, slices: painted.slice(1) };
}

beforeEach(() => {
  painted = [];
  clips = [];
  renderer = createCanvas2d(canvas());
  renderer.resize(100, 50, 1);
});

describe('slices on a 2D canvas', () => {
  it('cover whole pixels, with a gap to the next one if wide enough', () => {
    const { slices } = draw([
      [0, 10],
      [10, 12],
    ]);
    expect(slices.map((rect) => rect.at)).toEqual([
      [0, 10, 9, 16],
      [10, 10, 2, 16],
    ]);
    expect(slices[0]!.style).toBe(PALETTE.slices[LEVELS - 1]);
  });
  it('fade below a pixel and never disappear', () => {
    const { drawn, slices } = draw([[20.1, 20.2]]);
    expect(drawn).toBe(1);
    expect(slices[0]!.at).toEqual([20, 10, 1, 16]);
    expect(slices[0]!.style).toBe(PALETTE.slices[0]);
  });
  it('show the density of a rectangle', () => {
    expect(draw([[0, 50, 0, 128]]).slices[0]!.style).toBe(PALETTE.slices[4]);
  });
  it('move right instead of sharing a pixel', () => {
    const { slices } = draw([
      [5, 5.2],
      [5.2, 8],
    ]);
    expect(slices.map((rect) => rect.at).sort((a, b) => a[0] - b[0])).toEqual([
      [5, 10, 1, 16],
      [6, 10, 2, 16],
    ]);
  });
  it('are clipped to the screen at any length', () => {
    const { drawn, slices } = draw(
      [
        [0, 1e15],
        [2e15, 3e15],
      ],
      { offset: -1e9, scale: 1 },
    );
    expect(drawn).toBe(1);
    expect(slices[0]!.at).toEqual([-2, 10, 103, 16]);
  });
  it('are lifted by name id', () => {
    const { slices } = draw(
      [
        [0, 10, 1],
        [10, 20, 2],
      ],
      { offset: 0, scale: 1 },
      2,
    );
    expect(slices.map((rect) => rect.style)).toContain(PALETTE.lifted[3 * LEVELS - 1]);
    expect(slices.map((rect) => rect.style)).toContain(PALETTE.slices[2 * LEVELS - 1]);
  });
  it('are in device pixels', () => {
    renderer.resize(100, 50, 2);
    expect(draw([[0.5, 10]]).slices[0]!.at).toEqual([1, 20, 17, 32]);
  });
  it('do not carry over to the next frame', () => {
    draw([[0, 10]]);
    expect(draw([]).slices).toEqual([]);
  });
});

describe('names in slices', () => {
  const fitter = createTextFitter({
    measureText: (text: string) => ({ width: 10 * text.length }),
  } as unknown as CanvasRenderingContext2D);
  it('are whole, cut with an ellipsis, or left out', () => {
    expect(fitter.fitted('render', 60)).toBe('render');
    expect(fitter.fitted('render', 59)).toBe('rend…');
    expect(fitter.fitted('render', 30)).toBe('re…');
    expect(fitter.fitted('render', 29)).toBe('');
    expect(fitter.fitted('', 29)).toBe('');
  });

  it('have escapes for what has no shape, which take room', () => {
    expect(fitter.fitted('a\u{202e}b', 100)).toBe('a\\u{202e}b');
    expect(fitter.fitted('ab\u{202e}c', 109)).toBe('ab…');
    expect(fitter.fitted('0xab\u{200b}cd', 140)).toBe('0xab\\u{200b}cd');
    expect(fitter.fitted('0xab\u{200b}cd', 139)).toBe('…ab\\u{200b}cd');
  });
});

describe('a graph on a 2D canvas', () => {
  const [area, band, line] = PALETTE.graph;
  const graph = (
    values: readonly (readonly [time: number, min: number, max: number, last: number])[],
    right = 100,
    lowest = 0,
    { dots = false, log = false } = {},
  ) => {
    painted = [];
    renderer.begin({ palette: PALETTE, colour: Uint8Array.of(0), lifted: -1 });
    const column = (at: 0 | 1 | 2 | 3) => Float64Array.from(values, (value) => value[at]);
    const columns = { time: column(0), min: column(1), max: column(2), last: column(3) };
    renderer.graph(
      columns,
      0,
      values.length,
      { y: 0, height: 41, lowest, highest: 10, dots, log, right },
      { offset: 0, scale: 1 },
    );
    renderer.end();
    return (style: string) => painted.filter((rect) => rect.style === style).map((rect) => rect.at);
  };
  it('is stepped over a filled area, up to the end of the trace', () => {
    const of = graph(
      [
        [-20, 5, 5, 5],
        [30, 10, 10, 10],
        [60, 0, 0, 0],
      ],
      80,
    );
    expect(of(area)).toEqual([
      [0, 21, 30, 20],
      [30, 1, 30, 40],
      [60, 41, 20, 0],
    ]);
    // The steps, each with the vertical line before it.
    expect(of(line)).toEqual([
      [0, 20, 30, 1],
      [30, 0, 30, 1],
      [30, 0, 1, 21],
      [60, 40, 20, 1],
      [60, 0, 1, 41],
    ]);
    expect(of(band)).toEqual([]);
  });
  it('has dots in place of steps, and a logarithmic scale', () => {
    const of = graph(
      [
        [30, 10, 10, 10],
        [60, 0, 0, 0],
      ],
      80,
      0,
      { dots: true },
    );
    expect([of(area), of(line)]).toEqual([
      [],
      [
        [29, -1, 3, 3],
        [59, 39, 3, 3],
      ],
    ]);
    // 40 pixels from 0 to 10: the logarithm of 1 + 2.3166 is half of that of 1 + 10.
    const logarithmic = graph([[10, 2.3166, 2.3166, 2.3166]], 80, 0, { log: true });
    expect(logarithmic(line)).toEqual([[10, 20, 70, 1]]);
  });
  it('shows the lowest and the highest value of a pixel', () => {
    const of = graph([
      [10.1, 2, 4, 3],
      [10.2, 1, 8, 5],
      [40, 5, 5, 5],
    ]);
    expect(of(band)).toEqual([[10, 8, 1, 29]]);
    expect(of(line)).toEqual([
      [10, 20, 30, 1],
      [40, 20, 60, 1],
      [40, 20, 1, 1],
    ]);
  });
  it('fills towards 0 for negative values, and skips NaN', () => {
    const of = graph(
      [
        [0, 10, 10, 10],
        [20, -10, -10, -10],
        [40, Number.NaN, Number.NaN, Number.NaN],
        [60, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      ],
      80,
      -10,
    );
    expect(of(area)).toEqual([
      [0, 1, 20, 20],
      [20, 21, 20, 19],
      [60, 1, 20, 20],
    ]);
    expect(of(line).filter(([, , width]) => width > 1)).toEqual([
      [0, 0, 20, 1],
      [20, 40, 20, 1],
      [60, 0, 20, 1],
    ]);
  });
  it('distinguishes small values, 0 and no values', () => {
    expect(graph([[0, 0.001, 0.001, 0.001]])(line)).toEqual([[0, 39, 100, 1]]);
    expect(graph([[0, 0, 0, 0]])(line)).toEqual([[0, 40, 100, 1]]);
    expect(graph([])(line)).toEqual([]);
  });
});

it('cuts each shape to the part of the canvas in which it was drawn', () => {
  renderer.begin({ palette: PALETTE, colour: Uint8Array.of(0), lifted: -1 });
  renderer.clip(0, 20);
  renderer.slices(columns([[0, 10]]), 0, 1, 10, 16, { offset: 0, scale: 1 });
  renderer.clip(20, 50);
  renderer.mark(0, 0, 10, 30, '#000000');
  renderer.end();
  renderer.begin({ palette: PALETTE, colour: Uint8Array.of(0), lifted: -1 });
  renderer.end();
  expect(clips).toEqual(['', '0 0 100 20', '0 20 100 30', '']);
});
