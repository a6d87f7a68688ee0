import { fromCss } from './colour.ts';
import type { Palette } from './palette.ts';

/** The packed colours of slices, by colour × LEVELS + level as in a palette. */
export interface SliceColours {
  readonly slices: Uint32Array;
  readonly lifted: Uint32Array;
}

/** Packs CSS colours into four bytes in memory order: red, green, blue, alpha. Caches results. */
export interface Colours {
  one(css: string): number;
  of(palette: Palette): SliceColours;
}

/** A converter with an empty cache. */
export function createColours(): Colours {
  const known = new Map<string, number>();
  const tables = new WeakMap<Palette, SliceColours>();
  const bytes = new Uint8Array(4);
  const packed = new Uint32Array(bytes.buffer);
  const one = (css: string): number => {
    const before = known.get(css);
    if (before !== undefined) return before;
    bytes.set(fromCss(css));
    known.set(css, packed[0]!);
    return packed[0]!;
  };
  return {
    one,
    of: (palette: Palette) => {
      let table = tables.get(palette);
      if (!table) {
        table = { slices: Uint32Array.from(palette.slices, one), lifted: Uint32Array.from(palette.lifted, one) };
        tables.set(palette, table);
      }
      return table;
    },
  };
}
