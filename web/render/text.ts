/** Fits names into slices: measures each character once and adds up. */
export interface TextFitter {
  /** The whole text, or as much of it as fits `width` CSS pixels with an ellipsis, or '' when next to nothing does. */
  fitted(text: string, width: number): string;
}

/** Fewer characters than this tell nothing. */
const LEAST = 2;

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
  return {
    fitted: (text, width) => {
      const ellipsis = widthOf('…');
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
