// Pictures that the page replays, and how near they are to those of the driver: for the browser tests and scripts/record_programs.mjs.

import { readFileSync } from 'node:fs';

/** @import { JSHandle, Page } from '@playwright/test' */
/** @import { Shortcuts } from '../web/features/pictures/protocol.ts' */

/**
 * What the page answers about the picture after a call.
 *
 * @typedef {object} Pictured
 * @property {{ readonly width: number, readonly height: number, readonly pixels: Uint8ClampedArray<ArrayBuffer>,
 *   readonly halted: string } | null} picture
 * @property {readonly { readonly call: number, readonly log: string }[]} failures
 * @property {readonly { readonly call: number, readonly what: string }[]} refusals
 * @property {string} error
 */

/**
 * How near a picture is to another one.
 *
 * @typedef {object} Compared
 * @property {string} size Width and height, or both sizes if they differ.
 * @property {number | null} psnr Decibels; null for equal pictures.
 * @property {number} near Share of pixels within 16 levels.
 * @property {number} nearOfRest The same of those that have not the most frequent colour: a black picture is near to one with some text on
 *   black.
 */

/** Levels within which a pixel is alike. */
const LEVELS = 16;
/** Share of pixels that is alike in a picture that is. */
const SHARE = 0.995;

/**
 * The picture after a call, with the usual shortcuts or others. `patience`: milliseconds that the GPU may take, or as long as is usual.
 *
 * @param {Page} page
 * @param {number} call
 * @param {Shortcuts} [shortcuts]
 * @param {number} [patience]
 * @returns {Promise<JSHandle<Pictured>>}
 */
export function pictured(page, call, shortcuts, patience) {
  return page.evaluateHandle(askPicture, { call, shortcuts, patience });
}

/**
 * Asks for a picture, and resolves to the answer. Runs in the page, and names nothing outside itself.
 *
 * @param {{ readonly call: number, readonly shortcuts?: Shortcuts | undefined, readonly patience?: number | undefined }} question
 * @returns {Promise<Pictured>}
 */
export function askPicture(question) {
  return new Promise((resolve) => {
    /** @param {MessageEvent} event */
    const hear = ({ data }) => {
      if (data?.type !== 'unspool:pictured') return;
      window.removeEventListener('message', hear);
      resolve(data);
    };
    window.addEventListener('message', hear);
    window.postMessage({ type: 'unspool:picture', ...question });
  });
}

/** A fixture and a call after which eight squares show parts of the fixed function. */
export const FIXED = { trace: 'replay_fixed.trace', call: 186 };
/** @param {string} color */
const all = (color) => Array(7).fill(color).join(' ');
/**
 * The colours of pixels in each square, as a native replay has them.
 *
 * @type {readonly string[]}
 */
export const SQUARES = [
  '001 111 001 111 001 111 001',
  all('100'),
  all('110'),
  all('111'),
  all('010'),
  all('100'),
  all('010'),
  '001 001 100 010 110 111 001',
];

/**
 * The colours in a picture, in the form of {@link SQUARES}. Runs in the page, and names nothing outside itself.
 *
 * @param {Pictured} answer
 */
export function squaresOf({ picture }) {
  return Array.from({ length: 8 }, (_, i) => {
    /** @type {(x: number, y: number) => string} */
    const at = (x, y) => {
      const from = 4 * (256 * (64 * (1 - (i >> 2)) + y) + 64 * (i & 3) + x);
      return [...(picture?.pixels.slice(from, from + 3) ?? [])].map((channel) => (channel > 127 ? 1 : 0)).join('');
    };
    // Both halves, the four quarters of the point in the middle, and what is beside it.
    return [at(10, 32), at(50, 32), at(28, 28), at(36, 28), at(28, 36), at(36, 36), at(20, 20)].join(' ');
  });
}

/**
 * Compares the picture that the page answered with a PNG. What else the page answered is kept, and why the picture ends before the call.
 *
 * @param {JSHandle<Pictured>} answer
 * @param {string} png
 * @returns {Promise<Compared & Pick<Pictured, 'failures' | 'refusals' | 'error'> & { readonly halted: string }>}
 */
export function compare(answer, png) {
  return answer.evaluate(
    async ({ picture, failures, refusals, error }, { content, levels }) => {
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }), {
        colorSpaceConversion: 'none',
      });
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
      context.drawImage(bitmap, 0, 0);
      const wanted = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
      const rest = { failures, refusals, error, halted: picture?.halted ?? '' };
      if (!picture || picture.pixels.length !== wanted.length) {
        const size = `${picture?.width}x${picture?.height}, not ${bitmap.width}x${bitmap.height}`;
        return { size, psnr: 0, near: 0, nearOfRest: 0, ...rest };
      }
      const colors = new Uint32Array(wanted.buffer);
      const counts = new Map();
      for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
      const [[usual] = [0]] = [...counts].sort((a, b) => b[1] - a[1]);
      let [sum, near, rests, nearRests] = [0, 0, 0, 0];
      for (let i = 0; i < wanted.length; i += 4) {
        let most = 0;
        for (let c = 0; c < 3; c += 1) {
          const difference = Math.abs(wanted[i + c] - picture.pixels[i + c]);
          sum += difference * difference;
          most = Math.max(most, difference);
        }
        if (most <= levels) near += 1;
        if (colors[i >> 2] === usual) continue;
        rests += 1;
        if (most <= levels) nearRests += 1;
      }
      const mean = sum / (wanted.length / 4) / 3;
      return {
        size: `${picture.width}x${picture.height}`,
        psnr: mean === 0 ? null : 10 * Math.log10((255 * 255) / mean),
        near: near / (wanted.length / 4),
        nearOfRest: rests > 0 ? nearRests / rests : 1,
        ...rest,
      };
    },
    { content: readFileSync(png).toString('base64'), levels: LEVELS },
  );
}

/**
 * Whether a picture is alike: it has `least` decibels, or 99.5 % of its pixels are near, and of those that have not the most frequent
 * colour. `share` and `ofRest` are other shares of the two.
 *
 * @param {Compared} compared
 * @param {number} least
 */
export function isAlike({ psnr, near, nearOfRest }, least, share = SHARE, ofRest = SHARE) {
  return psnr === null || psnr >= least || (near >= share && nearOfRest >= ofRest);
}
