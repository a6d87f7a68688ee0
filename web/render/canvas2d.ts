import { COLOURS } from '../model/names.ts';
import { createGraphs } from './graph2d.ts';
import { LEVELS } from './palette.ts';
import type { Ink, Renderer, SliceColumns, Transform } from './renderer.ts';

const STYLES = COLOURS * LEVELS;
/** Numbers a rectangle takes: x, y, width, height. */
const STRIDE = 4;
/** Slices at least this many CSS pixels wide are set apart by a gap. */
const GAP_FROM = 3;

/** Rectangles of one fill style, kept from frame to frame so that drawing allocates nothing. */
interface Bucket {
  data: Float32Array;
  used: number;
}

/**
 * The back end that works everywhere. Slices are sorted by fill style and painted at the end of the frame: changing the
 * style is what costs on a 2D canvas.
 */
export function createCanvas2d(canvas: HTMLCanvasElement): Renderer {
  const context = canvas.getContext('2d', { alpha: false });
  if (!context) throw new Error('no 2D canvas');
  const buckets: Bucket[] = Array.from({ length: 2 * STYLES }, () => ({ data: new Float32Array(64), used: 0 }));
  const graphs = createGraphs();
  let ratio = 1;
  let ink: Ink | null = null;

  const put = (style: number, x: number, y: number, width: number, height: number) => {
    const bucket = buckets[style]!;
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

  const slices = (
    columns: SliceColumns,
    first: number,
    end: number,
    y: number,
    height: number,
    transform: Transform,
  ): number => {
    if (!ink) return 0;
    const { start, end: ends, name, fill } = columns;
    const { colour, lifted } = ink;
    const scale = transform.scale * ratio;
    const offset = transform.offset * ratio;
    const right = canvas.width;
    const gapFrom = GAP_FROM * ratio;
    const gap = Math.max(1, Math.round(ratio));
    const top = Math.round(y * ratio);
    const tall = Math.round((y + height) * ratio) - top;
    let drawn = 0;
    let free = Number.NEGATIVE_INFINITY;
    for (let i = first; i < end; i += 1) {
      const exactLeft = offset + start[i]! * scale;
      if (exactLeft > right) break;
      const exactRight = offset + ends[i]! * scale;
      let left = Math.max(Math.round(exactLeft), -2);
      let until = Math.min(Math.round(exactRight), right + 2);
      let cover = fill[i]! / 255;
      if (until <= left) {
        until = left + 1;
        cover *= Math.min(1, exactRight - exactLeft);
      } else if (until - left > gapFrom) {
        until -= gap;
      }
      // A pixel belongs to the first that needs it; the next one moves over rather than paint it out.
      if (left < free) left = free;
      if (until <= left) continue;
      free = until;
      const id = name[i]!;
      const level = Math.min(LEVELS - 1, Math.floor(cover * LEVELS));
      put((id === lifted ? STYLES : 0) + colour[id]! * LEVELS + level, left, top, until - left, tall);
      drawn += 1;
    }
    return drawn;
  };

  return {
    resize: (width, height, pixelRatio) => {
      ratio = pixelRatio;
      const wide = Math.max(1, Math.round(width * ratio));
      const tall = Math.max(1, Math.round(height * ratio));
      // Setting a size clears the canvas even when it stays the same.
      if (canvas.width !== wide) canvas.width = wide;
      if (canvas.height !== tall) canvas.height = tall;
    },
    begin: (next) => {
      ink = next;
      context.fillStyle = next.palette.background;
      context.fillRect(0, 0, canvas.width, canvas.height);
    },
    rect: (x, y, width, height, colour) => {
      context.fillStyle = colour;
      const left = Math.round(x * ratio);
      const top = Math.round(y * ratio);
      const wide = Math.max(1, Math.round((x + width) * ratio) - left);
      const tall = Math.max(1, Math.round((y + height) * ratio) - top);
      context.fillRect(left, top, wide, tall);
    },
    slices,
    graph: (columns, first, end, box, transform) =>
      graphs.add(columns, first, end, box, transform, ratio, canvas.width),
    end: () => {
      if (!ink) return;
      graphs.paint(context, ink.palette.graph);
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
      ink = null;
    },
    dispose: () => {
      // Frees the pixels at once instead of with the next collection.
      canvas.width = 0;
      canvas.height = 0;
      for (const bucket of buckets) bucket.data = new Float32Array(0);
    },
  };
}
