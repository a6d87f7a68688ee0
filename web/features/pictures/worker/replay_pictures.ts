/* Pictures out of what was read of a framebuffer. WebGL2 begins at the lower left, pictures at the top left. */

import type { Picture } from '../protocol.ts';

type Pixels = Uint8ClampedArray<ArrayBuffer>;

/** Turns rows upside down, in place. `count`: channels of a pixel. */
export function flip(pixels: Pixels | Float32Array, width: number, height: number, count = 4): void {
  const length = width * count;
  for (let y = 0; y < height >> 1; y += 1) {
    const [top, bottom] = [y * length, (height - 1 - y) * length];
    const row = pixels.slice(top, top + length);
    pixels.copyWithin(top, bottom, bottom + length);
    pixels.set(row, bottom);
  }
}

/** Makes all pixels opaque, in place. */
export function cover(pixels: Pixels): void {
  for (let i = 3; i < pixels.length; i += 4) pixels[i] = 255;
}

/**
 * What differs between two pictures, with the rest pale, and how many pixels do. All of them if they are not of the same size. The result
 * has the pixels of `after`, which are changed.
 */
export function compared(before: Picture | null, after: Picture): Picture {
  const is = new Uint32Array(after.pixels.buffer);
  const was = before?.pixels.length === after.pixels.length ? new Uint32Array(before.pixels.buffer) : null;
  let changed = 0;
  for (let i = 0; i < is.length; i += 1) {
    if (was?.[i] !== is[i]) {
      changed += 1;
      after.pixels[4 * i + 3] = 255;
      continue;
    }
    for (let c = 4 * i; c < 4 * i + 3; c += 1) after.pixels[c] = 200 + ((after.pixels[c] ?? 0) >> 3);
    after.pixels[4 * i + 3] = 255;
  }
  return { ...after, changed };
}

/** Colours for how often a pixel was drawn over: never, once, and so on; the last one is for all above. */
export const STEPS: readonly (readonly [number, number, number])[] = [
  [16, 16, 24],
  [38, 66, 128],
  [38, 112, 176],
  [56, 160, 140],
  [122, 190, 84],
  [222, 204, 72],
  [240, 150, 50],
  [226, 84, 48],
  [250, 236, 230],
];

/**
 * Counts in the red channels become the colours of {@link STEPS}, in place: how often each pixel was drawn over. Returns the highest count
 * and the sum.
 */
export function overdrawn(pixels: Pixels): { readonly most: number; readonly sum: number } {
  let [most, sum] = [0, 0];
  for (let i = 0; i < pixels.length; i += 4) {
    const count = pixels[i] ?? 0;
    sum += count;
    if (count > most) most = count;
    const color = STEPS[Math.min(count, STEPS.length - 1)];
    for (let c = 0; c < 3; c += 1) pixels[i + c] = color?.[c] ?? 0;
    pixels[i + 3] = 255;
  }
  return { most, sum };
}

/** Depths as grey, near ones light, over the range that was drawn to, and this range. What is at the far end is black. */
export function greyOf(depths: Float32Array): { readonly pixels: Pixels; readonly near: number; readonly far: number } {
  let [near, far] = [1, 0];
  for (const depth of depths) {
    if (depth < near) near = depth;
    if (depth < 1 && depth > far) far = depth;
  }
  far = Math.max(near, far);
  const pixels = new Uint8ClampedArray(depths.length * 4);
  const span = Math.max(far - near, 1e-7);
  for (let i = 0; i < depths.length; i += 1) {
    const depth = depths[i] ?? 1;
    const grey = depth >= 1 ? 0 : 255 - (200 * (depth - near)) / span;
    pixels.fill(grey, 4 * i, 4 * i + 3);
    pixels[4 * i + 3] = 255;
  }
  return { pixels, near, far };
}

/** The size of a picture of `width` by `height` pixels that is made smaller to fit into a box, with its proportions. At least 1 by 1. */
export function within(width: number, height: number, most: { readonly width: number; readonly height: number }) {
  const scale = Math.min(1, most.width / width, most.height / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
