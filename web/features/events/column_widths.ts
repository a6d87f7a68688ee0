/* How wide the columns of the list of records are. */

import type { RecordColumn } from '../../base/protocol.ts';

/** Widths of columns in characters. */
const NARROWEST = 5;
const WIDEST = 72;
/** The share of the rows whose texts a column shows whole. */
const MOST = 0.97;
/** Texts up to this length have a column that shows every one of them whole: it costs little. */
const SHORT = 20;
/** CSS pixels that a column keeps where there is no room for all. */
const LEAST = 150;
/** CSS pixels of a character of the table, and of the space around a cell's text. */
const CHARACTER = 7.3;
const AROUND = 18;

/** The widths of columns in CSS pixels, and the column that takes what is left. */
export interface Widths {
  readonly pixels: readonly number[];
  readonly flexible: number;
}

/**
 * Columns as wide as most texts of the `rows` need: one long text does not squeeze the other columns. That of positions has room for
 * the `last` one, too.
 */
export function columnWidths(
  columns: readonly RecordColumn[],
  rows: readonly (readonly string[])[],
  last = '',
): Widths {
  const characters = columns.map(({ label, shows }, i) => {
    const lengths = rows.map((texts) => texts[i]!.length).sort((a, b) => a - b);
    const longest = lengths.at(-1) ?? 0;
    const most = longest <= SHORT ? longest : (lengths[Math.floor(lengths.length * MOST)] ?? 0);
    return Math.min(WIDEST, Math.max(NARROWEST, label.length, most, shows === 'position' ? last.length : 0));
  });
  return {
    pixels: characters.map((count) => Math.ceil(widthOf(count))),
    flexible: characters.lastIndexOf(Math.max(...characters)),
  };
}

/** The widths of columns in a room of CSS pixels. If it is too small, the widest columns give way first. */
export function fitted(pixels: readonly number[], room: number): readonly number[] {
  let [left, columns] = [room, pixels.length];
  for (const width of [...pixels].sort((a, b) => a - b)) {
    if (width * columns > left) {
      const most = Math.max(LEAST, Math.floor(left / columns));
      return pixels.map((wanted) => Math.min(wanted, most));
    }
    left -= width;
    columns -= 1;
  }
  return pixels;
}

/** Whether a column of this width in CSS pixels shows a text whole. */
export function fits(text: string, width: number): boolean {
  return widthOf(text.length) <= width;
}

function widthOf(characters: number): number {
  return characters * CHARACTER + AROUND;
}
