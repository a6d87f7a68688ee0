import type { RecordColumn, Value } from '../../base/protocol.ts';
import type { RecordRow } from '../../base/record_protocol.ts';

/** The rows of a list in another order. */
export interface RecordOrder {
  /** The number in the list of the row at a place in the order. */
  at(place: number): number;
  /** The place in the order of a row of the list. */
  placeOf(number: number): number;
}

/** What rows sort by. Numbers come before texts, and what has neither comes last. */
export type Key = number | string | null;

/** The order of a list of `count` rows backwards. */
export function backwards(count: number): RecordOrder {
  const other = (row: number) => count - 1 - row;
  return { at: other, placeOf: other };
}

/** The order of rows by their keys. Equal rows stay in the order of the list. */
export function orderOf(keys: readonly Key[], descending: boolean): RecordOrder {
  const texts = new Intl.Collator(undefined, { numeric: true });
  const rank = (key: Key) => (key === null ? 2 : typeof key === 'string' ? 1 : 0);
  const compare = (a: Key, b: Key): number => {
    const ranks = rank(a) - rank(b);
    if (ranks !== 0 || a === null || b === null || a === b)
      return a === null || b === null || !descending ? ranks : -ranks;
    const order = typeof a === 'string' ? texts.compare(a, b as string) : a - (b as number);
    return descending ? -order : order;
  };
  const order = Uint32Array.from(keys.keys()).sort((a, b) => compare(keys[a]!, keys[b]!) || a - b);
  return { at: (place) => order[place] ?? place, placeOf: (number) => order.indexOf(number) };
}

/** What a row sorts by in a column. `given`: texts that are shown in place of names. */
export function keyOf(
  { shows, key }: Pick<RecordColumn, 'shows'> & Partial<Pick<RecordColumn, 'key'>>,
  row: RecordRow,
  given: ReadonlyMap<string, string>,
): Key {
  switch (shows) {
    case 'position':
      return Number(row.x);
    case 'thread':
      return row.track;
    case 'name':
      return (given.get(row.name) ?? row.name) || null;
    case 'field':
      return keyOfValue(row.fields.find(({ name }) => name === key)?.value);
    case 'rest':
      return null;
  }
}

function keyOfValue(value: Value | undefined): Key {
  switch (value?.t) {
    case 'int':
    case 'id':
    case 'ticks':
    case 'duration':
      return Number(value.v);
    case 'float':
      return Number.isNaN(value.v) ? null : value.v;
    case 'text':
      return value.v || null;
    case 'symbol':
      return value.name;
    case 'bytes':
      return Number(value.length);
    case 'list':
      return keyOfValue(value.v[0]);
    case 'tree':
      return value.v[0]?.name ?? null;
    default:
      return null;
  }
}
