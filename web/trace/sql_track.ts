import type { SqlValue } from '../base/sql.ts';

type Row = readonly SqlValue[];

/** Where a row of a kept track comes from: ids of the page. */
export interface RowPlace {
  readonly track: number | null;
  readonly depth: number | null;
}

/** What rows look like as a track. */
export type RowsShape = 'slices' | 'values' | 'points';

/** Rows as a track: columns as {@link Collected} has them. */
export interface RowsAsTrack {
  readonly shape: RowsShape;
  readonly time: BigUint64Array;
  readonly track: Uint32Array;
  readonly locator: BigUint64Array;
  readonly bits: BigUint64Array;
  readonly numbers: Uint8Array;
  /** Of slices, where they end, and their names. */
  readonly until: BigUint64Array;
  readonly names: readonly string[];
  /** What the rows say about their places, by position. */
  readonly places: ReadonlyMap<bigint, RowPlace>;
  /** Rows that are not part of it: without a number, or beyond the trace. */
  readonly left: number;
}

/** How the bits of a number are to be read: signed, or as a floating point number. */
const SIGNED = 1;
const FLOAT = 2;
/** Positions have 64 bits. */
const LAST = 2n ** 64n - 1n;

/** The columns of a result that a track is made of. */
export interface TrackColumns {
  readonly shape: RowsShape;
  readonly at: number;
  /** The duration or the value; -1 for points. */
  readonly value: number;
}

/**
 * The columns to make a track of: `start` and `dur`, else a position (`start`, `time`, `x`) and `value` (or `y`, or the only other column),
 * else a position alone. null without a position.
 */
export function trackColumns(names: readonly string[]): TrackColumns | null {
  const lower = names.map((name) => name.toLowerCase());
  const of = (...wanted: readonly string[]) => {
    const found = wanted.find((name) => lower.includes(name));
    return found === undefined ? -1 : lower.indexOf(found);
  };
  const at = of('start', 'time', 'x', 'transition_id');
  if (at < 0) return null;
  const dur = of('dur');
  if (dur >= 0) return { shape: 'slices', at, value: dur };
  const value = of('value', 'y');
  if (value >= 0) return { shape: 'values', at, value };
  if (names.length === 2) return { shape: 'values', at, value: 1 - at };
  return { shape: 'points', at, value: -1 };
}

/** Rows of these columns within `extent` as a track. Slices without a name are called ''. */
export function rowsAsTrack(
  columns: TrackColumns,
  names: readonly string[],
  rows: readonly Row[],
  extent: { readonly from: bigint; readonly to: bigint },
): RowsAsTrack {
  const { shape, at, value } = columns;
  const lower = names.map((name) => name.toLowerCase());
  const [name, track, depth] = ['name', 'track', 'depth'].map((wanted) => lower.indexOf(wanted));
  const time = new BigUint64Array(rows.length);
  const bits = new BigUint64Array(rows.length);
  const numbers = new Uint8Array(rows.length);
  const until = new BigUint64Array(shape === 'slices' ? rows.length : 0);
  const called: string[] = [];
  const places = new Map<bigint, RowPlace>();
  const float = new DataView(new ArrayBuffer(8));
  let count = 0;
  for (const row of rows) {
    const x = row[at];
    const number = value < 0 ? 0n : row[value];
    if (typeof x !== 'bigint' || x < extent.from || x > extent.to) continue;
    if (shape === 'slices') {
      if (typeof number !== 'bigint' || number < 0n) continue;
      const text = row[name!];
      called.push(typeof text === 'string' ? text : '');
      const end = x + number;
      until[count] = end > LAST ? LAST : end;
    } else if (typeof number === 'bigint') {
      bits[count] = BigInt.asUintN(64, number);
      numbers[count] = SIGNED;
    } else if (typeof number === 'number') {
      float.setFloat64(0, number);
      bits[count] = float.getBigUint64(0);
      numbers[count] = FLOAT;
    } else continue;
    time[count] = x;
    if (!places.has(x)) {
      const [onTrack, atDepth] = [row[track!], row[depth!]];
      places.set(x, {
        track: typeof onTrack === 'bigint' && onTrack > 0n ? Number(onTrack) - 1 : null,
        depth: typeof atDepth === 'bigint' ? Number(atDepth) : null,
      });
    }
    count += 1;
  }
  return {
    shape,
    time: time.slice(0, count),
    track: new Uint32Array(count),
    locator: new BigUint64Array(count),
    bits: bits.slice(0, count),
    numbers: numbers.slice(0, count),
    until: until.slice(0, count),
    names: called,
    places,
    left: rows.length - count,
  };
}
