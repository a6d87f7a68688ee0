import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { open, test } from './page.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/apitrace');
const PICTURES = join(CORPUS, 'pictures');

/** SwiftShader: WebGL2 that draws the same on every machine. */
test.use({
  launchOptions: {
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-quic',
      '--no-first-run',
    ],
  },
});
test.describe.configure({ mode: 'default' });
test.setTimeout(180_000);

const PATHS: Readonly<Record<string, string>> = {
  glmark2_medium: 'recorded',
  glmix_3f: 'recorded',
  glxgears_3s: 'recorded',
  glxgears_trim_21f: 'recorded',
  glxsimple: 'fetched',
  glthreads: 'fetched',
  tri_glsl: 'fetched',
  gtk4_widgets: 'modern',
};

/** Pictures of first frames whose window was not there yet: the native replay shows nothing there. */
const WITHOUT_WINDOW = ['glthreads.156'];

interface Compared {
  readonly size: string;
  /** Decibels; null for equal pictures. */
  readonly psnr: number | null;
  /** Share of pixels within 16 levels. */
  readonly near: number;
  readonly failures: readonly { readonly call: number; readonly log: string }[];
  readonly error: string;
}

/** Compares the picture after a call with a PNG, in the page. */
async function compare(page: Page, call: number, png: string): Promise<Compared> {
  const base64 = readFileSync(png).toString('base64');
  return page.evaluate(
    async ([number, content]) => {
      const answer = await new Promise<Record<string, unknown>>((resolve) => {
        const hear = ({ data }: MessageEvent) => {
          if (data?.type !== 'unspool:pictured') return;
          window.removeEventListener('message', hear);
          resolve(data);
        };
        window.addEventListener('message', hear);
        window.postMessage({ type: 'unspool:picture', call: number });
      });
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }), {
        colorSpaceConversion: 'none',
      });
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d')!;
      context.drawImage(bitmap, 0, 0);
      const wanted = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
      const picture = answer['picture'] as { width: number; height: number; pixels: Uint8ClampedArray } | null;
      const rest = { failures: answer['failures'] as [], error: answer['error'] as string };
      if (!picture || picture.pixels.length !== wanted.length)
        return {
          size: `${picture?.width}x${picture?.height}, not ${bitmap.width}x${bitmap.height}`,
          psnr: 0,
          near: 0,
          ...rest,
        };
      let [sum, near] = [0, 0];
      for (let i = 0; i < wanted.length; i += 4) {
        let most = 0;
        for (let c = 0; c < 3; c += 1) {
          const difference = Math.abs(wanted[i + c]! - picture.pixels[i + c]!);
          sum += difference * difference;
          most = Math.max(most, difference);
        }
        if (most <= 16) near += 1;
      }
      const mean = sum / (wanted.length / 4) / 3;
      const size = `${picture.width}x${picture.height}`;
      return {
        size,
        psnr: mean === 0 ? null : 10 * Math.log10((255 * 255) / mean),
        near: near / (wanted.length / 4),
        ...rest,
      };
    },
    [call, base64] as const,
  );
}

/** The pictures in a folder by trace: calls, ascending. */
function picturesOf(folder: string): Map<string, number[]> {
  const all = new Map<string, number[]>();
  if (!existsSync(folder)) return all;
  for (const name of readdirSync(folder).sort()) {
    const [, trace, call] = /^(\w+)\.(\d+)\.png$/.exec(name) ?? [];
    if (trace && call) all.set(trace, [...(all.get(trace) ?? []), Number(call)]);
  }
  return all;
}

for (const [folder, least] of [
  [PICTURES, 40],
  [join(PICTURES, 'draws'), 35],
] as const) {
  const what = least === 40 ? 'frames' : 'draws in the middle of frames';
  for (const trace of Object.keys(PATHS)) {
    test(`${what} of ${trace} look as in a native replay`, async ({ page }) => {
      const calls = picturesOf(folder).get(trace) ?? [];
      const path = join(CORPUS, PATHS[trace]!, `${trace}.trace`);
      test.skip(calls.length === 0 || !existsSync(path), `the pictures of ${trace} are missing`);
      await open(page, path);
      const wrong: string[] = [];
      for (const call of calls.filter((each) => !WITHOUT_WINDOW.includes(`${trace}.${each}`))) {
        const png = join(folder, `${trace}.${String(call).padStart(10, '0')}.png`);
        const { size, psnr, near, failures, error } = await compare(page, call, png);
        const good = psnr === null || psnr >= least || near >= 0.995;
        const about = `${call}: ${size}, ${psnr?.toFixed(1) ?? 'equal'} dB, ${(near * 100).toFixed(2)} %`;
        if (!good || failures.length > 0 || error)
          wrong.push(`${about} ${error} ${JSON.stringify(failures).slice(0, 1500)}`);
      }
      expect(wrong).toEqual([]);
    });
  }
}
