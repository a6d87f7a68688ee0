import type { Texts } from '../worker/wasm/unspool_browser.js';
import { PORTION } from './portion.ts';

export type { Texts } from '../worker/wasm/unspool_browser.js';

/** The texts one by one. */
export function textsOf({ all, ends }: Texts): string[] {
  const hasInvisible = all.search(INVISIBLE) >= 0;
  return Array.from(ends, (end, i) => {
    const text = all.slice(ends[i - 1] ?? 0, end);
    return hasInvisible ? visible(text) : text;
  });
}

/**
 * Characters without a shape of their own, as `is_invisible` of `crate/trace` has them: with them, what is shown differs from what is
 * there. Selectors of variants and joiners are among them, also those of emoji: most often the shape is the one without them, as where
 * the font has none for all that are joined.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\u{16fe4}\u{1d159}]/gu;

/** A text with escapes for characters that have no shape, but for those of `lines`. */
export function visible(text: string, lines = ''): string {
  return text.replace(INVISIBLE, (character) =>
    lines.includes(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
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
