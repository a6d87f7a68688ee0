/** Fits names into slices: measures each character once and adds up. */
export interface TextFitter {
  /** The whole text, or as much of it as fits `width` CSS pixels with an ellipsis, or '' when next to nothing does. */
  fitted(text: string, width: number): string;
}

/** Fewer characters than this tell nothing. */
const LEAST = 2;

function isAddress(text: string): boolean {
  return text.length > 4 && text.startsWith('0x') && !text.includes(' ');
}

/**
 * A fitter for a context whose font is set and has kerning off (`fontKerning = 'none'`), so that widths add up.
 * Measuring whole names would cost a layout for each width that a zoom passes through.
 */
export function createTextFitter(context: CanvasRenderingContext2D): TextFitter {
  const widths = new Map<string, number>();
  const widthOf = (character: string): number => {
    const known = widths.get(character);
    if (known !== undefined) return known;
    const width = context.measureText(character).width;
    widths.set(character, width);
    return width;
  };
  /** Addresses of one program begin alike and differ at the end. */
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
  return {
    fitted: (text, width) => {
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
    },
  };
}
