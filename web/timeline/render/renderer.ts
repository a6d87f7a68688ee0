import type { Palette } from './palette.ts';

/** Columns of rectangles in the form of the protocol. */
export interface SliceColumns {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly name: Uint32Array;
  readonly index: Uint32Array;
  readonly fill: Uint8Array;
}

/** Columns of a counter's values in the form of the protocol. Each value holds until the next. */
export interface ValueColumns {
  readonly time: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly last: Float64Array;
}

/** The place of a graph in CSS pixels, and the values at its bottom and top. */
export interface GraphBox {
  readonly y: number;
  readonly height: number;
  readonly lowest: number;
  readonly highest: number;
  /** A dot for each value in place of steps. */
  readonly dots: boolean;
  /** A logarithmic scale, in both directions from 0. */
  readonly log: boolean;
  /** CSS pixels at which the last value ends. */
  readonly right: number;
}

/** Converts a column's ticks to CSS pixels: `offset + ticks * scale`. */
export interface Transform {
  readonly offset: number;
  readonly scale: number;
}

/** The colours of one frame. */
export interface Ink {
  readonly palette: Palette;
  /** Colour of each name id. */
  readonly colour: Uint8Array;
  /** The name id whose slices are lifted, or -1. */
  readonly lifted: number;
  /** The palette dims all but lifted slices. */
  readonly dims?: boolean;
}

/**
 * Draws the shapes of the timeline; text has a separate canvas above. A frame is `begin`, any number of shapes, `end`.
 * Shapes of `rect` lie below all slices and graphs. The arguments hold everything that a frame needs: a renderer keeps
 * no state between frames and reads nothing from the page. Lengths are CSS pixels.
 */
export interface Renderer {
  /** `ratio` is in device pixels per CSS pixel. */
  resize(width: number, height: number, ratio: number): void;
  begin(ink: Ink): void;
  /** Shapes from here on are cut off above `top` and below `bottom`. A frame begins with the whole canvas. */
  clip(top: number, bottom: number): void;
  /** A plain rectangle in a CSS colour. */
  rect(x: number, y: number, width: number, height: number, colour: string): void;
  /**
   * Draws the rectangles `first` to `end` of a row, sorted and free of overlap, `height` high at `y`. Rectangles
   * narrower than a device pixel fade in proportion. In a row that is `solid`, those that stand alone are marks at least,
   * and none is dimmed. Returns the number drawn.
   */
  slices(
    columns: SliceColumns,
    first: number,
    end: number,
    y: number,
    height: number,
    transform: Transform,
    solid?: boolean,
  ): number;
  /**
   * Draws the values `first` to `end` of a counter as a stepped line over a filled area. Values that share a step get a
   * band from the lowest to the highest.
   */
  graph(columns: ValueColumns, first: number, end: number, box: GraphBox, transform: Transform): void;
  /** A plain rectangle in a CSS colour, above all other shapes. */
  mark(x: number, y: number, width: number, height: number, colour: string): void;
  end(): void;
  dispose(): void;
}
