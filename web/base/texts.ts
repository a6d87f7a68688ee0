import type { Texts } from '../worker/wasm/unspool_browser.js';
import { PORTION } from './portions.ts';

export type { Texts } from '../worker/wasm/unspool_browser.js';

/** The texts one by one. */
export function textsOf({ all, ends }: Texts): string[] {
  const show = INVISIBLE.test(all) ? visible : (text: string) => text;
  return Array.from(ends, (end, i) => show(all.slice(ends[i - 1] ?? 0, end)));
}

/**
 * Characters without a shape of their own, as `is_invisible` of `crate/trace` has them: with them, what is shown differs from what is
 * there.
 */
const INVISIBLE =
  /\p{Cc}|\u{ad}|\u{34f}|\u{61c}|\u{115f}|\u{1160}|\u{17b4}|\u{17b5}|[\u{180b}-\u{180f}]|[\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}]|\u{3164}|\u{feff}|\u{ffa0}|[\u{fff9}-\u{fffb}]|[\u{e0000}-\u{e0fff}]/u;

/** A text with escapes for characters that have no shape. */
export function visible(text: string): string {
  const escapeOf = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return INVISIBLE.test(text) ? text.replace(new RegExp(INVISIBLE, 'gu'), escapeOf) : text;
}

/** A text for each of `count` numbers, as one that crosses to a worker without a copy of each. The page draws meanwhile. */
export async function joinTexts(count: number, textOf: (i: number) => string): Promise<Texts> {
  const ends = new Uint32Array(count);
  let content = '';
  for (let i = 0; i < count; i += 1) {
    if (i > 0 && i % PORTION === 0) await new Promise((resolve) => setTimeout(resolve));
    content += textOf(i);
    ends[i] = content.length;
  }
  return { all: content, ends };
}

/** One of the texts; '' if there is none with this number. */
export function textAt(texts: Texts, i: number): string {
  const { ends } = texts;
  return i >= 0 && i < ends.length ? texts.all.slice(ends[i - 1] ?? 0, ends[i]) : '';
}
