import type { JSHandle, Page } from '@playwright/test';
import type { How } from '../../web/model/replay.ts';

/** What the page answers about the picture after a call. `how`: as in `How` of `web/model/replay.ts`. */
export interface Pictured {
  readonly picture: { readonly width: number; readonly height: number; readonly pixels: Uint8ClampedArray } | null;
  readonly failures: readonly { readonly call: number; readonly log: string }[];
  readonly refusals: readonly { readonly call: number; readonly what: string }[];
  readonly error: string;
}

export function pictured(page: Page, call: number, how: Partial<How> = {}): Promise<JSHandle<Pictured>> {
  return page.evaluateHandle(
    (question) =>
      new Promise<Pictured>((resolve) => {
        const hear = ({ data }: MessageEvent) => {
          if (data?.type !== 'unspool:pictured') return;
          window.removeEventListener('message', hear);
          resolve(data);
        };
        window.addEventListener('message', hear);
        window.postMessage({ type: 'unspool:picture', ...question });
      }),
    { call, ...how },
  );
}

/** Hashes of the pictures after calls. */
export async function hashes(page: Page, calls: readonly number[], how: Partial<How>): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for (const call of calls) {
    const answer = await pictured(page, call, how);
    const hash = await answer.evaluate(({ picture, refusals, error }) => {
      let sum = 2166136261;
      for (const byte of picture?.pixels ?? []) sum = Math.imul(sum ^ byte, 16777619);
      return `${picture?.width}x${picture?.height} ${sum} ${JSON.stringify(refusals)} ${error}`;
    });
    await answer.dispose();
    found.push([call, hash]);
  }
  return found;
}
