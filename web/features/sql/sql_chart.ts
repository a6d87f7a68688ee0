import type { SqlValue } from '../../base/sql.ts';
import { sqlText } from '../../base/sql.ts';

type Row = readonly SqlValue[];

/** What a chart shows of a result: two columns by number. */
export interface ChartChoice {
  readonly x: number;
  readonly y: number;
  readonly kind: 'bars' | 'line';
}

/** Most bars. */
export const MOST_BARS = 200;
/** Rows whose values say what a column holds. */
const SEEN = 1000;
/** More numbers than this along the x axis are a line. */
const FEW = 24;

/** Names of columns of positions. */
const POSITIONS = /^(?:start|end|time|x|step|first|last|.*_?start(?:_s)?|time_s|transition_id)$/i;

/** Numbers of the columns that hold numbers only, and some. */
export function numberColumns(names: readonly string[], rows: readonly Row[]): readonly number[] {
  const seen = rows.slice(0, SEEN);
  return names
    .map((_, column) => column)
    .filter((column) => {
      const values = seen.map((row) => row[column] ?? null).filter((value) => value !== null);
      return values.length > 0 && values.every((value) => typeof value === 'bigint' || typeof value === 'number');
    });
}

/** What to show of a result: the first text, or else the first number, along x; the next number along y. null without numbers. */
export function chartOf(names: readonly string[], rows: readonly Row[]): ChartChoice | null {
  const numbers = numberColumns(names, rows);
  const text = names.findIndex((_, column) => typeof rows[0]?.[column] === 'string');
  const ids = /^(?:id|slice|record|track|parent|.*_id)$/i;
  const telling = numbers.filter((column) => !ids.test(names[column]!));
  const along = text >= 0 ? text : (telling[0] ?? numbers[0]);
  const lengths = telling.filter((column) => column !== along);
  // Where something begins says less than how long or how often it is.
  const y =
    lengths.find((column) => !POSITIONS.test(names[column]!)) ??
    lengths[0] ??
    numbers.find((column) => column !== along) ??
    numbers[0];
  if (along === undefined || y === undefined) return null;
  return { x: along, y, kind: text < 0 && rows.length > FEW ? 'line' : 'bars' };
}

/** A bar: its label, its value, and its length and beginning as shares of the width. */
export interface Bar {
  readonly row: number;
  readonly label: string;
  readonly value: SqlValue;
  readonly from: number;
  readonly length: number;
}

/** Bars of the first rows in an order, at most {@link MOST_BARS}. Rows without a number have none. */
export function barsOf(rows: readonly Row[], order: ArrayLike<number>, { x, y }: ChartChoice): readonly Bar[] {
  const chosen: { row: number; value: number }[] = [];
  for (let i = 0; i < order.length && chosen.length < MOST_BARS; i += 1) {
    const value = numberOf(rows[order[i]!]![y]);
    if (value !== null) chosen.push({ row: order[i]!, value });
  }
  const low = Math.min(0, ...chosen.map(({ value }) => value));
  const high = Math.max(0, ...chosen.map(({ value }) => value));
  const width = high - low || 1;
  return chosen.map(({ row, value }) => ({
    row,
    label: rows[row]![x] === null ? 'NULL' : sqlText(rows[row]![x] ?? null),
    value: rows[row]![y] ?? null,
    from: (Math.min(0, value) - low) / width,
    length: Math.abs(value) / width,
  }));
}

/** A point of a line, as shares of width and height from the lower left, with its row. */
export interface Point {
  readonly row: number;
  readonly x: number;
  readonly y: number;
}

/** A line with the ends of its axes. */
export interface Line {
  readonly points: readonly Point[];
  readonly x: readonly [low: number, high: number];
  readonly y: readonly [low: number, high: number];
}

/**
 * A line through the rows by x. Of rows in the same of `pixels` columns only the first, the last, the lowest and the highest remain,
 * which look the same. null without two numbers in a row.
 */
export function lineOf(rows: readonly Row[], { x, y }: ChartChoice, pixels: number): Line | null {
  const all: { row: number; at: number; value: number }[] = [];
  rows.forEach((cells, row) => {
    const [at, value] = [numberOf(cells[x]), numberOf(cells[y])];
    if (at !== null && value !== null) all.push({ row, at, value });
  });
  if (all.length === 0) return null;
  all.sort((a, b) => a.at - b.at || a.row - b.row);
  const [first, last] = [all[0]!.at, all[all.length - 1]!.at];
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { value } of all) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  // A line of positive values stands on 0, unless they differ by little.
  if (low > 0 && low < high / 2) low = 0;
  const [width, height] = [last - first || 1, high - low || 1];
  const placed = (i: number): Point => {
    const { row, at, value } = all[i]!;
    return { row, x: (at - first) / width, y: high === low ? 0.5 : (value - low) / height };
  };
  const points: Point[] = [];
  for (let i = 0; i < all.length; ) {
    const column = Math.floor(((all[i]!.at - first) / width) * pixels);
    let [end, lowest, highest] = [i, i, i];
    while (end < all.length && Math.floor(((all[end]!.at - first) / width) * pixels) === column) {
      if (all[end]!.value < all[lowest]!.value) lowest = end;
      if (all[end]!.value > all[highest]!.value) highest = end;
      end += 1;
    }
    const kept = [...new Set([i, lowest, highest, end - 1])].sort((a, b) => a - b);
    points.push(...kept.map(placed));
    i = end;
  }
  return { points, x: [first, last], y: [low, high] };
}

function numberOf(value: SqlValue | undefined): number | null {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** The unit of the values of a column, with a space before it; '' if its name does not say it. `ticks` is that of lengths. */
export function unitOf(name: string, ticks: string): string {
  if (/(?:^|_)(?:s|seconds)$/i.test(name)) return ' s';
  if (/(?:^|_)bytes$/i.test(name)) return ' bytes';
  return /^(?:start|dur)$/i.test(name) && ticks !== '' ? ` ${ticks}` : '';
}
