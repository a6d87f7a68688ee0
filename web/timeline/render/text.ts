import { visible } from '../../base/texts.ts';
import type { Pen } from './pen.ts';

/** Fits text into a width by adding up the cached widths of its characters. */
export interface TextFitter {
  /**
   * The whole text if it fits `width` CSS pixels, else a part with an ellipsis, or '' if fewer than two characters fit. It has escapes for
   * characters that have no shape.
   */
  fitted(text: string, width: number): string;
}

/** Minimum number of characters of a cut text. */
const LEAST = 2;

function isAddress(text: string): boolean {
  return text.length > 4 && text.startsWith('0x') && !text.includes(' ');
}

/**
 * A fitter for a context with its font set and kerning off (`fontKerning = 'none'`), so that widths add up. Measuring
 * whole names would be slow, since zooming changes the widths in each frame.
 */
export function createTextFitter(context: Pen): TextFitter {
  const widths = new Map<string, number>();
  /** Whether any text had characters that have no shape. Few do, and labels are fitted in each frame. */
  let hasInvisible = false;
  const widthOf = (character: string): number => {
    const known = widths.get(character);
    if (known !== undefined) return known;
    const label = visible(character);
    if (label !== character) hasInvisible = true;
    const { width } = context.measureText(label);
    widths.set(character, width);
    return width;
  };
  /** Cuts the start of an address, because addresses of one program differ at the end. */
  const fittedAtEnd = (text: string, width: number, ellipsis: number): string => {
    let used = 0;
    let cut = text.length;
    for (let i = text.length - 1; i >= 0; i -= 1) {
      used += widthOf(text.charAt(i));
      if (used > width) return text.length - cut >= LEAST ? `…${text.slice(cut)}` : '';
      if (used + ellipsis <= width) cut = i;
    }
    return text;
  };
  const fittedPart = (text: string, width: number) => {
    const ellipsis = widthOf('…');
    if (isAddress(text)) return fittedAtEnd(text, width, ellipsis);
    let used = 0;
    let cut = 0;
    let characters = 0;
    let at = 0;
    for (const character of text) {
      used += widthOf(character);
      if (used > width) return characters >= LEAST ? `${text.slice(0, cut)}…` : '';
      at += character.length;
      if (used + ellipsis <= width) {
        cut = at;
        characters += 1;
      }
    }
    return text;
  };
  return {
    fitted: (text, width) => {
      const part = fittedPart(text, width);
      return hasInvisible ? visible(part) : part;
    },
  };
}
