import type { JSHandle } from '@playwright/test';

/** How near a picture is to another one. */
export interface Compared {
  /** Width and height, or both sizes if they differ. */
  readonly size: string;
  /** Decibels; null for equal pictures. */
  readonly psnr: number | null;
  /** Share of pixels within 16 levels. */
  readonly near: number;
  /** The same of those that have not the most frequent colour: a black picture is near to one with some text on black. */
  readonly nearOfRest: number;
}

/** Compares the picture that the page answered with a PNG. What else the page answered is kept. */
export function compare<
  T extends {
    readonly picture: { readonly width: number; readonly height: number; readonly pixels: Uint8ClampedArray } | null;
    readonly failures: readonly object[];
    readonly refusals: readonly object[];
    readonly error: string;
  },
>(answer: JSHandle<T>, png: string): Promise<Compared & Pick<T, 'failures' | 'refusals' | 'error'>>;

/**
 * Whether a picture is alike: it has `least` decibels, or 99.5 % of its pixels are near, and of those that have not the most frequent
 * colour. `share` and `ofRest` are other shares of the two.
 */
export function isAlike(compared: Compared, least: number, share?: number, ofRest?: number): boolean;
