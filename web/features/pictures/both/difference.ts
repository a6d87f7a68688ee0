import type { Pixel } from '../pixel.ts';
import type { SmallPicture } from '../protocol.ts';

/** What differs between two pictures of one size. */
export interface PixelDifference {
  /** Pixels of which any channel differs, and all. */
  readonly count: number;
  readonly of: number;
  /** The largest difference of a channel, from 0 to 255, and the first pixel that has it. */
  readonly largest: number;
  readonly at: Pixel;
  /** The magnitude of the difference of each channel, so amplified that the largest is 255: black where nothing differs. */
  readonly picture: SmallPicture;
}

/** Compares two pictures pixel by pixel. null if they are not of one size. */
export function differenceOf(a: SmallPicture, b: SmallPicture): PixelDifference | null {
  const { width, height } = a;
  if (b.width !== width || b.height !== height) return null;
  const [words, others] = [wordsOf(a), wordsOf(b)];
  const pixels = new Uint8ClampedArray(a.pixels.length);
  let [count, largest, at] = [0, 0, 0];
  for (let i = 0; i < words.length; i += 1) {
    pixels[4 * i + 3] = 255;
    if (words[i] === others[i]) continue;
    count += 1;
    for (let c = 4 * i; c < 4 * i + 4; c += 1) {
      const by = Math.abs(a.pixels[c]! - b.pixels[c]!);
      // A pixel of which only alpha differs is grey.
      if (c < 4 * i + 3) pixels[c] = by;
      else for (let k = 4 * i; k < c; k += 1) pixels[k] = Math.max(pixels[k]!, by);
      if (by > largest) [largest, at] = [by, i];
    }
  }
  if (largest > 0) {
    for (let i = 0; i < pixels.length; i += 1) if (i % 4 < 3) pixels[i] = (pixels[i]! * 255) / largest;
  }
  return {
    count,
    of: words.length,
    largest,
    at: { x: at % width, y: Math.floor(at / width) },
    picture: { width, height, pixels },
  };
}

/** Whether two pictures have the same size and pixels. */
export function isAlike(a: SmallPicture | null, b: SmallPicture | null): boolean {
  if (!a || !b) return a === b;
  if (a.width !== b.width || a.height !== b.height) return false;
  const others = wordsOf(b);
  return wordsOf(a).every((word, i) => word === others[i]);
}

/** A word for each pixel. */
function wordsOf({ pixels }: SmallPicture): Uint32Array {
  return new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length >> 2);
}
