import type { Pixel } from '../pixel.ts';

/** What of two pictures is in sight: `zoom` is 1 where all is. `left` and `top` are where they begin, in widths and heights of the window. */
export interface Viewport {
  readonly zoom: number;
  readonly left: number;
  readonly top: number;
}

/** All of the pictures. */
export const ALL: Viewport = { zoom: 1, left: 0, top: 0 };

/** Pixels of a picture and of the window that it fills at zoom 1. */
interface Size {
  readonly width: number;
  readonly height: number;
}

const MOST_ZOOM = 64;

/** Keeps the window within the pictures. */
function within(zoom: number, left: number, top: number): Viewport {
  const clamp = (at: number) => Math.min(0, Math.max(1 - zoom, at));
  return { zoom, left: clamp(left), top: clamp(top) };
}

/** A viewport that is zoomed by a factor, so that what is at a place stays there: shares of the window's width and height. */
export function zoomed({ zoom, left, top }: Viewport, by: number, x: number, y: number): Viewport {
  const next = Math.min(MOST_ZOOM, Math.max(1, zoom * by));
  const scale = next / zoom;
  return within(next, x - (x - left) * scale, y - (y - top) * scale);
}

/** A viewport that is moved by shares of the window's width and height. */
export function moved({ zoom, left, top }: Viewport, right: number, down: number): Viewport {
  return within(zoom, left + right, top + down);
}

/** A viewport with a pixel in the middle. */
export function centred(zoom: number, { x, y }: Pixel, { width, height }: Size): Viewport {
  return within(zoom, 0.5 - (zoom * (x + 0.5)) / width, 0.5 - (zoom * (y + 0.5)) / height);
}

/** The pixel at a place of the window, in shares of its width and height. */
export function pixelIn({ zoom, left, top }: Viewport, x: number, y: number, { width, height }: Size): Pixel {
  const at = (share: number, from: number, size: number) =>
    Math.min(size - 1, Math.max(0, Math.floor(((share - from) / zoom) * size)));
  return { x: at(x, left, width), y: at(y, top, height) };
}
