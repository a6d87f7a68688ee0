import type { GraphBox, Transform, ValueColumns } from './renderer.ts';
import { scaled } from './scale.ts';

/** The graphs of a frame as rectangles of three styles, painted style by style. */
export interface Graphs {
  /**
   * Adds the values `first` to `end` of a counter, as in `Renderer.graph`. `ratio` is device pixels per CSS pixel and
   * `width` the width of the canvas in device pixels.
   */
  add(
    columns: ValueColumns,
    first: number,
    end: number,
    box: GraphBox,
    transform: Transform,
    ratio: number,
    width: number,
  ): void;
  /**
   * Calls `paint` for each layer from the lowest (area, band, line) and then clears it. `data` holds x, y, width and
   * height of each rectangle in device pixels, up to `used`.
   */
  take(paint: (layer: number, data: readonly number[], used: number) => void): void;
}

/** Rectangles of one style as x, y, width, height. The array is reused in each frame. */
interface Layer {
  readonly data: number[];
  used: number;
}

/** No graphs yet. Coordinates are whole device pixels, so that lines are sharp. */
export function createGraphs(): Graphs {
  const area: Layer = { data: [], used: 0 };
  const band: Layer = { data: [], used: 0 };
  const line: Layer = { data: [], used: 0 };
  return {
    add: ({ time, min, max, last }, first, end, box, transform, ratio, width) => {
      const thick = Math.max(1, Math.round(ratio));
      const bottom = Math.round((box.y + box.height) * ratio);
      const room = bottom - Math.round(box.y * ratio) - thick;
      const right = Math.min(Math.round(box.right * ratio), width);
      const dot = Math.max(2, Math.round(3 * ratio));
      const [lowestLevel, highestLevel] = [scaled(box.lowest, box.log), scaled(box.highest, box.log)];
      const span = highestLevel - lowestLevel;
      /** The top of the line for a value. If the graph starts at 0, a small value is at least a pixel above 0. */
      const level = (value: number) => {
        // The scale is that of the finite values.
        if (value === Number.POSITIVE_INFINITY) return bottom - thick - room;
        if (value === Number.NEGATIVE_INFINITY) return bottom - thick;
        if (box.lowest !== 0) {
          const share = span > 0 ? Math.min(1, Math.max(0, (scaled(value, box.log) - lowestLevel) / span)) : 0.5;
          return bottom - thick - Math.round(share * room);
        }
        if (!(value > 0 && box.highest > 0)) return bottom - thick;
        return bottom - thick - Math.max(1, Math.round(Math.min(1, scaled(value, box.log) / highestLevel) * room));
      };
      // If the graph goes below 0, the area lies between the line and 0.
      const ground = box.lowest < 0 ? level(Math.min(0, box.highest)) + thick : bottom;
      const place = (i: number) => Math.round((transform.offset + time[i]! * transform.scale) * ratio);
      let before = -1;
      for (let i = first; i < end; ) {
        const x = place(i);
        let lowest = min[i]!;
        let highest = max[i]!;
        let next = i + 1;
        // Values on the same pixel merge.
        while (next < end && place(next) <= x) {
          // NaN does not replace a number.
          if (!(min[next]! >= lowest)) lowest = min[next]!;
          if (!(max[next]! <= highest)) highest = max[next]!;
          next += 1;
        }
        const from = Math.max(x, 0);
        const until = Math.max(from + 1, next < end ? Math.min(place(next), right) : right);
        if (from >= right) break;
        const value = last[next - 1]!;
        if (Number.isNaN(value)) {
          // What is not a number has no height: dashes at the bottom, or a dot there.
          if (!box.dots)
            for (let at = from; at < until; at += 2 * dot)
              put(band, at, bottom - thick, Math.min(dot, until - at), thick);
          else if (x >= 0) put(band, x - (dot >> 1), bottom - dot, dot, dot);
          before = -1;
          i = next;
          continue;
        }
        const top = level(value);
        if (box.dots) {
          if (x >= 0) {
            put(line, x - (dot >> 1), top - (dot >> 1), dot, dot);
            if (highest > lowest) put(band, x, level(highest), thick, level(lowest) - level(highest) + thick);
          }
          i = next;
          continue;
        }
        if (top < ground) put(area, from, top + thick, until - from, ground - top - thick);
        else put(area, from, ground, until - from, top - ground);
        put(line, from, top, until - from, thick);
        if (highest > lowest && x >= 0) put(band, x, level(highest), thick, level(lowest) - level(highest) + thick);
        else if (before >= 0 && x >= 0) put(line, x, Math.min(before, top), thick, Math.abs(before - top) + thick);
        before = top;
        i = next;
      }
    },
    take: (paint) => {
      for (const [i, layer] of [area, band, line].entries()) {
        if (layer.used > 0) paint(i, layer.data, layer.used);
        layer.used = 0;
      }
    },
  };
}

function put(layer: Layer, x: number, y: number, width: number, height: number): void {
  const { data, used } = layer;
  data[used] = x;
  data[used + 1] = y;
  data[used + 2] = width;
  data[used + 3] = height;
  layer.used += 4;
}
