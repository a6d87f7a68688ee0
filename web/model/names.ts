import { hashText } from '../base/hash.ts';

/** Number of slice colours: 8 hues × 2 lightnesses. */
export const COLOURS = 16;

/** The names of a trace by id, each with its colour. Grows as the worker sends names. */
export interface Names {
  readonly text: readonly string[];
  /** The colour of each id, 0 to {@link COLOURS} - 1. A larger array replaces it as it grows. */
  readonly colour: Uint8Array;
  add(first: number, names: readonly string[]): void;
  /** The name, or '' for an unknown id. */
  of(id: number): string;
}

/** No names yet. */
export function createNames(): Names {
  const text: string[] = [];
  let colour = new Uint8Array(256);
  return {
    text,
    get colour() {
      return colour;
    },
    add: (first, names) => {
      if (first + names.length > colour.length) {
        const larger = new Uint8Array(Math.max(colour.length * 2, first + names.length));
        larger.set(colour);
        colour = larger;
      }
      names.forEach((name, i) => {
        text[first + i] = name;
        colour[first + i] = colourOf(name);
      });
    },
    of: (id) => text[id] ?? '',
  };
}

/**
 * The colour of a name, 0 to {@link COLOURS} - 1, the same in every trace. Names that differ only in a number (`frame
 * 1`, `frame 2`) share a hue and alternate in lightness: separate hues would suggest a meaning.
 */
export function colourOf(name: string): number {
  const number = numberOf(name);
  if (number === '') return hashText(name) % COLOURS;
  const odd = Number(number.at(-1)) & 1;
  return ((hashText(name.slice(0, -number.length - 1)) % COLOURS) & ~1) | odd;
}

/** The number at the end of a name: `12` of `frame 12`. Returns '' for other names. */
export function numberOf(name: string): string {
  return /^.*\D (\d+)$/.exec(name)?.[1] ?? '';
}
