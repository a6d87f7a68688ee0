import type { Functions } from '../base/protocol.ts';
import type { Names } from './names.ts';

/** A column of the table of functions. */
export type FunctionColumn = 'name' | 'count' | 'total' | 'self' | 'min' | 'median' | 'p90' | 'p99' | 'max';

/** By what the table is sorted. */
export interface Sort {
  readonly by: FunctionColumn;
  readonly descending: boolean;
}

/** More rows than this nobody scrolls through, and browsers do not lay out exactly: the filter finds the others. */
export const MOST_ROWS = 100_000;

/** The order after a click on a column's head: numbers from the largest first, names from A, and the other way round. */
export function sortedBy(sort: Sort, by: FunctionColumn): Sort {
  return { by, descending: sort.by === by ? !sort.descending : by !== 'name' };
}

/** Which functions the table shows, as indices of their columns, in order. Ties go by the name's id. */
export function functionRows(functions: Functions, names: Names, sort: Sort, filter: string): Uint32Array {
  const wanted = filter.trim().toLowerCase();
  const found: number[] = [];
  for (let i = 0; i < functions.length; i += 1) {
    if (wanted === '' || names.of(functions.name[i]!).toLowerCase().includes(wanted)) found.push(i);
  }
  const direction = sort.descending ? -1 : 1;
  if (sort.by === 'name') {
    const order = new Intl.Collator(undefined, { numeric: true });
    found.sort((a, b) => direction * order.compare(names.of(functions.name[a]!), names.of(functions.name[b]!)));
  } else {
    const column = functions[sort.by];
    found.sort((a, b) => direction * (column[a]! - column[b]!) || a - b);
  }
  return Uint32Array.from(found.length > MOST_ROWS ? found.slice(0, MOST_ROWS) : found);
}
