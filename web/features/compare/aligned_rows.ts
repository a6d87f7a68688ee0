import type { Hunk, Thread } from './records.ts';

/** A row of two lists beside each other: the numbers of the records in their thread, null for a gap. */
export interface AlignedRow {
  readonly a: number | null;
  readonly b: number | null;
  /** `alike`: the same but for arguments. `only`: without a counterpart. */
  readonly how: 'same' | 'alike' | 'only';
}

/** The rows of a thread of both traces. Memory is that of its differences, not that of its rows. */
export interface AlignedRows {
  readonly count: number;
  /** A row from 0 to `count`, exclusive. */
  row(number: number): AlignedRow;
  /** The row of a record of A and of one of B, whichever comes first. A record after the last one is at the end. */
  rowOf(a: number, b: number): number;
}

/** A stretch of rows that are alike in kind: where it begins, as a row, a record of A and one of B. Without a side, that is -1. */
interface Stretch {
  readonly row: number;
  readonly a: number;
  readonly b: number;
  readonly how: AlignedRow['how'];
}

/** The rows of a thread. */
export function alignRows({ lengths, alike }: Thread, hunks: readonly Pick<Hunk, 'a' | 'b'>[]): AlignedRows {
  const stretches: Stretch[] = [];
  let [row, a, b, pair] = [0, 0, 0, 0];
  /** Adds rows up to a record of A and one of B. */
  const both = (length: number, how: AlignedRow['how']) => {
    if (length > 0) stretches.push({ row, a, b, how });
    row += length;
    a += length;
    b += length;
  };
  const each = (toA: number, toB: number) => {
    if (toA > a) stretches.push({ row, a, b: -1, how: 'only' });
    row += toA - a;
    a = toA;
    if (toB > b) stretches.push({ row, a: -1, b, how: 'only' });
    row += toB - b;
    b = toB;
  };
  for (const hunk of hunks) {
    both(hunk.a[0] - a, 'same');
    for (; pair < alike.length && alike[pair]! < hunk.a[1] && alike[pair + 1]! < hunk.b[1]; pair += 3) {
      each(alike[pair]!, alike[pair + 1]!);
      both(alike[pair + 2]!, 'alike');
    }
    each(hunk.a[1], hunk.b[1]);
  }
  both(Math.min(lengths[0] - a, lengths[1] - b), 'same');
  const count = row;
  /** The last stretch that begins at or before a place. */
  const last = (isBefore: (stretch: Stretch) => boolean) => {
    let [low, high] = [0, stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(stretches[middle]!)) low = middle + 1;
      else high = middle;
    }
    return stretches[low - 1];
  };
  return {
    count,
    row: (number) => {
      const of = last((stretch) => stretch.row <= number);
      if (!of) return { a: null, b: null, how: 'same' };
      const at = number - of.row;
      return { a: of.a < 0 ? null : of.a + at, b: of.b < 0 ? null : of.b + at, how: of.how };
    },
    rowOf: (toA, toB) => {
      // Stretches without a side begin where the records of that side go on.
      let [first, nextA, nextB] = [count, 0, 0];
      for (const [i, stretch] of stretches.entries()) {
        const length = (stretches[i + 1]?.row ?? count) - stretch.row;
        if (stretch.a >= 0) {
          nextA = stretch.a + length;
          if (toA >= stretch.a && toA < nextA) first = Math.min(first, stretch.row + toA - stretch.a);
        }
        if (stretch.b >= 0) {
          nextB = stretch.b + length;
          if (toB >= stretch.b && toB < nextB) first = Math.min(first, stretch.row + toB - stretch.b);
        }
        if (nextA > toA && nextB > toB) break;
      }
      return first;
    },
  };
}
