import { COLOURS } from '../../trace/names.ts';
import { createColours } from './colours.ts';
import { devicePixels, type PutSlice, placeRect, placeSlices } from './geometry.ts';
import { createGraphs } from './graphs.ts';
import { LEVELS, PALETTES } from './palette.ts';
import type { Pen } from './pen.ts';
import type { Ink, Renderer } from './renderer.ts';
import { createStrip } from './strip.ts';

const STYLES = COLOURS * LEVELS;
/** Numbers per rectangle: x, y, width, height. */
const STRIDE = 4;
/** Slices in a row above which it is painted as an image, which costs as much as a few hundred rectangles. */
const DENSE = 300;

/** Rectangles of one fill style, reused in each frame to avoid allocation. */
interface Bucket {
  data: Float32Array;
  used: number;
}

/** The back end that works in every browser. */
export function createCanvas2d(canvas: HTMLCanvasElement): Renderer {
  const context = canvas.getContext('2d', { alpha: false });
  if (!context) throw new Error('no 2D canvas');
  return createFlat(canvas, context, context);
}

/**
 * Draws with a pen, in device pixels of a `canvas` that has a size only. A change of fill style is costly on a 2D canvas, so
 * slices are grouped by style and painted at the end of the frame. Dense rows become images on `images`, if the pen is a canvas.
 */
export function createFlat(
  canvas: { width: number; height: number },
  context: Pen,
  images: CanvasRenderingContext2D | null,
): Renderer {
  const buckets: Bucket[] = Array.from({ length: 2 * STYLES }, () => ({ data: new Float32Array(64), used: 0 }));
  const graphs = createGraphs();
  const strip = createStrip();
  /** Marks by colour: x, y, width, height of each. */
  const marks = new Map<string, number[]>();
  const colours = createColours();
  let tables = colours.of(PALETTES.dark);
  let ratio = 1;
  let ink: Ink | null = null;
  let clipped = false;

  const put = (style: number, lifted: boolean, x: number, y: number, width: number, height: number) => {
    const bucket = buckets[lifted ? STYLES + style : style]!;
    if (bucket.used + STRIDE > bucket.data.length) {
      const larger = new Float32Array(bucket.data.length * 2);
      larger.set(bucket.data);
      bucket.data = larger;
    }
    bucket.data[bucket.used] = x;
    bucket.data[bucket.used + 1] = y;
    bucket.data[bucket.used + 2] = width;
    bucket.data[bucket.used + 3] = height;
    bucket.used += STRIDE;
  };

  const putDense: PutSlice = (style, lifted, x, _y, width) => {
    strip.put(x, width, (lifted ? tables.lifted : tables.slices)[style]!);
  };

  /** Paints what has been collected, in the order of the layers. */
  const paint = () => {
    if (!ink) return;
    const { graph } = ink.palette;
    graphs.take((layer, data, used) => {
      context.fillStyle = graph[layer]!;
      for (let at = 0; at < used; at += STRIDE) {
        context.fillRect(data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!);
      }
    });
    for (let style = 0; style < buckets.length; style += 1) {
      const bucket = buckets[style]!;
      if (bucket.used === 0) continue;
      const styles = style < STYLES ? ink.palette.slices : ink.palette.lifted;
      context.fillStyle = styles[style % STYLES]!;
      const { data, used } = bucket;
      for (let i = 0; i < used; i += STRIDE) {
        context.fillRect(data[i]!, data[i + 1]!, data[i + 2]!, data[i + 3]!);
      }
      bucket.used = 0;
    }
    if (images) strip.paint(images);
    for (const [colour, places] of marks) {
      context.fillStyle = colour;
      for (let i = 0; i < places.length; i += STRIDE) {
        context.fillRect(places[i]!, places[i + 1]!, places[i + 2]!, places[i + 3]!);
      }
    }
    marks.clear();
  };
  const unclip = () => {
    if (clipped) context.restore();
    clipped = false;
  };

  return {
    resize: (width, height, pixelRatio) => {
      ratio = pixelRatio;
      const wide = devicePixels(width, ratio);
      const tall = devicePixels(height, ratio);
      // Setting the size clears the canvas even if the size is unchanged.
      if (canvas.width !== wide) canvas.width = wide;
      if (canvas.height !== tall) canvas.height = tall;
      strip.resize(wide);
    },
    begin: (next) => {
      ink = next;
      tables = colours.of(next.palette);
      context.fillStyle = next.palette.background;
      context.fillRect(0, 0, canvas.width, canvas.height);
    },
    clip: (top, bottom) => {
      paint();
      unclip();
      context.save();
      clipped = true;
      const from = Math.round(top * ratio);
      context.beginPath();
      context.rect(0, from, canvas.width, Math.round(bottom * ratio) - from);
      context.clip();
    },
    rect: (x, y, width, height, colour) => {
      context.fillStyle = colour;
      context.fillRect(...placeRect(x, y, width, height, ratio));
    },
    slices: (columns, first, end, y, height, transform, solid) => {
      if (!ink) return 0;
      const surface = { width: canvas.width, height: canvas.height, ratio };
      if (!images || end - first < DENSE)
        return placeSlices(columns, first, end, y, height, transform, ink, surface, put, solid);
      const [, top, , tall] = placeRect(0, y, 1, height, ratio);
      strip.row(top, tall);
      return placeSlices(columns, first, end, y, height, transform, ink, surface, putDense, solid);
    },
    graph: (columns, first, end, box, transform) =>
      graphs.add(columns, first, end, box, transform, ratio, canvas.width),
    mark: (x, y, width, height, colour) => {
      const places = marks.get(colour) ?? [];
      if (places.length === 0) marks.set(colour, places);
      const [left, top, wide, tall] = placeRect(x, y, width, height, ratio);
      places.push(left, top, wide, tall);
    },
    end: () => {
      paint();
      unclip();
      ink = null;
    },
    dispose: () => {
      // Frees the pixels before the next garbage collection.
      canvas.width = 0;
      canvas.height = 0;
      strip.dispose();
      for (const bucket of buckets) bucket.data = new Float32Array(0);
    },
  };
}
