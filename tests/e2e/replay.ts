import type { Page } from '@playwright/test';
import type { Shortcuts } from '../../web/features/pictures/protocol.ts';
import { pictured } from '../alike.mjs';

/** Hashes of the pictures after calls. */
export async function hashes(page: Page, calls: readonly number[], shortcuts?: Shortcuts): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for (const call of calls) {
    const answer = await pictured(page, call, shortcuts);
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

/** Runs code in each worker of the page, from the next navigation on: before the worker is asked for anything. */
export async function addToWorkers(page: Page, code: string): Promise<void> {
  await page.addInitScript((last) => {
    const { Blob: Whole } = window;
    window.Blob = class extends Whole {
      constructor(parts: BlobPart[] = [], options?: BlobPropertyBag) {
        super(options?.type === 'text/javascript' ? [...parts, `\n${last};\n`] : parts, options);
      }
    };
  }, code);
}

/** A replay that leaves nothing out. */
export const WHOLE: Shortcuts = { skips: false, copyMs: Number.POSITIVE_INFINITY, keepCalls: null };
