import type { Palette } from './palette.ts';

/** Columns of rectangles, as the worker sends them. */
export interface SliceColumns {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly name: Uint32Array;
  readonly index: Uint32Array;
  readonly fill: Uint8Array;
}

/** Columns of a counter's values, as the worker sends them: each holds until the next. */
export interface ValueColumns {
  readonly time: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly last: Float64Array;
}

/** Where a graph goes: CSS pixels, and the values at its bottom and its top. */
export interface GraphBox {
  readonly y: number;
  readonly height: number;
  readonly lowest: number;
  readonly highest: number;
  /** How far to the right the last value holds. */
  readonly right: number;
}

/** From a column's ticks to CSS pixels: `offset + ticks * scale`. */
export interface Transform {
  readonly offset: number;
  readonly scale: number;
}

/** Colours for one frame. */
export interface Ink {
  readonly palette: Palette;
  /** The colour of each name id. */
  readonly colour: Uint8Array;
  /** The name id whose slices are lifted, or -1. */
  readonly lifted: number;
}

/**
 * Draws the shapes of the timeline; text lies on a canvas of its own above. A frame is `begin`, any number of shapes,
 * `end`; shapes drawn with `rect` lie below all slices and graphs. Everything a frame needs is handed in: nothing is
 * kept from one frame to the next, and nothing is read from the page. Lengths are CSS pixels.
 */
export interface Renderer {
  /** `ratio` is device pixels a CSS pixel. */
  resize(width: number, height: number, ratio: number): void;
  begin(ink: Ink): void;
  /** A plain rectangle in a CSS colour. */
  rect(x: number, y: number, width: number, height: number, colour: string): void;
  /**
   * The rectangles `first` to `end` of a row, sorted and free of overlap, `height` high at `y`. What is narrower than a
   * device pixel is drawn as thin as it covers it. Answers how many were drawn.
   */
  slices(columns: SliceColumns, first: number, end: number, y: number, height: number, transform: Transform): number;
  /**
   * The values `first` to `end` of a counter as a line in steps over a filled area, with a band from the lowest to the
   * highest where several values share a step.
   */
  graph(columns: ValueColumns, first: number, end: number, box: GraphBox, transform: Transform): void;
  end(): void;
  dispose(): void;
}
