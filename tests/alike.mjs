// Pictures that the page replays, and how near they are to those of the driver: for the browser tests and scripts/record_programs.mjs.

import { readFileSync } from 'node:fs';

/** Levels within which a pixel is alike. */
const LEVELS = 16;
/** Share of pixels that is alike in a picture that is. */
const SHARE = 0.995;

/** Asks the page for the picture after a call. See `alike.d.mts`. */
export function pictured(page, call, shortcuts, patience) {
  return page.evaluateHandle(askPicture, { call, shortcuts, patience });
}

/** Runs in the page. See `alike.d.mts`. */
export function askPicture(question) {
  return new Promise((resolve) => {
    const hear = ({ data }) => {
      if (data?.type !== 'unspool:pictured') return;
      window.removeEventListener('message', hear);
      resolve(data);
    };
    window.addEventListener('message', hear);
    window.postMessage({ type: 'unspool:picture', ...question });
  });
}

/** See `alike.d.mts`. */
export const FIXED = { trace: 'replay_fixed.trace', call: 186 };
const all = (color) => Array(7).fill(color).join(' ');
/** See `alike.d.mts`. */
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

/** Runs in the page. See `alike.d.mts`. */
export function squaresOf({ picture }) {
  return Array.from({ length: 8 }, (_, i) => {
    const at = (x, y) => {
      const from = 4 * (256 * (64 * (1 - (i >> 2)) + y) + 64 * (i & 3) + x);
      return [...(picture?.pixels.slice(from, from + 3) ?? [])].map((channel) => (channel > 127 ? 1 : 0)).join('');
    };
    // Both halves, the four quarters of the point in the middle, and what is beside it.
    return [at(10, 32), at(50, 32), at(28, 28), at(36, 28), at(28, 36), at(36, 36), at(20, 20)].join(' ');
  });
}

/** Compares what the page answered about a picture (a handle) with a PNG. See `alike.d.mts`. */
export function compare(answer, png) {
  return answer.evaluate(
    async ({ picture, failures, refusals, error }, [content, levels]) => {
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }), {
        colorSpaceConversion: 'none',
      });
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
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
    [readFileSync(png).toString('base64'), LEVELS],
  );
}

/** Whether a picture is alike. See `alike.d.mts`. */
export function isAlike({ psnr, near, nearOfRest }, least, share = SHARE, ofRest = SHARE) {
  return psnr === null || psnr >= least || (near >= share && nearOfRest >= ofRest);
}
