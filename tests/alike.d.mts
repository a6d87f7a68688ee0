import type { JSHandle, Page } from '@playwright/test';
import type { Shortcuts } from '../web/features/pictures/protocol.ts';

/** What the page answers about the picture after a call. */
export interface Pictured {
  readonly picture: {
    readonly width: number;
    readonly height: number;
    readonly pixels: Uint8ClampedArray;
    readonly halted: string;
  } | null;
  readonly failures: readonly { readonly call: number; readonly log: string }[];
  readonly refusals: readonly { readonly call: number; readonly what: string }[];
  readonly error: string;
}

/** The picture after a call, with the usual shortcuts or others. `patience`: milliseconds that the GPU may take, or as long as is usual. */
export function pictured(
  page: Page,
  call: number,
  shortcuts?: Shortcuts,
  patience?: number,
): Promise<JSHandle<Pictured>>;

/** Asks for a picture, and resolves to the answer. Runs in the page, and names nothing outside itself. */
export function askPicture(question: { readonly call: number }): Promise<Pictured>;

/** A fixture and a call after which eight squares show parts of the fixed function. */
export const FIXED: { readonly trace: string; readonly call: number };

/** The colours of pixels in each square, as a native replay has them. */
export const SQUARES: readonly string[];

/** The colours in a picture, in the form of {@link SQUARES}. Runs in the page, and names nothing outside itself. */
export function squaresOf(answer: Pictured): string[];

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

/** Compares the picture that the page answered with a PNG. What else the page answered is kept, and why the picture ends before the call. */
export function compare(
  answer: JSHandle<Pictured>,
  png: string,
): Promise<Compared & Pick<Pictured, 'failures' | 'refusals' | 'error'> & { readonly halted: string }>;

/**
 * Whether a picture is alike: it has `least` decibels, or 99.5 % of its pixels are near, and of those that have not the most frequent
 * colour. `share` and `ofRest` are other shares of the two.
 */
export function isAlike(compared: Compared, least: number, share?: number, ofRest?: number): boolean;
