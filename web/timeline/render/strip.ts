/**
 * Dense rows of slices as rows of pixels. A row is painted as one image, a pixel high and stretched, at a cost that
 * does not depend on the number of slices. On whole pixels the result is the same picture.
 */
export interface Strip {
  /** Begins a row at `top`, `height` high, in device pixels. Later calls of `put` fill it. */
  row(top: number, height: number): void;
  /** Fills `width` device pixels from `left` on in a colour: four bytes in memory order. */
  put(left: number, width: number, colour: number): void;
  /** Paints the rows on a canvas and clears the strip. */
  paint(context: CanvasRenderingContext2D): void;
  /** Sets the width of all rows in device pixels and clears the strip. */
  resize(width: number): void;
  dispose(): void;
}

/** Initial capacity in rows. */
const ROWS = 32;

/** A strip without rows. */
export function createStrip(): Strip {
  let width = 1;
  let image: ImageData | null = null;
  let pixels = new Uint32Array(0);
  let canvas: OffscreenCanvas | null = null;
  let used = 0;
  let at = 0;
  /** Top and height of each row. */
  const places: number[] = [];

  const make = (rows: number) => {
    const next = new ImageData(width, rows);
    const words = new Uint32Array(next.data.buffer);
    words.set(pixels.subarray(0, used * width));
    [image, pixels] = [next, words];
  };
  return {
    row: (top, height) => {
      if (!image || used === image.height) make(image ? 2 * image.height : ROWS);
      at = used * width;
      pixels.fill(0, at, at + width);
      places[2 * used] = top;
      places[2 * used + 1] = height;
      used += 1;
    },
    put: (left, wide, colour) => {
      pixels.fill(colour, at + Math.max(0, left), at + Math.min(width, Math.max(0, left + wide)));
    },
    paint: (context) => {
      if (!image || used === 0) return;
      // The canvas stays in main memory, because each frame rewrites it.
      canvas ??= new OffscreenCanvas(1, 1);
      const source = canvas.getContext('2d', { willReadFrequently: true });
      if (!source) return;
      if (canvas.width !== width || canvas.height !== image.height) {
        canvas.width = width;
        canvas.height = image.height;
      }
      source.putImageData(image, 0, 0, 0, 0, width, used);
      context.imageSmoothingEnabled = false;
      for (let row = 0; row < used; row += 1) {
        context.drawImage(canvas, 0, row, width, 1, 0, places[2 * row]!, width, places[2 * row + 1]!);
      }
      used = 0;
    },
    resize: (next) => {
      used = 0;
      if (next === width) return;
      width = next;
      image = null;
      pixels = new Uint32Array(0);
    },
    dispose: () => {
      image = null;
      pixels = new Uint32Array(0);
      if (canvas) canvas.width = 0;
    },
  };
}
