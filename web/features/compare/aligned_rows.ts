import type { Hunk, Thread } from './records.ts';

/** A row of two lists beside each other: the numbers of the records in their thread, null for a gap. */
export interface AlignedRow {
  readonly a: number | null;
  readonly b: number | null;
  /** `alike`: the same but for arguments. `only`: without a counterpart. `left-out`: ignored, and beside one that is so, too, or a gap. */
  readonly how: 'same' | 'alike' | 'only' | 'left-out';
}

/** The rows of a thread of both traces. Memory is that of its differences, not that of its rows. */
export interface AlignedRows {
  readonly count: number;
  /** A row from 0 to `count`, exclusive. */
  row(number: number): AlignedRow;
  /** The row of a record of A and of one of B, whichever comes first. A record after the last one is at the end. */
  rowOf(a: number, b: number): number;
  /** What both have beside each other, in order. */
  readonly both: readonly Beside[];
}

/** Records of both that are beside each other: the numbers of the first ones, and how many there are. */
export interface Beside {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

/** Stretches of rows that are alike in kind: where each begins, as a row, a record of A and one of B. Without a side, that is -1. */
interface Stretches {
  readonly row: number[];
  readonly a: number[];
  readonly b: number[];
  readonly how: AlignedRow['how'][];
}

/** The rows of a thread. */
export function alignRows(
  { lengths, alike, leftOut }: Pick<Thread, 'lengths' | 'alike' | 'leftOut'>,
  hunks: readonly Pick<Hunk, 'a' | 'b'>[],
): AlignedRows {
  const stretches: Stretches = { row: [], a: [], b: [], how: [] };
  let [row, pair] = [0, 0];
  /** The next record of each side, and which of those that are left out comes next. */
  const at = [0, 0] as [number, number];
  const out = [0, 0] as [number, number];
  const next = (side: 0 | 1) => leftOut[side][out[side]] ?? Number.POSITIVE_INFINITY;
  /** Adds rows of some sides. */
  const add = (sides: readonly (0 | 1)[], length: number, how: AlignedRow['how']) => {
    if (length <= 0) return;
    stretches.row.push(row);
    stretches.a.push(sides.includes(0) ? at[0] : -1);
    stretches.b.push(sides.includes(1) ? at[1] : -1);
    stretches.how.push(how);
    row += length;
    for (const side of sides) {
      at[side] += length;
      if (how === 'left-out') out[side] += length;
    }
  };
  /** How many records in a row are left out, up to one. */
  const run = (side: 0 | 1, to: number) => {
    let length = 0;
    while (at[side] + length < to && leftOut[side][out[side] + length] === at[side] + length) length += 1;
    return length;
  };
  /** Adds rows up to a record of a side. */
  const alone = (side: 0 | 1, to: number) => {
    while (at[side] < to) {
      add([side], Math.min(to, next(side)) - at[side], 'only');
      add([side], run(side, to), 'left-out');
    }
  };
  const each = (toA: number, toB: number) => {
    alone(0, toA);
    alone(1, toB);
  };
  /** Adds rows of the same records up to one of A and one of B. */
  const same = (toA: number, toB: number) => {
    while (at[0] < toA && at[1] < toB) {
      add([0, 1], Math.min(Math.min(toA, next(0)) - at[0], Math.min(toB, next(1)) - at[1]), 'same');
      const [inA, inB] = [run(0, toA), run(1, toB)];
      add([0, 1], Math.min(inA, inB), 'left-out');
      add([0], inA - Math.min(inA, inB), 'left-out');
      add([1], inB - Math.min(inA, inB), 'left-out');
    }
    each(toA, toB);
  };
  for (const hunk of hunks) {
    same(hunk.a[0], hunk.b[0]);
    for (; pair < alike.length && alike[pair]! < hunk.a[1] && alike[pair + 1]! < hunk.b[1]; pair += 3) {
      each(alike[pair]!, alike[pair + 1]!);
      add([0, 1], alike[pair + 2]!, 'alike');
    }
    each(hunk.a[1], hunk.b[1]);
  }
  same(lengths[0], lengths[1]);
  const count = row;
  /** The last stretch that begins at or before a row. */
  const lastAt = (number: number) => {
    let [low, high] = [0, stretches.row.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (stretches.row[middle]! <= number) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  return {
    count,
    get both() {
      return stretches.row.flatMap((begin, i): Beside | never[] => {
        const [a, b] = [stretches.a[i]!, stretches.b[i]!];
        return a < 0 || b < 0 ? [] : { a, b, length: (stretches.row[i + 1] ?? count) - begin };
      });
    },
    row: (number) => {
      const i = lastAt(number);
      if (i < 0) return { a: null, b: null, how: 'same' };
      const beyond = number - stretches.row[i]!;
      const of = (side: 'a' | 'b') => (stretches[side][i]! < 0 ? null : stretches[side][i]! + beyond);
      return { a: of('a'), b: of('b'), how: stretches.how[i]! };
    },
    rowOf: (toA, toB) => {
      // Stretches without a side begin where the records of that side go on.
      let [first, nextA, nextB] = [count, 0, 0];
      for (const [i, begin] of stretches.row.entries()) {
        const length = (stretches.row[i + 1] ?? count) - begin;
        const [a, b] = [stretches.a[i]!, stretches.b[i]!];
        if (a >= 0) {
          nextA = a + length;
          if (toA >= a && toA < nextA) first = Math.min(first, begin + toA - a);
        }
        if (b >= 0) {
          nextB = b + length;
          if (toB >= b && toB < nextB) first = Math.min(first, begin + toB - b);
        }
        if (nextA > toA && nextB > toB) break;
      }
      return first;
    },
  };
}
